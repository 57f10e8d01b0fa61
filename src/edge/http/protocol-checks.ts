import { Refusal } from '#base/kit/refusal.ts'
import { headersNamed } from './headers.ts'
import type { Http } from './http.ts'

/** Replaces Node's own checks, which would answer a bare status line without a body. */
export function addProtocolChecks(http: Http): void {
  // Node answers 417 to an Expect other than 100-continue; RFC 9110, 10.1.1 allows to ignore it.
  http.server.on('checkExpectation', (...asked) => void http.server.emit('request', ...asked))
  http.addHook('onRequest', ({ raw }, _reply, done) => {
    // Node's check of the Host header is switched off in server.ts.
    const hasOneHost = raw.httpVersion !== '1.1' || headersNamed(raw, 'host').length === 1
    if (hasOneHost) done()
    else done(new Refusal('malformed_request', 'The request must name its host once'))
  })
}
