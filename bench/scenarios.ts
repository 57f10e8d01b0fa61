import { request } from 'undici'
import type { Db } from '../src/db/db.ts'
import type { Job, RequestTemplate } from './load.ts'
import { createMerchants, demoSecret, fundDemo } from './prepare.ts'
import type { Sink } from './programs.ts'
import { webhooksAt } from './programs.ts'

/** What a scenario may use to get ready. */
export interface Stage {
  gatewayUrl: string
  db: Db
  sink: Sink
  /** Another text in each run, so that nothing is made twice. */
  name: string
}

/** One kind of load. */
export interface Scenario {
  name: string
  title: string
  /** Set for the gateway beside what `npm start` sets. */
  environment?: Record<string, string>
  /** Whether each payment ends with a webhook, and only that counts. */
  isWholeLife: boolean
  /**
   * Whether it leaves payments behind that nobody will ever answer for. Its rounds are short: after
   * three seconds the gateway begins to ask after them, which is not part of what is measured.
   */
  leavesSilent?: boolean
  /** Gets ready once; then makes the requests of a round, whose webhooks go to an address. */
  prepare(stage: Stage): Promise<(webhookUrl: string) => Pick<Job, 'requests' | 'status'>>
}

const merchants = 200
const known = 500
const links = 50

/** Every scenario, in the order in which they are run. */
export const scenarios: Scenario[] = [
  {
    name: 'init',
    title: 'init only: recorded, sent, answered by the provider',
    isWholeLife: false,
    leavesSilent: true,
    prepare: async () => (url) => created(paymentBodies(url, { number: '770000004' })),
  },
  {
    name: 'life',
    title: 'whole life, one hot merchant: init, provider, callback, ledger, webhook',
    isWholeLife: true,
    prepare: async () => (url) => created(paymentBodies(url, {})),
  },
  {
    name: 'many',
    title: `whole life, ${merchants} merchants`,
    isWholeLife: true,
    prepare: async ({ db, name }) => {
      const secrets = await createMerchants(db, name, merchants)
      return (url) =>
        created(secrets.map((secret) => payment(paymentBody(url, { amount: 500 }), secret)))
    },
  },
  {
    name: 'cashin',
    title: 'whole life of a payout: hold, provider, callback, capture, webhook',
    isWholeLife: true,
    prepare: async ({ db, name }) => {
      await fundDemo(db, name)
      return (url) => created(paymentBodies(url, { serviceCode: 'WALLETA_SN_CASHIN' }))
    },
  },
  {
    name: 'bill',
    title: 'prepaid top-up: inquiry, hold, token, capture, webhook',
    isWholeLife: true,
    prepare: async ({ db, name }) => {
      await fundDemo(db, `${name} bills`)
      return (url) => created([post('/api/v1/billing/pay', billBody(url))])
    },
  },
  {
    name: 'status',
    title: 'status lookups, by our id and by the merchant’s',
    isWholeLife: false,
    prepare: async (stage) => {
      const ids = await makePayments(stage, known)
      return () => read(ids.map((id) => get(`/api/v1/transaction/${id}`)))
    },
  },
  {
    name: 'balance',
    title: 'balance reads',
    isWholeLife: false,
    prepare: async () => () => read([get('/api/v1/api-services/balance')]),
  },
  {
    name: 'link',
    title: 'views of the payment page, each from another address',
    // Each view is from an address of its own, as payers' are: limits by address stay on.
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
    isWholeLife: false,
    prepare: async (stage) => {
      const paths = await makeLinks(stage, links)
      const headers = { 'accept-language': 'fr', 'x-forwarded-for': '{n}' }
      return () => read(paths.map((path) => ({ method: 'GET', path, headers })))
    },
  },
]

export const scenarioNames = scenarios.map(({ name }) => name)

const created = (requests: RequestTemplate[]) => ({ status: 201, requests })
const read = (requests: RequestTemplate[]) => ({ status: 200, requests })

/** Ten amounts in turn. */
function paymentBodies(url: string, change: object): RequestTemplate[] {
  return Array.from({ length: 10 }, (_, index) =>
    payment(paymentBody(url, { amount: 500 + 37 * index, ...change })),
  )
}

function paymentBody(callBackURL: string, change: object): object {
  return {
    externalTransactionId: '{n}',
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 500,
    number: '771234567',
    callBackURL,
    successUrl: 'http://127.0.0.1/thanks',
    failureUrl: 'http://127.0.0.1/sorry',
    ...change,
  }
}

function billBody(callBackURL: string): object {
  return {
    externalTransactionId: '{n}',
    serviceCode: 'PREPAID_SN_BILL',
    reference_client: '200000001',
    amount: 5000,
    callBackURL,
  }
}

function payment(body: object, secret = demoSecret): RequestTemplate {
  return post('/api/v1/transaction/init', body, secret)
}

function post(path: string, body: object, secret = demoSecret): RequestTemplate {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

function get(path: string): RequestTemplate {
  return { method: 'GET', path, headers: { authorization: `Bearer ${demoSecret}` } }
}

/** Payments to look up; the ids of half of them are ours, of the others the merchant's. */
async function makePayments({ gatewayUrl, name, sink }: Stage, count: number) {
  const address = `/${name}-known`
  const answers = Array.from({ length: count }, async (_, index) => {
    const externalId = `${name}-known-${index}`
    const body = paymentBody(sink.url + address, { externalTransactionId: externalId })
    const { transaction } = await call(gatewayUrl, payment(body))
    return index % 2 === 0 ? externalId : String((transaction as Told).transactionId)
  })
  const ids = await Promise.all(answers)
  await webhooksAt(sink, address, count)
  return ids
}

async function makeLinks({ gatewayUrl, name }: Stage, count: number): Promise<string[]> {
  const paths: string[] = []
  for (let one = 0; one < count; one += 1) {
    const body = {
      externalTransactionId: `${name}-link-${one}`,
      ItemName: 'Panier de légumes',
      ItemPrice: 7500,
      callBackURL: 'http://127.0.0.1:9/none',
      successUrl: 'http://127.0.0.1/thanks',
      failureUrl: 'http://127.0.0.1/sorry',
    }
    const told = await call(gatewayUrl, post('/api/v1/transaction/merchant/get-link', body))
    paths.push(new URL(String(told.PaymentUrl)).pathname)
  }
  return paths
}

type Told = Record<string, unknown>

async function call(url: string, { method, path, headers, body }: RequestTemplate): Promise<Told> {
  const answer = await request(`${url}${path}`, { method, headers, body: body ?? null })
  const told = (await answer.body.json()) as Told
  if (answer.statusCode !== 201) throw new Error(`${path}: ${JSON.stringify(told)}`)
  return told
}
