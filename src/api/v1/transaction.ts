import { callerOf } from '../../http/caller.ts'
import type { Http } from '../../http/http.ts'
import { languageOf } from '../../http/language.ts'
import { refuseProblems } from '../../http/refuse-problems.ts'
import {
  checkList,
  readRange,
  TransactionListAnswer,
  TransactionListQuery,
  writeTransactionList,
} from '../../wire/list.ts'
import type { Context } from '../context.ts'

export default function listTransactions(http: Http, { transactions }: Context): void {
  http.get(
    '/api/v1/transaction',
    {
      schema: {
        operationId: 'listTransactions',
        summary: 'List transactions',
        description:
          'Those that the key sees, newest first: made with it, or all of its client. Refunds ' +
          'and payments made through links are among them; links have a list of their own.',
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
        status: query.status ?? null,
        operation: query.type ?? null,
        serviceCode: query.service ?? null,
        phone: query.number ?? null,
        subMerchantId: query.sub_merchant_id ?? null,
        externalIdPrefix: query.externalTransactionIdPrefix ?? null,
      }
      const page = await transactions.list(callerOf(request), filter, readRange(query))
      return writeTransactionList(page, transactions.tokenOf, languageOf(request))
    },
  )
}
