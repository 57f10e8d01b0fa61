import { monotonicMs } from '#base/kit/clock.ts'
import { isUuid } from '#base/kit/ids.ts'
import type { Traces } from '#base/traces/open.ts'
import type { Http } from './http.ts'

/**
 * Makes a span of each POST whose answer is about a payment or link, in the trace of that record.
 * The caller's own trace is linked and not continued: ours is found from the record's id later.
 */
export function traceRequests(http: Http, traces: Traces): void {
  http.addHook('onResponse', (request, reply, done) => {
    const { method, answeredId: id, routeOptions, caller, headers } = request
    if (method === 'POST' && id !== undefined && isUuid(id)) {
      // The path is left out: it may hold an id of the merchant's.
      const attributes = {
        'url.scheme': request.protocol,
        'http.request.method': method,
        'http.route': routeOptions.url,
        'http.response.status_code': reply.statusCode,
        'passerelle.client_id': caller?.clientId,
        'passerelle.request_id': request.id,
      }
      traces.step({ id }, monotonicMs() - reply.elapsedTime, {
        name: `${method} ${routeOptions.url}`,
        kind: 'server',
        attributes,
        error: reply.statusCode >= 500 ? String(reply.statusCode) : undefined,
        traceparent: headers.traceparent,
      })
    }
    done()
  })
}
