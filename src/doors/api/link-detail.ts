import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '#base/kit/refusal.ts'
import { callerOf } from '#edge/http/caller.ts'
import { languageOf } from '#edge/http/language.ts'
import { LinkDetailAnswer, writeLinkDetail } from '#edge/wire/link.ts'
import type { Context } from './context.ts'
import { checkIdentifier } from './identifier.ts'

/** The schema of the two paths at which links are looked up. */
export const linkDetailSchema = {
  summary: 'Payment link status',
  description: 'By our identifier or your externalTransactionId, among what the key sees.',
  tags: ['Payment links'],
  params: Type.Object({ transactionId: Type.String() }),
  response: { 200: LinkDetailAnswer },
}

/** Answers with the current state of a link that the caller's key made. */
export async function answerLinkDetail(
  request: FastifyRequest<{ Params: { transactionId: string } }>,
  { links }: Context,
) {
  const { transactionId } = request.params
  checkIdentifier(transactionId)
  const link = await links.find(callerOf(request), transactionId)
  if (link === undefined) throw new Refusal('not_found', 'No transaction found')
  return writeLinkDetail(link, await links.paymentOf(link), links.urlOf(link), languageOf(request))
}
