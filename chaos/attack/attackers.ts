import { request } from 'undici'
import { openPool } from '#data/db/server.ts'
import type { Role } from '#merchants/people/rights.ts'
import { addPerson, type SignedIn, signIn, tokenIn } from '#test/dashboard.ts'
import { findAddresses } from '#test/screenshots/crawl.ts'
import { screenRoutes } from '#test/screenshots/routes.ts'
import type { World } from '../world.ts'
import { multipart, part } from './inputs.ts'
import type { AttackedRoute } from './routes.ts'
import type { Attacker } from './search.ts'

/** A merchant of the sandbox, with limits like any other. */
const merchant = { name: 'Marché Témoin', apiKey: 'sk_sandbox_other_merchant' }

/** Who attacks, and which addresses: of those that answer to them. */
export interface Party {
  attacker: Attacker
  has(route: AttackedRoute): boolean
  /** The same person signed in anew, where what was sent may have ended the session. */
  again(): Promise<Party>
}

/** Anybody, who knows one payment link. */
export async function stranger(world: World): Promise<Party> {
  const linkId = await makeLink(world)
  const party: Party = {
    attacker: { name: 'anonymous', headers: {}, token: '', linkId, addresses: new Map() },
    has: () => true,
    again: async () => party,
  }
  return party
}

/** A program of a merchant. */
export async function merchantKey(world: World): Promise<Party> {
  const headers = { authorization: `Bearer ${merchant.apiKey}` }
  const party: Party = {
    attacker: {
      name: 'key',
      headers,
      token: '',
      linkId: await makeLink(world),
      addresses: new Map(),
    },
    has: ({ path }) => path.startsWith('/api/'),
    again: async () => party,
  }
  return party
}

/** A person of a merchant, signed in. */
export async function merchantPerson(
  world: World,
  role: Role,
  known?: Map<string, string>,
): Promise<Party> {
  const url = world.gateways[0]?.url ?? ''
  await using opened = new AsyncDisposableStack()
  const db = openPool(world.postgres.url)
  opened.defer(() => db.close())
  const rows = await world.db.query<{ id: number }>('select id from clients where name = $1', [
    merchant.name,
  ])
  const clientId = Number(rows.rows[0]?.id)
  const email = await addPerson(
    { db },
    { clientId, role, email: `${role}-${Date.now()}@shop.example` },
  )
  const person = await signIn(url, email)
  const { cookie, get } = person
  // Again where the gateway has just closed the connection that was kept.
  const home = () => get('/dashboard').catch(() => get('/dashboard'))
  const anotherToken = async () => tokenIn((await home()).text)
  const token = await anotherToken()
  const addresses = known ?? (await ownAddresses(person, token))
  return {
    attacker: { name: role, headers: { cookie }, token, anotherToken, linkId: '', addresses },
    has: ({ path }) => path.startsWith('/dashboard') && !path.startsWith('/dashboard/ops'),
    again: () => merchantPerson(world, role, addresses),
  }
}

const batchLines = 10_000

/** The addresses of what a person finds by links, with the largest batch that there may be. */
async function ownAddresses(person: SignedIn, token: string): Promise<Map<string, string>> {
  const lines = Array.from(
    { length: batchLines },
    (_, at) => `77${1_000_000 + at};WALLETA_SN_CASHIN;${500 + at};Nom`,
  )
  const bytes = Buffer.from(`numero;service;montant;nom\n${lines.join('\n')}`)
  const file = part('file', bytes, { name: 'batch.csv', type: 'text/csv', bytes })
  const { type = '', body } = multipart(token, [file])
  // Who may not upload one is refused, and finds what others have uploaded.
  const answer = await request(`${person.url}/dashboard/batches`, {
    method: 'POST',
    body: body ?? null,
    headers: { cookie: person.cookie, 'content-type': type },
  })
  await answer.body.dump()
  const found = await findAddresses(person, ['/dashboard'], screenRoutes())
  return new Map([...found].map(([route, address]) => [route, address.split('?')[0] ?? address]))
}

async function makeLink({ gateways }: World): Promise<string> {
  const { body } = await request(`${gateways[0]?.url}/api/v1/transaction/merchant/get-link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${merchant.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      externalTransactionId: `attacked-${Date.now()}`,
      ItemName: 'Panier',
      ItemPrice: 7500,
      callBackURL: 'http://127.0.0.1:9/hook',
      successUrl: 'http://127.0.0.1:9/ok',
      failureUrl: 'http://127.0.0.1:9/no',
    }),
  })
  const { transactionId } = (await body.json()) as { transactionId?: string }
  if (transactionId === undefined) throw new Error('no payment link was made')
  return transactionId
}
