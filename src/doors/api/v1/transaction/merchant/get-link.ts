import type { FastifyReply } from 'fastify'
import type { Context } from '#doors/api/context.ts'
import { answerDuplicate } from '#doors/api/duplicate.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { payeeOf } from '#doors/api/payee.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import { makingOf, type Repetition } from '#edge/idempotency/idempotency.ts'
import { DuplicateAnswer } from '#edge/wire/duplicate.ts'
import { checkLink, LinkAnswer, LinkBody, readLinkOrder, writeLinkAnswer } from '#edge/wire/link.ts'
import { payeeProblems } from '#edge/wire/payee.ts'
import { type Link, newLinkId } from '#money/links/link.ts'

export default function createLink(http: Http, context: Context): void {
  const { clients, links } = context
  const answer = (reply: FastifyReply, link: Link) => {
    reply.code(201)
    return writeLinkAnswer(link, links.urlOf(link))
  }
  const repetition: Repetition = {
    newId: newLinkId,
    answer: async (request, reply, id) => {
      const made = await links.findById({ ...callerOf(request), id })
      return made && answer(reply, made)
    },
  }
  http.post(
    '/api/v1/transaction/merchant/get-link',
    {
      schema: {
        operationId: 'createLink',
        summary: 'Create a payment link',
        description: 'A page where anyone who has its address can pay for an item, once.',
        tags: ['Payment links'],
        body: LinkBody,
        response: { 201: LinkAnswer, 409: DuplicateAnswer },
      },
      attachValidation: true,
      config: { rights: endpointRights.createLink, isMerchantOperation: true, repetition },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const contract = await clients.contractOf(caller.clientId)
      const payee = await payeeOf(context, caller, contract, request.body)
      refuseProblems(request, [...checkLink(request.body, context), ...payeeProblems(payee)])
      const order = readLinkOrder(request.body, caller, contract, payee)
      const created = await links.create({ ...order, making: makingOf(request) })
      if (created.kind === 'duplicate')
        return answerDuplicate(request, reply, request.body.externalTransactionId, context)
      return answer(reply, created.link)
    },
  )
}
