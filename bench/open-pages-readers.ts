import type { ClientRequest } from 'node:http'
import { Agent, get } from 'node:http'
import { clientIdOf } from '../src/clients/clients.ts'
import type { Db } from '../src/db/db.ts'
import { addPerson, signIn } from '../test/dashboard.ts'

/** Somebody who is signed in, with pages of a merchant open. */
export interface Reader {
  clientId: number
  cookie: string
}

/** As many people of the first merchant as there are others, and one of each other. */
export async function signReadersIn(db: Db, url: string, others: number): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let index = 0; index < 2 * others; index += 1) {
    const merchant = Math.max(0, index - others + 1)
    const clientId = await clientIdOf(db, `Banc pages ${merchant}`)
    const { cookie } = await signIn(url, await addPerson({ db }, { clientId, role: 'owner' }))
    readers.push({ clientId, cookie })
  }
  return readers
}

/** Opens the streams of all pages, as many for each reader, and reads them until the end. */
export async function openPages(url: string, readers: Reader[], pages: number) {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const open: ClientRequest[] = []
  for (const { clientId, cookie } of readers) {
    const count = Math.ceil(pages / readers.length)
    const streams = Array.from({ length: count }, (_, index) => {
      const home = index % 2 === 0 ? '&home=yes' : ''
      return new Promise<void>((resolve, reject) => {
        const address = `${url}/dashboard/live?client=${clientId}${home}`
        const headers = { cookie, 'accept-encoding': 'gzip' }
        const request = get(address, { agent, headers }, (answer) => {
          if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
          answer.resume()
          answer.on('error', () => {})
          resolve()
        })
        request.on('error', reject)
        open.push(request)
      })
    })
    await Promise.all(streams)
  }
  const end = () => {
    for (const request of open) request.destroy()
  }
  return { end }
}
