import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { answerDuplicate } from '#doors/api/duplicate.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { repeatedOrder } from '#doors/api/repetition.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import { makingOf } from '#edge/idempotency/idempotency.ts'
import { DuplicateAnswer } from '#edge/wire/duplicate.ts'
import {
  checkRefund,
  RefundAnswer,
  RefundBody,
  readRefund,
  writeRefundAnswer,
} from '#edge/wire/refund.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import type { Links } from '#money/links/open.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

const params = Type.Object({ transactionId: Type.String({ minLength: 1, maxLength: 128 }) })

export default function refund(http: Http, context: Context): void {
  const { links, transactions, webhookRules } = context
  const findOriginal = (request: FastifyRequest) => {
    const { transactionId } = request.params as Static<typeof params>
    return findRefundable(links, callerOf(request), transactionId)
  }
  const repetition = repeatedOrder(transactions, async (request, reply, made) =>
    answerRefund(request, reply, made, await findOriginal(request)),
  )
  http.post(
    '/api/v1/transaction/refund/:transactionId',
    {
      schema: {
        operationId: 'refundTransaction',
        summary: 'Refund a collection',
        description: 'Sends a successful collection back, in whole or in part. The fee is kept.',
        tags: ['Transactions'],
        params,
        body: RefundBody,
        response: { 201: RefundAnswer, 409: DuplicateAnswer },
      },
      attachValidation: true,
      config: { rights: endpointRights.refundTransaction, repetition },
    },
    async (request, reply) => {
      refuseProblems(request, checkRefund(request.body, webhookRules))
      const caller = callerOf(request)
      const original = await findOriginal(request)
      const order = readRefund(request.body, original.paymentId)
      const recorded = await transactions.refund(caller, { ...order, making: makingOf(request) })
      if (recorded.kind === 'duplicate')
        return answerDuplicate(request, reply, request.body.externalTransactionId ?? '', context)
      return answerRefund(request, reply, recorded.transaction, original)
    },
  )
}

function answerRefund(
  request: FastifyRequest,
  reply: FastifyReply,
  refunded: Transaction,
  original: { id: string },
) {
  reply.code(201)
  return writeRefundAnswer(refunded, original.id, languageOf(request))
}

/** The record to refund, and its payment: itself, or the one that paid the link. */
async function findRefundable(
  links: Links,
  caller: Viewer,
  wanted: string,
): Promise<{ id: string; paymentId: string }> {
  const found = await links.findRecord(caller, wanted)
  if (found === undefined) throw new Refusal('not_found', 'No transaction found')
  if (found.kind === 'transaction')
    return { id: found.transaction.id, paymentId: found.transaction.id }
  const { id, paidId } = found.link
  if (paidId === null)
    throw new Refusal('refund_not_allowed', 'Only a successful collection can be refunded')
  return { id, paymentId: paidId }
}
