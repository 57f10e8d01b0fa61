import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import {
  checkList,
  readRange,
  readType,
  TransactionListAnswer,
  TransactionListQuery,
  writeTransactionList,
} from '#edge/wire/list.ts'
import type { Context } from '../context.ts'

export default function listTransactions(http: Http, { links, transactions }: Context): void {
  http.get(
    '/api/v1/transaction',
    {
      schema: {
        operationId: 'listTransactions',
        summary: 'List transactions',
        description:
          'Those that the key sees, newest first: made with it, or all of its client. Refunds ' +
          'are among them, and links that are paid, as type PAYMENT under their own identifier, ' +
          'where the payment began; all links have a list of their own.',
        tags: ['Transactions'],
        querystring: TransactionListQuery,
        response: { 200: TransactionListAnswer },
      },
      attachValidation: true,
    },
    async (request) => {
      const { query } = request
      refuseProblems(request, checkList(query))
      const filter = {
        statuses: query.status === undefined ? null : [query.status],
        ...readType(query.type),
        serviceCode: query.service ?? null,
        phone: query.number ?? null,
        subMerchantId: query.sub_merchant_id ?? null,
        externalIdPrefix: query.externalTransactionIdPrefix ?? null,
      }
      const page = await transactions.list(callerOf(request), filter, readRange(query))
      const behind = await links.behind(page.transactions)
      return writeTransactionList(page, behind, transactions.tokenOf, languageOf(request))
    },
  )
}
