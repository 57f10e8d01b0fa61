import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { answerDuplicate } from '#doors/api/duplicate.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { payeeOf } from '#doors/api/payee.ts'
import { repeatedOrder } from '#doors/api/repetition.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import { makingOf } from '#edge/idempotency/idempotency.ts'
import { DuplicateAnswer } from '#edge/wire/duplicate.ts'
import { checkInit, InitBody, readInit } from '#edge/wire/init.ts'
import { payeeProblems } from '#edge/wire/payee.ts'
import { InitAnswer, writeInitAnswer } from '#edge/wire/transaction.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

export default function init(http: Http, context: Context): void {
  const { transactions, clients } = context
  const answer = (request: FastifyRequest, reply: FastifyReply, transaction: Transaction) => {
    reply.code(201)
    const step = transactions.payerStepOf(transaction)
    return writeInitAnswer(transaction, step, languageOf(request))
  }
  const repetition = repeatedOrder(transactions, answer)
  http.post(
    '/api/v1/transaction/init',
    {
      schema: {
        operationId: 'initTransaction',
        summary: 'Initialise a transaction',
        description: 'Collects from a wallet, pays out to one, or recharges a phone.',
        tags: ['Transactions'],
        body: InitBody,
        response: { 201: InitAnswer, 409: DuplicateAnswer },
      },
      attachValidation: true,
      config: { rights: endpointRights.initTransaction, beginsPayment: true, repetition },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const contract = await clients.contractOf(caller.clientId)
      const payee = await payeeOf(context, caller, contract, request.body)
      const problems = [...checkInit(request.body, contract, context), ...payeeProblems(payee)]
      refuseProblems(request, problems, ['amount'])
      const intent = readInit(request.body, caller, contract, payee)
      const recorded = await transactions.init({ ...intent, making: makingOf(request) })
      if (recorded.kind === 'insufficient_funds')
        throw new Refusal('insufficient_funds', 'Insufficient balance')
      if (recorded.kind === 'duplicate')
        return answerDuplicate(request, reply, request.body.externalTransactionId, context)
      return answer(request, reply, recorded.transaction)
    },
  )
}
