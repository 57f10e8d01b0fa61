import { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { doneAgain, isRepetition, makingOf } from '#edge/idempotency/idempotency.ts'
import { ConfirmAnswer, ConfirmBody, writeConfirmAnswer } from '#edge/wire/confirmation.ts'
import { NotFoundAnswer } from '#edge/wire/error.ts'

export default function confirmTransaction(http: Http, { transactions }: Context): void {
  http.post(
    '/api/v1/transaction/confirm/walletd',
    {
      schema: {
        operationId: 'confirmTransaction',
        summary: 'Confirm by one-time code',
        description: "Hands on the customer's one-time code for a waiting WALLETD transaction.",
        tags: ['Transactions'],
        body: ConfirmBody,
        response: { 200: ConfirmAnswer, 404: NotFoundAnswer },
      },
      config: { rights: endpointRights.confirmTransaction, repetition: doneAgain },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const order = { ...request.body, making: makingOf(request) }
      try {
        return writeConfirmAnswer(await transactions.confirm(caller, order))
      } catch (problem) {
        // The first request, whose answer is not known, may have confirmed it.
        const mayBeDone = problem instanceof Refusal && isRepetition(request)
        const found = mayBeDone && (await transactions.find(caller, order.transactionId))
        if (!found || (found.confirmedAt ?? found.completedAt) === null) throw problem
        reply.header('Idempotent-Replayed', 'true')
        return writeConfirmAnswer(found)
      }
    },
  )
}
