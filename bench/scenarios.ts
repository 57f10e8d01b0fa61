import { request } from 'undici'
import type { Db } from '#data/db/db.ts'
import { type WebhookReceiver, waitForWebhooks } from './child-processes.ts'
import { createMerchants, demoApiKey, fundDemoMerchant } from './gateway-database.ts'
import type { LoadJob, RequestTemplate } from './load-job.ts'

/** What a scenario needs to prepare its data. */
export interface PrepareParts {
  gatewayUrl: string
  db: Db
  receiver: WebhookReceiver
  /** Unique to the run, so that ids are never reused. */
  name: string
}

/** One kind of load. */
export interface Scenario {
  name: string
  title: string
  /** Environment variables of the gateway beside those of `npm start`. */
  environment?: Record<string, string>
  /** Whether each payment ends with a webhook; payments then count by their webhooks. */
  isWholeLife: boolean
  /**
   * Whether its payments stay open because their provider never answers. Its rounds are short:
   * after three seconds the gateway starts to query the provider, which must not be measured.
   */
  leavesSilent?: boolean
  /** Prepares its data once; the returned function builds the requests of each round. */
  prepare(
    parts: PrepareParts,
  ): Promise<(webhookUrl: string) => Pick<LoadJob, 'requests' | 'status'>>
}

const merchantCount = 200
const lookedUpPayments = 500
const linkCount = 50
const nowhere = 'http://127.0.0.1:9/none'

/** A collection from init to webhook; also the load of the history and soak benchmarks. */
export const lifeScenario: Scenario = {
  name: 'life',
  title: 'whole life, one hot merchant: init, provider, callback, ledger, webhook',
  isWholeLife: true,
  prepare: async () => (url) => expectCreated(paymentTemplates(url, {})),
}

/** Every scenario, in the order in which they are run. */
export const scenarios: Scenario[] = [
  {
    name: 'init',
    title: 'init only: recorded, sent, answered by the provider',
    isWholeLife: false,
    leavesSilent: true,
    prepare: async () => (url) => expectCreated(paymentTemplates(url, { number: '770000004' })),
  },
  lifeScenario,
  {
    name: 'many',
    title: `whole life, ${merchantCount} merchants`,
    isWholeLife: true,
    prepare: async ({ db, name }) => {
      const apiKeys = await createMerchants(db, name, merchantCount)
      return (url) =>
        expectCreated(apiKeys.map((key) => paymentTemplate(paymentBody(url, { amount: 500 }), key)))
    },
  },
  {
    name: 'cashin',
    title: 'whole life of a payout: hold, provider, callback, capture, webhook',
    isWholeLife: true,
    prepare: async ({ db, name }) => {
      await fundDemoMerchant(db, name)
      return (url) => expectCreated(paymentTemplates(url, { serviceCode: 'WALLETA_SN_CASHIN' }))
    },
  },
  {
    name: 'bill',
    title: 'prepaid top-up: inquiry, hold, token, capture, webhook',
    isWholeLife: true,
    prepare: async ({ db, name }) => {
      await fundDemoMerchant(db, `${name} bills`)
      return (url) => expectCreated([post('/api/v1/billing/pay', billBody(url))])
    },
  },
  {
    name: 'status',
    title: 'status lookups, by our id and by the merchant’s',
    isWholeLife: false,
    prepare: async (parts) => {
      const ids = await createPayments(parts, lookedUpPayments)
      return () => expectOk(ids.map((id) => get(`/api/v1/transaction/${id}`)))
    },
  },
  {
    name: 'balance',
    title: 'balance reads',
    isWholeLife: false,
    prepare: async () => () => expectOk([get('/api/v1/api-services/balance')]),
  },
  {
    name: 'link',
    title: 'views of the payment page, each from another address',
    // The proxy header gives each view its own address, as with real payers: the limits per address
    // stay on.
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
    isWholeLife: false,
    prepare: async (parts) => {
      const paths = await createLinks(parts, linkCount)
      const headers = { 'accept-language': 'fr', 'x-forwarded-for': '{n}' }
      return () => expectOk(paths.map((path) => ({ method: 'GET', path, headers })))
    },
  },
]

