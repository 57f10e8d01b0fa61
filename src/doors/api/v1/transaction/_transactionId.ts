import { Type } from 'typebox'
import { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { checkIdentifier } from '#doors/api/identifier.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import {
  DetailAnswer,
  writeDetailAnswer,
  writeLinkAsDetail,
} from '#edge/wire/transaction-detail.ts'

export default function readTransaction(http: Http, { links, transactions }: Context): void {
  http.get(
    '/api/v1/transaction/:transactionId',
    {
      schema: {
        operationId: 'getTransaction',
        summary: 'Transaction status',
        description: 'By our identifier or your externalTransactionId, among what the key sees.',
        tags: ['Transactions'],
        params: Type.Object({ transactionId: Type.String() }),
        response: { 200: DetailAnswer },
      },
    },
    async (request) => {
      const { transactionId } = request.params
      checkIdentifier(transactionId)
      const found = await links.findRecord(callerOf(request), transactionId)
      if (found === undefined) throw new Refusal('not_found', 'No transaction found')
      if (found.kind === 'link')
        return writeLinkAsDetail(found.link, await links.paymentOf(found.link), languageOf(request))
      const { transaction } = found
      const token = transactions.tokenOf(transaction)
      const step = transactions.payerStepOf(transaction)
      const link = (await links.behind([transaction])).get(transaction.id)
      return writeDetailAnswer(transaction, { token, step, link }, languageOf(request))
    },
  )
}
