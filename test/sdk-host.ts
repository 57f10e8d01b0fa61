import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { newClient } from './clients.ts'
import type { killableGateway } from './killable-gateway.ts'
import { assertMoney } from './money.ts'
import { dataFolder } from './program.ts'
import { type Fault, openNetwork } from './sdk-network.ts'
import { eventually } from './wait.ts'

interface Scenario {
  name: string
  client?: object
  merchant?: { funds: number }
  network?: Fault[]
  only?: string[]
  requests?: string[]
}

type Shared = Record<string, object>

const enoughFunds = 5_000_000
// A busy machine must not look like a lost answer.
const answerLimitMs = 120_000
// Far beyond what a runner takes on a busy machine.
const runnerLimitMs = 300_000

/**
 * Runs sdk/scenarios.json with the clients of several languages: against one gateway, through a
 * network that loses what the scenarios say.
 */
export async function openSdkHost(gateway: Awaited<ReturnType<typeof killableGateway>>) {
  const { caller, db, lab, start, kill, expireLeases } = gateway
  const folder = await dataFolder()
  const network = await openNetwork(caller.url, async () => {
    await kill()
    await expireLeases()
    await start()
  })
  const rich = await newMerchant(enoughFunds)

  async function newMerchant(funds: number): Promise<number> {
    const clientId = await newClient(db, clock, funds)
    const change = { isEnabled: true, basisPoints: 200 }
    const all = { clientId, serviceCode: 'all', change, actor: 'test' }
    await db.transaction((tx) => changeTerms(tx, { clock }, all))
    return clientId
  }

  async function newKey(clientId: number): Promise<string> {
    const order = { clientId, label: 'sdk', ratePerMinute: 1_000_000, actor: 'test' }
    const issued = await db.transaction((tx) =>
      issueKey(tx, { clock, mode: 'sandbox' as const }, order),
    )
    return issued.secret
  }

  /** The scenarios for one run of a runner, each with an address and a key of its own. */
  async function prepare(run: string) {
    const { shared, scenarios } = readTable()
    const prepared = []
    for (const [index, scenario] of scenarios.entries()) {
      const filled = fill(scenario, { shared, run, scenario: String(index) }) as Scenario
      const { merchant, network: faults = [], only } = filled
      if (only?.includes(run) === false) continue
      const clientId = merchant === undefined ? rich : await newMerchant(merchant.funds)
      const { url: baseUrl, ...came } = network.open(`${run}-${index}`, faults)
      const forRunner = {
        ...filled,
        client: { timeoutMs: answerLimitMs, ...scenario.client },
        baseUrl,
        apiKey: await newKey(clientId),
      }
      prepared.push({ scenario, came, forRunner })
    }
    return prepared
  }

  return {
    /** Runs all scenarios by a command, and returns what was not as the table says. */
    async run(language: string, [command = '', ...args]: string[]): Promise<string[]> {
      const prepared = await prepare(language)
      const file = join(folder, `${language}.json`)
      await writeFile(file, JSON.stringify(prepared.map(({ forRunner }) => forRunner)))
      const printed = await runCommand(command, [...args, file])
      const reports = new Map(readReports(printed).map(({ name, problem }) => [name, problem]))
      assert.equal(reports.size, prepared.length, `${language} reported ${reports.size} scenarios`)
      return prepared.flatMap(({ scenario: { name, requests: wanted }, came }) => {
        const { requests, problems } = came
        const problem = reports.get(name)
        if (problem !== null) return [`${name}: ${problem ?? 'not reported'}`]
        if (problems.length > 0) return problems.map((one) => `${name}: ${one}`)
        return wanted === undefined || areThese(requests, wanted)
          ? []
          : [`${name}: the requests were ${requests.join(', ')}`]
      })
    },

    /** Fails unless every payment that can end has ended, once, and the ledger agrees. */
    async proveMoney(): Promise<void> {
      await eventually('the end of all payments', async () => {
        // The lab never ends orders of this number.
        const [row] = await db<{ open: number }>`
          select count(*) as open from transactions
          where completed_at is null and phone <> '770000004'`
        return row?.open === 0
      })
      await assertMoney({ db, lab })
    },
  }
}

function readTable(): { shared: Shared; scenarios: Scenario[] } {
  return JSON.parse(readFileSync(new URL('../sdk/scenarios.json', import.meta.url), 'utf8'))
}

/** Fills `{run}` and `{scenario}` in, and what `+` names. */
function fill(value: unknown, known: { shared: Shared; run: string; scenario: string }): unknown {
  if (typeof value === 'string')
    return value.replaceAll('{run}', known.run).replaceAll('{scenario}', known.scenario)
  if (Array.isArray(value)) return value.map((one) => fill(one, known))
  if (typeof value !== 'object' || value === null) return value
  const { '+': name = '', ...own } = value as Record<string, unknown> & { '+'?: string }
  const all = { ...known.shared[name], ...own }
  return Object.fromEntries(Object.entries(all).map(([key, one]) => [key, fill(one, known)]))
}

async function runCommand(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: runnerLimitMs,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    child.exitCode ?? once(child, 'exit'),
  ])
  assert.equal(child.exitCode, 0, `${command} ${args.join(' ')}: ${stderr}`)
  return stdout
}

function readReports(printed: string): { name: string; problem: string | null }[] {
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** Whether these requests came; `{id}` stands for any last part of a path. */
function areThese(requests: string[], wanted: string[]): boolean {
  const isThis = (request: string, pattern = '') =>
    pattern.endsWith('{id}') ? request.replace(/[^/]+$/, '{id}') === pattern : request === pattern
  return (
    requests.length === wanted.length &&
    requests.every((request, index) => isThis(request, wanted[index]))
  )
}
