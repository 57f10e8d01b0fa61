import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/caller.ts'
import { languageOf } from '../http/language.ts'
import { findRecord } from '../links/find.ts'
import type { Existing } from '../wire/duplicate.ts'
import { writeDuplicate } from '../wire/duplicate.ts'
import type { Context } from './context.ts'

/**
 * Answers a used id with the record that has it, whatever it is, so that a caller whose answer was
 * lost recovers. What was made with another key is not shown.
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
  { engine, links }: Context,
): Promise<Existing | undefined> {
  const found = await findRecord(engine.db, callerOf(request), { externalId })
  if (found === undefined) return undefined
  if (found.kind === 'link') return { ...found, url: links.urlOf(found.link) }
  const { transaction } = found
  const step = engine.payerStepOf(transaction)
  return { ...found, step, token: engine.tokens.open(transaction) }
}
