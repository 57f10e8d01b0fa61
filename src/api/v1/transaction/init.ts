import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../catalog/refusal.ts'
import { callerOf } from '../../../http/caller.ts'
import type { Http } from '../../../http/http.ts'
import { makingOf } from '../../../http/idempotency.ts'
import { languageOf } from '../../../http/language.ts'
import { refuseProblems } from '../../../http/refuse-problems.ts'
import type { Transaction } from '../../../transactions/transaction.ts'
import { DuplicateAnswer } from '../../../wire/duplicate.ts'
import { checkInit, InitBody, readInit } from '../../../wire/init.ts'
import { payeeProblems } from '../../../wire/payee.ts'
import { InitAnswer, writeInitAnswer } from '../../../wire/transaction.ts'
import type { Context } from '../../context.ts'
import { answerDuplicate } from '../../duplicate.ts'
import { endpointRights } from '../../endpoint-rights.ts'
import { payeeOf } from '../../payee.ts'
import { repeatedOrder } from '../../repetition.ts'

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
