import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { answerDuplicate } from '#doors/api/duplicate.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { payeeOf } from '#doors/api/payee.ts'
import { repeatedOrder } from '#doors/api/repetition.ts'
import { callerOf } from '#edge/http/caller.ts'
import { statusOf } from '#edge/http/errors.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import { makingOf } from '#edge/idempotency/idempotency.ts'
import {
  BillFailure,
  checkPay,
  isPrepaid,
  PayAnswer,
  PayBody,
  readPay,
  refusalOf,
  writeBillFailure,
  writePayAnswer,
} from '#edge/wire/bill-payment.ts'
import { DuplicateAnswer } from '#edge/wire/duplicate.ts'
import { payeeProblems } from '#edge/wire/payee.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

export default function payBill(http: Http, context: Context): void {
  const { bills, clients, transactions, webhookRules } = context
  const answer = (request: FastifyRequest, reply: FastifyReply, transaction: Transaction) => {
    if (transaction.status === 'FAILED')
      return answerFailure(request, reply, refusalOf(transaction), transaction)
    reply.code(201)
    return writePayAnswer(transaction, transactions.tokenOf(transaction), languageOf(request))
  }
  const repetition = repeatedOrder(transactions, answer)
  http.post(
    '/api/v1/billing/pay',
    {
      schema: {
        operationId: 'payBill',
        summary: 'Pay a bill or top up',
        description: 'Pays a water or electricity bill, or tops up a prepaid meter.',
        tags: ['Bills'],
        body: PayBody,
        response: { 201: PayAnswer, 400: BillFailure, 409: DuplicateAnswer },
      },
      attachValidation: true,
      config: { rights: endpointRights.payBill, beginsPayment: true, repetition },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const contract = await clients.contractOf(caller.clientId)
      const ignored = isPrepaid(request.body) ? [] : ['amount']
      const payee = await payeeOf(context, caller, contract, request.body)
      const wrong = checkPay(request.body, contract, webhookRules)
      const problems = [...wrong, ...payeeProblems(payee)]
      refuseProblems(request, problems, ['amount'], ignored)
      const order = readPay(request.body, caller, contract, payee)
      const paid = await bills.pay({ ...order, making: makingOf(request) })
      if (paid.kind === 'duplicate')
        return answerDuplicate(request, reply, request.body.externalTransactionId ?? '', context)
      if (paid.kind === 'refused') return answerFailure(request, reply, paid.refusal, null)
      return answer(request, reply, paid.transaction)
    },
  )
}

function answerFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  transaction: Transaction | null,
) {
  reply.code(statusOf[refusal.kind] as 400)
  return writeBillFailure(refusal, transaction, languageOf(request), request.id)
}
