import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '#edge/http/caller.ts'
import { languageOf } from '#edge/http/language.ts'
import { type Existing, writeDuplicate } from '#edge/wire/duplicate.ts'
import type { Context } from './context.ts'

/**
 * Answers a repeated external id with 409 and the record that has it, so that a caller whose first
 * answer was lost recovers. A record made with another key is not shown.
 */
export async function answerDuplicate(
  request: FastifyRequest,
  reply: FastifyReply,
  externalId: string,
  context: Context,
) {
  reply.code(409)
  const existing = await findExisting(request, externalId, context)
  return writeDuplicate(existing, languageOf(request), request.id)
}

async function findExisting(
  request: FastifyRequest,
  externalId: string,
  { transactions, links }: Context,
): Promise<Existing | undefined> {
  const found = await links.findRecord(callerOf(request), { externalId })
  if (found === undefined) return undefined
  if (found.kind === 'link') return { ...found, url: links.urlOf(found.link) }
  const { transaction } = found
  const step = transactions.payerStepOf(transaction)
  return { ...found, step, token: transactions.tokenOf(transaction) }
}
