import type { FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '#base/kit/ids.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Repetition } from '#edge/idempotency/idempotency.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

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
