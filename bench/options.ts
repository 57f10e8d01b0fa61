import { parseArgs } from 'node:util'
import { scenarioNames } from './scenarios.ts'

/** What a run of the benchmark is told. */
export interface Options {
  scenarios: string[]
  /** Callers at the same time; in an open loop, connections at most. */
  clients: number
  seconds: number
  rounds: number
  /** Requests a second whatever the answers do; null: each caller waits for its last answer. */
  rate: number | null
  /** Processes of the gateway behind its port. */
  processes: number
  /** Transactions to fill the database with first. */
  history: number
  /** A data folder to use and to keep; null: a new one, removed at the end. */
  data: string | null
  /** Whether to keep a profile of the gateway's processor time beside the results. */
  isProfiled: boolean
  isJson: boolean
}

/** A mistake on the command line, in one sentence. */
export class Misuse extends Error {}

const quick = { scenario: 'init,life,status', seconds: '2', rounds: '1' }
const usual = { scenario: 'all', seconds: '10', rounds: '3' }

/** Reads the words after `npm run bench --`, or throws what is wrong with them. */
export function readOptions(words: string[]): Options {
  const { values } = parse(words)
  const base = values.quick ? quick : usual
  const { scenario = base.scenario, seconds = base.seconds, rounds = base.rounds } = values
  return {
    scenarios: readScenarios(scenario),
    clients: readWhole('--clients', values.clients, 1, 10_000),
    seconds: readWhole('--seconds', seconds, 1, 3600),
    rounds: readWhole('--rounds', rounds, 1, 100),
    rate: values.rate === undefined ? null : readWhole('--rate', values.rate, 1, 1_000_000),
    processes: readWhole('--processes', values.processes, 1, 64),
    history: readWhole('--history', values.history, 0, 100_000_000),
    data: values.data ?? null,
    isProfiled: values.profile,
    isJson: values.json,
  }
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: {
        scenario: { type: 'string' },
        clients: { type: 'string', default: '256' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        rate: { type: 'string' },
        processes: { type: 'string', default: '1' },
        history: { type: 'string', default: '0' },
        data: { type: 'string' },
        profile: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
  } catch (problem) {
    throw new Misuse((problem as Error).message)
  }
}

function readScenarios(text: string): string[] {
  if (text === 'all') return scenarioNames
  const wanted = text.split(',').filter(Boolean)
  const unknown = wanted.filter((name) => !scenarioNames.includes(name))
  if (unknown.length > 0 || wanted.length === 0)
    throw new Misuse(`--scenario must be all or some of ${scenarioNames.join(', ')}.`)
  return wanted
}

/** A whole number between two others. */
export function readWhole(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new Misuse(`${name} must be a whole number from ${least} to ${most}, not "${text}".`)
}
