import { Refusal, reason } from '#base/kit/refusal.ts'
import { headersNamed } from './headers.ts'
import type { Http } from './http.ts'

// Of a page with every filter there are fewer. In 14 KB of an address there can be thousands, which
// cost far more to read than to send.
const parametersMax = 50

/** An address without its query, should that have too many parameters: nothing reads them then. */
export function withFewParameters(path: string): string {
  return hasFewParameters(path) ? path : path.slice(0, path.indexOf('?'))
}

function hasFewParameters(path: string): boolean {
  let count = 1
  for (let at = path.indexOf('&'); at !== -1; at = path.indexOf('&', at + 1)) {
    count += 1
    if (count > parametersMax) return !path.includes('?')
  }
  return true
}

/** Replaces Node's own checks, which would answer a bare status line without a body. */
export function addProtocolChecks(http: Http): void {
  // Node answers 417 to an Expect other than 100-continue; RFC 9110, 10.1.1 allows to ignore it.
  http.server.on('checkExpectation', (...asked) => void http.server.emit('request', ...asked))
  const tooMany = reason('The address has more than {max} parameters', { max: parametersMax })
  http.addHook('onRequest', ({ raw, originalUrl }, _reply, done) => {
    // Node's check of the Host header is switched off in server.ts.
    const hasOneHost = raw.httpVersion !== '1.1' || headersNamed(raw, 'host').length === 1
    if (!hasOneHost) done(new Refusal('malformed_request', 'The request must name its host once'))
    else if (hasFewParameters(originalUrl)) done()
    else done(new Refusal('malformed_request', tooMany))
  })
}
