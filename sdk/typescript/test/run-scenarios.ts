import { readFileSync } from 'node:fs'
import type { OrderOptions } from '../src/index.ts'
import * as sdk from '../src/index.ts'
import { difference } from './compare.ts'

// node run-scenarios.ts FILE: does what each scenario says and reports it, as sdk/README.md tells.

interface Step {
  verb: string
  args: unknown[]
  as?: string
  parallel?: number
  take?: number
  giveUpMs?: number
  expect?: unknown
  error?: { type: string } & Record<string, unknown>
}

interface Scenario {
  name: string
  baseUrl: string
  apiKey: string
  client?: { apiKey?: string; timeoutMs?: number; tries?: number }
  alone?: boolean
  steps: Step[]
}

type Known = Record<string, unknown>
type Verbs = Record<string, (...args: unknown[]) => unknown>

const atOnce = 16
const orders = new Set('collect payOut sellAirtime payBill refund createLink'.split(' '))
const scenarios = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Scenario[]
const queue = scenarios.filter(({ alone }) => !alone)
await Promise.all(Array.from({ length: atOnce }, workOff))
for (const scenario of scenarios.filter(({ alone }) => alone)) await report(scenario)

async function workOff(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await report(next)
}

async function report(scenario: Scenario): Promise<void> {
  const problem = await run(scenario).catch((error: unknown) => String(error))
  console.log(JSON.stringify({ name: scenario.name, problem }))
}

async function run({ baseUrl, apiKey, client: options, steps }: Scenario): Promise<string | null> {
  const settings = { baseUrl, apiKey, ...options }
  const client = new sdk.Passerelle(settings) as unknown as Verbs
  const known: Known = {}
  for (const [index, step] of steps.entries()) {
    const times = Array.from({ length: step.parallel ?? 1 }, (_, n) => n)
    const problems = await Promise.all(
      times.map((n) => runStep(client, step, known, { n, secret: settings.apiKey })),
    )
    const problem = problems.find((one) => one !== null)
    if (problem) return `step ${index + 1}, ${step.verb}: ${problem}`
  }
  return null
}

async function runStep(
  client: Verbs,
  step: Step,
  known: Known,
  { n, secret }: { n: number; secret: string },
): Promise<string | null> {
  const seen = { ...known, n: String(n) }
  const announced: string[] = []
  const args = fill(step.args, seen) as unknown[]
  const beforeSend = (id: string) => void announced.push(id)
  const signal = signalOf(step)
  try {
    const result = await call(client, step, args, { ...(signal && { signal }), beforeSend })
    if (step.as !== undefined) known[step.as] = result
    if (step.error !== undefined) return `no error, but ${JSON.stringify(result)}`
    const id = (result as { externalTransactionId?: string }).externalTransactionId
    if (orders.has(step.verb) && (announced.length !== 1 || announced[0] !== id))
      return `beforeSend was given ${announced.join()}, the result has ${id}`
    return difference(result, fill(step.expect, seen))
  } catch (error) {
    if (step.error?.type === 'GivenUp')
      return error === signal?.reason ? null : `${String(error)}, not the reason of the signal`
    if (step.error === undefined || !(error instanceof Error)) return String(error)
    const texts = [error.message, error.stack, JSON.stringify(error), String(error.cause)]
    if (texts.some((text) => text?.includes(secret))) return 'the error tells the key'
    const { type, ...fields } = fill(step.error, seen) as { type: string }
    const own = error instanceof TypeError ? 'ArgumentError' : error.name
    if (own !== type) return `${error.stack} instead of ${type}`
    if (error instanceof sdk.OutcomeUnknownError && announced[0] !== error.externalTransactionId)
      return `beforeSend was given ${announced.join()}`
    return difference(error, fields)
  }
}

async function call(
  client: Verbs,
  { verb, take }: Step,
  args: unknown[],
  options: OrderOptions,
): Promise<unknown> {
  if (verb === 'open') return open(args as [string, string, 'fr'])
  if (verb === 'verifyWebhook')
    return sdk.verifyWebhook(...(args as Parameters<typeof sdk.verifyWebhook>))
  // The options of an order come after its own arguments, of which refunds have two.
  const own = verb === 'refund' ? [args[0], args[1] ?? {}] : args
  const { signal } = options
  const last = orders.has(verb) ? [options] : signal === undefined ? [] : [{ signal }]
  const result = await client[verb]?.(...own, ...last)
  if (Array.isArray(result)) return result.slice(0, take)
  const isIterable = typeof result === 'object' && result !== null && Symbol.asyncIterator in result
  return isIterable ? collectItems(result as AsyncIterable<unknown>, take) : result
}

function open([baseUrl, apiKey, language]: [string, string, 'fr'?]): unknown {
  return new sdk.Passerelle({ baseUrl, apiKey, ...(language === undefined ? {} : { language }) })
}

/** Ends a call that is to be given up. */
function signalOf({ giveUpMs }: Step): AbortSignal | undefined {
  if (giveUpMs === undefined) return undefined
  return giveUpMs === 0 ? AbortSignal.abort() : AbortSignal.timeout(giveUpMs)
}

async function collectItems(from: AsyncIterable<unknown>, most = Infinity): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const item of from) {
    items.push(item)
    if (items.length >= most) break
  }
  return items
}

/** Fills in what earlier steps gave: `{paid.transactionId}`. */
function fill(value: unknown, known: Known): unknown {
  if (Array.isArray(value)) return value.map((one) => fill(one, known))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, known)]))
  if (typeof value !== 'string') return value
  const whole = /^\{([\w.]+)\}$/.exec(value)?.[1]
  if (whole !== undefined) return lookUp(known, whole)
  return value.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => String(lookUp(known, path)))
}

function lookUp(known: Known, path: string): unknown {
  return path.split('.').reduce<unknown>((from, name) => (from as Known)[name], known)
}