export const scenarioNames = scenarios.map(({ name }) => name)

/** Requests each of which makes a payment. */
export const expectCreated = (requests: RequestTemplate[]) => ({ status: 201, requests })
const expectOk = (requests: RequestTemplate[]) => ({ status: 200, requests })

/** Ten requests with different amounts. */
function paymentTemplates(url: string, change: object): RequestTemplate[] {
  return Array.from({ length: 10 }, (_, index) =>
    paymentTemplate(paymentBody(url, { amount: 500 + 37 * index, ...change })),
  )
}

/** Collections of a merchant, each from another payer. */
export function collectionTemplates(
  url: string,
  { apiKey, payerCount }: { apiKey: string; payerCount: number },
): RequestTemplate[] {
  return Array.from({ length: payerCount }, (_, index) => {
    const number = `77${String(1_000_000 + index)}`
    return paymentTemplate(paymentBody(url, { number }), apiKey)
  })
}

/** Collections of the demo merchant from a thousand payers. */
export const demoCollections = (url: string) =>
  expectCreated(collectionTemplates(url, { apiKey: demoApiKey, payerCount: 1000 }))

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

function paymentTemplate(body: object, apiKey = demoApiKey): RequestTemplate {
  return post('/api/v1/transaction/init', body, apiKey)
}

function post(path: string, body: object, apiKey = demoApiKey): RequestTemplate {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

/** A GET with the demo merchant's key. */
export function get(path: string): RequestTemplate {
  return { method: 'GET', path, headers: { authorization: `Bearer ${demoApiKey}` } }
}

/** Makes one collection of a merchant; returns its id. */
export async function payOnce(
  gatewayUrl: string,
  { apiKey, externalId }: { apiKey: string; externalId: string },
): Promise<string> {
  const body = paymentBody(nowhere, { externalTransactionId: externalId })
  const { transaction } = await call(gatewayUrl, paymentTemplate(body, apiKey))
  return String((transaction as ResponseBody).transactionId)
}

/** Creates completed payments; returns the merchant's id of one half and our id of the other. */
async function createPayments({ gatewayUrl, name, receiver }: PrepareParts, count: number) {
  const webhookPath = `/${name}-known`
  const answers = Array.from({ length: count }, async (_, index) => {
    const externalId = `${name}-known-${index}`
    const body = paymentBody(receiver.url + webhookPath, { externalTransactionId: externalId })
    const { transaction } = await call(gatewayUrl, paymentTemplate(body))
    return index % 2 === 0 ? externalId : String((transaction as ResponseBody).transactionId)
  })
  const ids = await Promise.all(answers)
  await waitForWebhooks(receiver, webhookPath, count)
  return ids
}

async function createLinks({ gatewayUrl, name }: PrepareParts, count: number): Promise<string[]> {
  const paths: string[] = []
  for (let index = 0; index < count; index += 1) {
    const body = {
      externalTransactionId: `${name}-link-${index}`,
      ItemName: 'Panier de légumes',
      ItemPrice: 7500,
      callBackURL: nowhere,
      successUrl: 'http://127.0.0.1/thanks',
      failureUrl: 'http://127.0.0.1/sorry',
    }
    const response = await call(gatewayUrl, post('/api/v1/transaction/merchant/get-link', body))
    paths.push(new URL(String(response.PaymentUrl)).pathname)
  }
  return paths
}

type ResponseBody = Record<string, unknown>

async function call(
  url: string,
  { method, path, headers, body }: RequestTemplate,
): Promise<ResponseBody> {
  const response = await request(`${url}${path}`, { method, headers, body: body ?? null })
  const responseBody = (await response.body.json()) as ResponseBody
  if (response.statusCode !== 201) throw new Error(`${path}: ${JSON.stringify(responseBody)}`)
  return responseBody
}
