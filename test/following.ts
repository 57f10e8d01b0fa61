import assert from 'node:assert/strict'
import type { SignedIn } from './dashboard.ts'

/** Where an open page asks whether what it shows has changed. */
export async function followOf(person: SignedIn, path: string): Promise<string> {
  const { text, status } = await person.get(path)
  const [, address] = /data-follow="([^"]+)"/.exec(text) ?? []
  assert.ok(address !== undefined, `${path} follows nothing: ${status}`)
  return address.replaceAll('&amp;', '&')
}

/** Asks as a page does: 204, nothing has changed, or 205. */
export async function askFor(
  { url, cookie }: Pick<SignedIn, 'url' | 'cookie'>,
  address: string,
): Promise<number> {
  const answer = await fetch(url + address, { headers: { cookie }, redirect: 'manual' })
  assert.equal(await answer.text(), '')
  return answer.status
}
