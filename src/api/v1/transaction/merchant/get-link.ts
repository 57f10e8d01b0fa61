import type { FastifyReply } from 'fastify'
import { callerOf } from '../../../../http/caller.ts'
import type { Http } from '../../../../http/http.ts'
import type { Repetition } from '../../../../http/idempotency.ts'
import { makingOf } from '../../../../http/idempotency.ts'
import { refuseProblems } from '../../../../http/refuse-problems.ts'
import type { Link } from '../../../../links/link.ts'
import { newLinkId } from '../../../../links/link.ts'
import { DuplicateAnswer } from '../../../../wire/duplicate.ts'
import {
  checkLink,
  LinkAnswer,
  LinkBody,
  readLinkOrder,
  writeLinkAnswer,
} from '../../../../wire/link.ts'
import { payeeProblems } from '../../../../wire/payee.ts'
import type { Context } from '../../../context.ts'
import { answerDuplicate } from '../../../duplicate.ts'
import { endpointRights } from '../../../endpoint-rights.ts'
import { payeeOf } from '../../../payee.ts'

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
