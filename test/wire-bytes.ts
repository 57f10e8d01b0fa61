import { get } from 'node:http'
import type { SignedIn } from './dashboard.ts'

/** The most that a page of the dashboard may weigh on its first visit, with all that it needs. */
export const firstVisitBytesMax = 60 * 1024

/** Weighs first visits of a person: a page, its style and its scripts, as they are compressed. */
export function openScales(person: SignedIn) {
  const files = new Map<string, number>()
  return {
    /** The style and the scripts that pages have named so far. */
    files,
    weigh: async (path: string): Promise<number> => {
      const { bytes, text } = await bytesOf(person, path)
      let all = bytes
      for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/dashboard\/assets[^"]+)"/g)) {
        if (!files.has(file)) files.set(file, (await bytesOf(person, file)).bytes)
        all += files.get(file) ?? 0
      }
      return all
    },
  }
}

/** The bytes of an answer on its connection, head and body; and its text, from another visit. */
async function bytesOf({ url, cookie, get: read }: SignedIn, path: string) {
  const headers = { 'accept-encoding': 'gzip, br', cookie }
  const bytes = await new Promise<number>((resolve, reject) => {
    const request = get(`${url}${path}`, { headers, agent: false }, (answer) => {
      const { socket } = answer
      answer.on('end', () => resolve(socket.bytesRead)).resume()
    })
    request.on('error', reject)
  })
  return { bytes, text: path.includes('/assets/') ? '' : (await read(path)).text }
}
