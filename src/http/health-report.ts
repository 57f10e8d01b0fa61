import { Refusal } from '../catalog/refusal.ts'
import { isSame } from '../sealing/hmac.ts'
import type { Http } from './http.ts'

interface Report {
  cell: string | null
  token: string
  /** How the parts of the gateway are. */
  parties(): Promise<Record<string, string>>
}

/** GET /healthz: how this cell is, for the page of health of other cells, which have the token. */
export function addHealthReport(http: Http, { cell, token, parties }: Report): void {
  http.get('/healthz', { schema: { hide: true } }, async (request) => {
    const { authorization = '' } = request.headers
    if (!isSame(`Bearer ${token}`, authorization))
      throw new Refusal('invalid_api_key', 'Invalid API KEY')
    return { cell, ...(await parties()) }
  })
}
