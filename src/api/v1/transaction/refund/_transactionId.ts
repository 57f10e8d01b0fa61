import { Refusal } from '../../../../catalog/refusal.ts'
import type { Viewer } from '../../../../clients/scope.ts'
import { callerOf } from '../../../../http/caller.ts'
import type { Http } from '../../../../http/http.ts'
import { languageOf } from '../../../../http/language.ts'
import { refuseProblems } from '../../../../http/refuse-problems.ts'
import { Type } from '../../../../kit/schema.ts'
import type { Links } from '../../../../links/open.ts'
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

export default function refund(http: Http, context: Context): void {
  const { links, transactions, webhookRules } = context
  http.post(
    '/api/v1/transaction/refund/:transactionId',
    {
      schema: {
        operationId: 'refundTransaction',
        summary: 'Refund a collection',
        description: 'Sends a successful collection back, in whole or in part. The fee is kept.',
        tags: ['Transactions'],
        params: Type.Object({ transactionId: Type.String({ minLength: 1, maxLength: 128 }) }),
        body: RefundBody,
        response: { 201: RefundAnswer, 409: DuplicateAnswer },
      },
      attachValidation: true,
    },
    async (request, reply) => {
      refuseProblems(request, checkRefund(request.body, webhookRules))
      const caller = callerOf(request)
      const original = await findRefundable(links, caller, request.params.transactionId)
      const order = readRefund(request.body, original.paymentId)
      const recorded = await transactions.refund(caller, order)
      if (recorded.kind === 'duplicate')
        return answerDuplicate(request, reply, request.body.externalTransactionId ?? '', context)
      reply.code(201)
      return writeRefundAnswer(recorded.transaction, original.id, languageOf(request))
    },
  )
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
