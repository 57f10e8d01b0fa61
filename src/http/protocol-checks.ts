import { Refusal } from '../catalog/refusal.ts'
import { headersNamed } from './headers.ts'
import type { Http } from './http.ts'

/** What Node itself would answer with a bare status line, answered in our own words instead. */
export function addProtocolChecks(http: Http): void {
  // Any expectation but 100-continue may be ignored (RFC 9110, 10.1.1); Node would answer 417.
  http.server.on('checkExpectation', (request, response) => http.routing(request, response))

  http.addHook('onRequest', ({ raw }, _reply, done) => {
    const isNamed = raw.httpVersion !== '1.1' || headersNamed(raw, 'host').length === 1
    if (isNamed) done()
    else done(new Refusal('malformed_request', 'The request must name its host once'))
  })
}
