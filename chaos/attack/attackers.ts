import { request } from 'undici'
import { openPool } from '#data/db/server.ts'
import { may, type Role } from '#merchants/people/rights.ts'
import { addPerson, type SignedIn, signIn, tokenIn } from '#test/dashboard.ts'
import { guardedRoutes } from '#test/screenshots/routes.ts'
import type { Merchant } from '../client-job.ts'
import type { World } from '../world.ts'
import { type Addresses, findLinked } from './addresses.ts'
import { multipart, part } from './inputs.ts'
import { type AttackedRoute, routesOfGateway } from './routes.ts'
import type { Attacker } from './search.ts'

/** Who attacks, and which addresses: of those that answer to them. */
export interface Party {
  attacker: Attacker
  has(route: AttackedRoute): boolean
  /** Whether an address does more for them than to refuse: none of its inputs may miss it. */
  may(route: AttackedRoute): boolean
  /** The same person signed in anew, where what was sent may have ended the session. */
  again(): Promise<Party>
}

const isOfApi = ({ path }: AttackedRoute) => path.startsWith('/api/')
const paths = async () => (await routesOfGateway()).map(({ path }) => path)
const examples = new Map<string, string>()

/** Anybody, who knows one payment link. */
export async function stranger(world: World, merchant: Merchant): Promise<Party> {
  const linkId = await makeLink(world, merchant)
  const starts = ['/docs', '/docs/guides', '/docs/fr', '/docs/en', '/dashboard/sign-in']
  const url = world.gateways[0]?.url ?? ''
  const links = [...starts, `/pay/process/${linkId}`]
  const addresses = await findLinked((address) => readPage(url, address), links, await paths())
  const attacker = { name: 'anonymous', headers: {}, token: '', linkId, addresses, examples }
  // The API says that it wants a key, the dashboard where to sign in: more strangers do not get.
  const party: Party = {
    attacker,
    has: () => true,
    may: (route) => !isOfApi(route),
    again: async () => party,
  }
  return party
}

/** A program of a merchant. */
export async function merchantKey(world: World, merchant: Merchant): Promise<Party> {
  const headers = { authorization: `Bearer ${merchant.apiKey}` }
  const linkId = await makeLink(world, merchant)
  const attacker = {
    name: 'key',
    headers,
    token: '',
    linkId,
    addresses: await ownRecords(world, merchant, linkId),
    examples: await readExamples(world),
  }
  const party: Party = { attacker, has: isOfApi, may: () => true, again: async () => party }
  return party
}

/** A person of a merchant, signed in. */
export async function merchantPerson(
  world: World,
  merchant: Merchant,
  role: Role,
  known?: Addresses,
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
  const guarded = guardedRoutes()
  return {
    attacker: {
      name: role,
      headers: { cookie },
      token,
      anotherToken,
      linkId: '',
      addresses,
      examples,
    },
    has: ({ path }) => path.startsWith('/dashboard') && !path.startsWith('/dashboard/ops'),
    may: (route) => {
      const rule = guarded.find((one) => one.method === route.method && one.path === route.path)
      return rule === undefined || may(role, rule.action)
    },
    again: () => merchantPerson(world, merchant, role, addresses),
  }
}

const batchLines = 10_000

/** The addresses of what a person finds by links, with the largest batch that there may be. */
async function ownAddresses(person: SignedIn, token: string): Promise<Addresses> {
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
  const { url, cookie } = person
  return findLinked((address) => readPage(url, address, cookie), ['/dashboard'], await paths())
}

const pageMsMax = 20_000

/** The text of a page; undefined for what is none, such as a file, which is not read. */
async function readPage(url: string, address: string, cookie = ''): Promise<string | undefined> {
  const { statusCode, headers, body } = await request(`${url}${address}`, {
    headers: cookie === '' ? {} : { cookie },
    signal: AbortSignal.timeout(pageMsMax),
  })
  const isPage = statusCode === 200 && String(headers['content-type']).startsWith('text/html')
  if (isPage) return body.text()
  body.on('error', () => {}).destroy()
  return undefined
}

/** What the description of the interface gives as the body of each request. */
async function readExamples({ gateways }: World): Promise<Map<string, string>> {
  const { body } = await request(`${gateways[0]?.url}/openapi.json`)
  const { paths } = (await body.json()) as { paths: Record<string, Record<string, Operation>> }
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const example = requestBody?.content?.['application/json']?.example
      if (example === undefined) continue
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1')
      examples.set(`${method.toUpperCase()} ${route}`, JSON.stringify(example))
    }
  return examples
}

interface Operation {
  requestBody?: { content?: Record<string, { example?: object }> }
}

/** A record of each kind that the interface can be asked for. */
async function ownRecords(world: World, merchant: Merchant, linkId: string): Promise<Addresses> {
  const id = `attacked-${Date.now()}`
  const api = '/api/v1'
  const { transaction } = await send(world, merchant, `${api}/transaction/init`, {
    ...urls,
    externalTransactionId: `${id}-payment`,
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 500,
    number: '771234567',
  })
  const { transactionId } = (transaction ?? {}) as { transactionId?: string }
  const shop = await send(world, merchant, `${api}/sub-merchant`, {
    name: id,
    commercialName: 'Boutique',
    countries: ['SN'],
  })
  const { events } = await send(world, merchant, `${api}/events?limit=1`)
  const [event] = (events ?? []) as { id: string }[]
  return new Map([
    [`${api}/transaction/:transactionId`, [`${api}/transaction/${transactionId}`]],
    [`${api}/transaction/refund/:transactionId`, [`${api}/transaction/refund/${transactionId}`]],
    [`${api}/merchant/:transactionId`, [`${api}/merchant/${linkId}`]],
    [`${api}/transaction/merchant/:transactionId`, [`${api}/transaction/merchant/${linkId}`]],
    [`${api}/sub-merchant/:subMerchantId`, [`${api}/sub-merchant/${shop.id as string}`]],
    [`${api}/events/:id/replay`, [`${api}/events/${event?.id}/replay`]],
  ])
}

const urls = {
  callBackURL: 'http://127.0.0.1:9/hook',
  successUrl: 'http://127.0.0.1:9/ok',
  failureUrl: 'http://127.0.0.1:9/no',
}

async function makeLink(world: World, merchant: Merchant): Promise<string> {
  const { transactionId } = await send(world, merchant, '/api/v1/transaction/merchant/get-link', {
    ...urls,
    externalTransactionId: `attacked-${Date.now()}`,
    ItemName: 'Panier',
    ItemPrice: 7500,
  })
  if (typeof transactionId !== 'string') throw new Error('no payment link was made')
  return transactionId
}

async function send(
  { gateways }: World,
  { apiKey }: Merchant,
  path: string,
  json?: object,
): Promise<Record<string, unknown>> {
  const { body } = await request(`${gateways[0]?.url}${path}`, {
    method: json === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: json === undefined ? null : JSON.stringify(json),
  })
  return (await body.json()) as Record<string, unknown>
}
