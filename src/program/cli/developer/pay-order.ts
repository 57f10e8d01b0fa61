import { randomText } from '#base/kit/ids.ts'
import { nearest } from '#base/kit/nearest.ts'
import { Problem } from '#base/kit/problem.ts'
import { type Country, countries } from '#merchants/catalog/countries.ts'
import { demoPhones } from '#merchants/catalog/demo-numbers.ts'
import { likelyProvider, readPhone } from '#merchants/catalog/phone.ts'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import type { Gateway } from './gateway.ts'
import type { Order } from './payments.ts'
import type { Choice, Questions } from './questions.ts'

/** What the options of `pay` may say of a payment; what is left out is asked for. */
export interface PayOptions {
  service?: string
  number?: string
  amount?: number
  externalId?: string
  callbackUrl?: string
}

const usualAmount = 5000
// Nobody needs to listen there: the event is in the feed too.
const usualCallbackUrl = 'http://127.0.0.1:9000/webhooks'
const usualNumbers: Record<Country, string> = {
  SN: '771234567',
  ML: '070123456',
  CI: '712345678',
  CM: '671234567',
}

/** Makes the order of a payment, of options, of answers to questions, and of what is usual. */
export async function makeOrder(
  gateway: Gateway,
  options: PayOptions,
  questions: Questions | null,
): Promise<{ order: Order; service: Service }> {
  const { services } = await gateway.get('/api/v1/api-services/services')
  const offered = services
    .filter(({ serviceType }: { serviceType: string }) => serviceType !== 'BILL')
    .flatMap(({ serviceCode }: { serviceCode: string }) => parseServiceCode(serviceCode) ?? [])
    .toSorted(collectionsFirst)
  const service = await serviceOf(options.service, offered, questions)
  const number = await numberOf(options.number, service, gateway.isSandbox, questions)
  const amount = options.amount ?? (await amountOf(questions))
  const callBackURL = options.callbackUrl ?? usualCallback(gateway)
  const { origin } = new URL(callBackURL)
  const order = {
    externalTransactionId: options.externalId ?? `pay-${randomText(6)}`,
    serviceCode: service.code,
    amount,
    number,
    callBackURL,
    successUrl: `${origin}/thanks`,
    failureUrl: `${origin}/sorry`,
  }
  return { order, service }
}

function usualCallback({ isSandbox }: Gateway): string {
  if (isSandbox) return usualCallbackUrl
  throw new Problem('A live payment needs --callback-url, the address of yours for its webhook.')
}

async function serviceOf(
  code: string | undefined,
  offered: Service[],
  questions: Questions | null,
): Promise<Service> {
  const [first] = offered
  if (first === undefined)
    throw new Problem('No wallet is enabled for this account: ask the operator of the gateway.')
  if (code !== undefined) return offeredService(code, offered)
  if (questions === null) return first
  const codes = [...new Set(offered.map(({ country }) => country))]
  const places = codes.map((value) => ({ value, text: countries[value].name }))
  const country = places.length > 1 ? await questions.choose('Which country?', places) : codes[0]
  const there = offered.filter((one) => one.country === country)
  const choices = there.map((one) => ({ value: one.code, text: describe(one) }))
  return offeredService(await questions.choose('Which wallet?', choices), offered)
}

const operations = ['CASHOUT', 'CASHIN', 'AIRTIME']

function collectionsFirst(one: Service, other: Service): number {
  return operations.indexOf(one.operation) - operations.indexOf(other.operation)
}

const verbs: Record<string, string> = {
  CASHOUT: 'collect from',
  CASHIN: 'pay out to',
  AIRTIME: 'recharge a phone of',
}

/** A service in words: collect from Wallet A (WALLETA_SN_CASHOUT). */
export function describe({ operation, code, provider }: Service): string {
  const name = provider.replace(/^(WALLET|OPERATOR)(.)$/, (_, kind: string, which: string) =>
    kind === 'WALLET' ? `Wallet ${which}` : `Operator ${which}`,
  )
  return `${verbs[operation]} ${name} (${code})`
}

function offeredService(code: string, offered: Service[]): Service {
  const found = offered.find((one) => one.code === code.toUpperCase())
  if (found !== undefined) return found
  if (parseServiceCode(code.toUpperCase())?.operation === 'BILL')
    throw new Problem(
      `${code} pays bills: see docs/bills.md, or \`passerelle trigger bill.success\`.`,
    )
  const codes = offered.map((one) => one.code)
  const near = nearest(code, codes)
  const hint = near === undefined ? `There are: ${codes.join(', ')}` : `Did you mean ${near}?`
  throw new Problem(`${code}is not a service of this account. ${hint}`)
}

async function numberOf(
  text: string | undefined,
  service: Service,
  isSandbox: boolean,
  questions: Questions | null,
): Promise<string> {
  const read = (typed: string) => readNumber(typed, service)
  if (text !== undefined || questions === null) {
    const found = read(text ?? usualNumbers[service.country])
    if ('problem' in found) throw new Problem(found.problem)
    return found.value
  }
  if (isSandbox)
    return questions.choose('Whose number? It decides what happens:', demoChoices(service), read)
  const typed = await questions.ask('Customer’s number', '', (one) => {
    const found = read(one)
    return 'problem' in found ? found.problem : null
  })
  const found = read(typed)
  return 'value' in found ? found.value : typed
}

/** The numbers of a sandbox; any other may be typed. */
function demoChoices({ country }: Service): Choice[] {
  const usual = usualNumbers[country]
  return [
    { value: usual, text: `${usual}  Approved after a second, like any other number` },
    ...demoPhones.map(({ number, en }) => ({ value: number, text: `${number}  ${en}` })),
  ]
}

/** Nine digits of a number in any form that people write, or what is wrong with it. */
function readNumber(text: string, service: Service): { value: string } | { problem: string } {
  const { country, code } = service
  const here = countries[country].name
  const reading = readPhone(text, [country], country)
  if (reading.kind === 'phone') return { value: reading.phone }
  if (reading.problem === 'phone_country') {
    const elsewhere = readPhone(text, Object.keys(countries))
    const where =
      elsewhere.kind === 'phone'
        ? `is a number of ${countries[elsewhere.country as Country].name}`
        : 'is of no country that is served'
    return { problem: `${text} ${where}, and ${code} is a wallet of ${here}.` }
  }
  const example = usualNumbers[country]
  return { problem: `${text} is not a number of ${here}: type nine digits, such as ${example}.` }
}

/** A remark when the first digits of a number are those of another wallet; null: none. */
export function walletRemark(number: string, { country, provider, operation }: Service) {
  const isDemo = demoPhones.some((one) => one.number === number)
  const likely = isDemo || operation === 'AIRTIME' ? null : likelyProvider(number, country)
  return likely === null || likely === provider
    ? null
    : `${number} looks like a number of ${likely}, not of ${provider}; people may keep theirs.`
}

async function amountOf(questions: Questions | null): Promise<number> {
  if (questions === null) return usualAmount
  const text = await questions.ask('Amount in F CFA', String(usualAmount), amountProblem)
  return Number(text.replaceAll(' ', ''))
}

function amountProblem(text: string): string | null {
  return /^\d{1,9}$/.test(text.replaceAll(' ', '')) ? null : 'Type whole francs, such as 5000.'
}
