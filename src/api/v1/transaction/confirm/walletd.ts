import { callerOf } from '../../../../http/caller.ts'
import type { Http } from '../../../../http/http.ts'
import { ConfirmAnswer, ConfirmBody, writeConfirmAnswer } from '../../../../wire/confirmation.ts'
import { NotFoundAnswer } from '../../../../wire/error.ts'
import type { Context } from '../../../context.ts'

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
    },
    async (request) =>
      writeConfirmAnswer(await transactions.confirm(callerOf(request), request.body)),
  )
}
