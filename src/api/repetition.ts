import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/caller.ts'
import type { Repetition } from '../http/idempotency.ts'
import { newId } from '../kit/ids.ts'
import type { Transactions } from '../transactions/open.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** How a POST that makes a transaction is repeated. */
export function repeatedOrder(
  { findById }: Transactions,
  answer: (request: FastifyRequest, reply: FastifyReply, made: Transaction) => unknown,
): Repetition {
  return {
    newId,
    answer: async (request, reply, id) => {
      const { clientId } = callerOf(request)
      const made = await findById({ clientId, id })
      return made && answer(request, reply, made)
    },
  }
}
