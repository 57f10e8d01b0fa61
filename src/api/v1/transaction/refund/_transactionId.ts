import { Type } from 'typebox'
import { callerOf } from '../../../../http/caller.ts'
import { refuseProblems } from '../../../../http/checked.ts'
import type { Http } from '../../../../http/http.ts'
import { languageOf } from '../../../../http/language.ts'
import { refundTransaction } from '../../../../transactions/refund.ts'
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

export default function refund(http: Http, { engine, mode }: Context): void {
  http.post(
    '/api/v1/transaction/refund/:transactionId',
    {
      schema: {
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
      refuseProblems(request, checkRefund(request.body, mode))
      const order = readRefund(request.body, request.params.transactionId)
      const recorded = await refundTransaction(engine, callerOf(request), order)
      if (recorded.kind === 'duplicate')
        return answerDuplicate(request, reply, recorded.existing, engine)
      reply.code(201)
      return writeRefundAnswer(recorded.transaction, languageOf(request))
    },
  )
}
