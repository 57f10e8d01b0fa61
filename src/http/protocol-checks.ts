import { Refusal } from '../catalog/refusal.ts'
import { headersNamed } from './headers.ts'
import type { Http } from './http.ts'

/** Replaces Node's own check of hosts, which would answer a bare status line without a body. */
export function addProtocolChecks(http: Http): void {
  http.addHook('onRequest', ({ raw }, _reply, done) => {
    // Node's check of the Host header is switched off in server.ts.
    const hasOneHost = raw.httpVersion !== '1.1' || headersNamed(raw, 'host').length === 1
    if (hasOneHost) done()
    else done(new Refusal('malformed_request', 'The request must name its host once'))
  })
}
