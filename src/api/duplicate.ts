import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/caller.ts'
import { languageOf } from '../http/language.ts'
import type { Engine } from '../transactions/engine.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { writeDuplicate } from '../wire/duplicate.ts'

/**
 * Answers a used id with the record that has it, so that a caller whose answer was lost recovers.
 */
export function answerDuplicate(
  request: FastifyRequest,
  reply: FastifyReply,
  existing: Transaction | undefined,
  engine: Engine,
) {
  const transaction = existing?.keyId === callerOf(request).keyId ? existing : undefined
  const own = transaction && {
    transaction,
    step: engine.payerStepOf(transaction),
    token: engine.tokens.open(transaction),
  }
  reply.code(409)
  return writeDuplicate(own, languageOf(request), request.id)
}
