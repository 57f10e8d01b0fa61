import type { Http } from '../../../../http/http.ts'
import type { Context } from '../../../context.ts'
import { answerLinkDetail, linkDetailSchema } from '../../../link-detail.ts'

export default function readLink(http: Http, context: Context): void {
  http.get(
    '/api/v1/transaction/merchant/:transactionId',
    {
      schema: { operationId: 'getLink', ...linkDetailSchema },
    },
    (request) => answerLinkDetail(request, context),
  )
}
