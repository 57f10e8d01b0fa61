import type { Context } from '#doors/api/context.ts'
import { answerLinkDetail, linkDetailSchema } from '#doors/api/link-detail.ts'
import type { Http } from '#edge/http/http.ts'

export default function readLink(http: Http, context: Context): void {
  http.get(
    '/api/v1/transaction/merchant/:transactionId',
    {
      schema: { operationId: 'getLink', ...linkDetailSchema },
    },
    (request) => answerLinkDetail(request, context),
  )
}
