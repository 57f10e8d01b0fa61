import { Refusal } from '../../../catalog/refusal.ts'
import { callerOf } from '../../../http/caller.ts'
import type { Http } from '../../../http/http.ts'
import { languageOf } from '../../../http/language.ts'
import { refuseProblems } from '../../../http/refuse-problems.ts'
import {
  checkList,
  invalidAfter,
  LinkListAnswer,
  LinkListQuery,
  readRange,
  writeLinkList,
} from '../../../wire/list.ts'
import type { Context } from '../../context.ts'

export default function listLinks(http: Http, { links }: Context): void {
  http.get(
    '/api/v1/transaction/merchant',
    {
      schema: {
        operationId: 'listLinks',
        summary: 'List payment links',
        description: 'Those that the key sees: made with it, or all of its client, newest first.',
        tags: ['Payment links'],
        querystring: LinkListQuery,
        response: { 200: LinkListAnswer },
      },
      attachValidation: true,
    },
    async (request) => {
      const { query } = request
      refuseProblems(request, checkList(query))
      const filter = {
        status: query.status ?? null,
        subMerchantId: query.sub_merchant_id ?? null,
        externalIdPrefix: query.externalTransactionIdPrefix ?? null,
        phone: query.number ?? null,
      }
      const page = await links.list(callerOf(request), filter, readRange(query))
      if (page === undefined) throw new Refusal('validation_failed', invalidAfter)
      return writeLinkList(page, links.urlOf, languageOf(request))
    },
  )
}
