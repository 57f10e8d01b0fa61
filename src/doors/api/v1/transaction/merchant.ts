import { Refusal } from '#base/kit/refusal.ts'
import type { Context } from '#doors/api/context.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import {
  checkList,
  invalidAfter,
  LinkListAnswer,
  LinkListQuery,
  readRange,
  writeLinkList,
} from '#edge/wire/list.ts'

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
