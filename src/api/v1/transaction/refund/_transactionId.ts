import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { Refusal } from '../../../../catalog/refusal.ts'
import type { Viewer } from '../../../../clients/scope.ts'
import { callerOf } from '../../../../http/caller.ts'
import type { Http } from '../../../../http/http.ts'
import { makingOf } from '../../../../http/idempotency.ts'
import { languageOf } from '../../../../http/language.ts'
import { refuseProblems } from '../../../../http/refuse-problems.ts'
import type { Links } from '../../../../links/open.ts'
import type { Transaction } from '../../../../transactions/transaction.ts'
import { DuplicateAnswer } from '../../../../wire/duplicate.ts'
import {
  checkRefund,
  RefundAnswer,
  RefundBody,
  readRefund,
  writeRefundAnswer,
} from '../../../../wire/refund.ts'
import type { Context } from '../../../context.ts'
import { answerDuplicate } from '../../../duplicate.ts'
import { endpointRights } from '../../../endpoint-rights.ts'
import { repeatedOrder } from '../../../repetition.ts'

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
