import type { ClientRequest } from 'node:http'
import { Agent, get } from 'node:http'
import { clientIdOf } from '../src/clients/clients.ts'
import type { Db } from '../src/db/db.ts'
import { addPerson, signIn } from '../test/dashboard.ts'
import { createMerchants } from './gateway-database.ts'
import type { Condition } from './lives-in-turn.ts'
import { compareLives } from './lives-in-turn.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { collectionTemplates, expectCreated } from './scenarios.ts'

const usage = `npm run bench:open-pages -- [--clients 256] [--seconds 8] [--rounds 4]

Measures what 2,000 open pages of the dashboard cost payments: whole lives of payments with and
without them, in turn on one gateway. Half of the pages show a merchant that makes half of all
payments, the others fifty merchants that make the rest; half show home, half the newest
transactions.`
const options = readOptionsOrExit({ program: 'bench:open-pages', usage }, (args) =>
  readHistoryOptions(['--rounds', '4', '--seconds', '8', ...args]),
)
const pagesPerPerson = 20
const others = 50

await compareLives('open-pages', options, async ({ gateway, db }) => {
  const [hot = '', ...rest] = await createMerchants(db, 'pages', 1 + others)
  const readers = await signReadersIn(db, gateway.url)
  const requestsTo: Condition['requestsTo'] = (url) =>
    expectCreated(
      rest.flatMap((apiKey) =>
        [hot, apiKey].flatMap((key) => collectionTemplates(url, { apiKey: key, payerCount: 2 })),
      ),
    )
  return [
    { name: 'no page is open', requestsTo },
    { name: '2,000 are open', requestsTo, begin: () => openPages(gateway.url, readers) },
  ]
})

interface Reader {
  clientId: number
  cookie: string
}

/** Fifty people of the first merchant, and one of each other. */
async function signReadersIn(db: Db, url: string): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let index = 0; index < 2 * others; index += 1) {
    const merchant = Math.max(0, index - others + 1)
    const clientId = await clientIdOf(db, `Banc pages ${merchant}`)
    const { cookie } = await signIn(url, await addPerson({ db }, { clientId, role: 'owner' }))
    readers.push({ clientId, cookie })
  }
  return readers
}

/** Opens the streams of all pages and reads them until the end. */
async function openPages(url: string, readers: Reader[]) {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const open: ClientRequest[] = []
  for (const { clientId, cookie } of readers) {
    const streams = Array.from({ length: pagesPerPerson }, (_, index) => {
      const home = index % 2 === 0 ? '&home=yes' : ''
      return new Promise<void>((resolve, reject) => {
        const address = `${url}/dashboard/live?client=${clientId}${home}`
        const request = get(
          address,
          { agent, headers: { cookie, 'accept-encoding': 'gzip' } },
          (answer) => {
            if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
            answer.resume()
            answer.on('error', () => {})
            resolve()
          },
        )
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
