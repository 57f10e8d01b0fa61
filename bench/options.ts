import type { ParseArgsConfig } from 'node:util'
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

/** What a run against history is told. */
export interface HistoryOptions {
  transactions: number
  clients: number
  seconds: number
  rounds: number
  /** A filled data folder to use and to keep; null: a new one, removed at the end. */
  data: string | null
}

/** What a long run is told. */
export interface SoakOptions {
  minutes: number
  rate: number | null
  clients: number
  processes: number
}

/** All mistakes on the command line, a sentence each. */
export class Misuse extends Error {}

const ranges = {
  clients: [1, 10_000],
  seconds: [1, 3600],
  minutes: [1, 10_000],
  rounds: [1, 100],
  rate: [1, 1_000_000],
  processes: [1, 64],
  history: [0, 100_000_000],
  transactions: [1, 100_000_000],
} as const

const quick = { scenario: 'init,life,status', seconds: '2', rounds: '1' }
const usual = { scenario: 'all', seconds: '10', rounds: '3' }

/** Reads the words after `npm run bench --`, or throws what is wrong with them. */
export function readOptions(words: string[]): Options {
  const {
    profile,
    quick: isQuick,
    json,
    ...values
  } = parse(words, {
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
  })
  const { scenario, ...texts } = { ...(isQuick ? quick : usual), ...values }
  return collect((wrong) => ({
    scenarios: readScenarios(scenario, wrong),
    clients: readWhole('clients', texts.clients, wrong),
    seconds: readWhole('seconds', texts.seconds, wrong),
    rounds: readWhole('rounds', texts.rounds, wrong),
    rate: texts.rate === undefined ? null : readWhole('rate', texts.rate, wrong),
    processes: readWhole('processes', texts.processes, wrong),
    history: readWhole('history', texts.history, wrong),
    data: texts.data ?? null,
    isProfiled: profile,
    isJson: json,
  }))
}

/** Reads the words after `npm run bench:history --`, or throws what is wrong with them. */
export function readHistoryOptions(words: string[]): HistoryOptions {
  const { data, ...texts } = parse(words, {
    transactions: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '256' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    data: { type: 'string' },
  })
  return collect((wrong) => ({
    transactions: readWhole('transactions', texts.transactions, wrong),
    clients: readWhole('clients', texts.clients, wrong),
    seconds: readWhole('seconds', texts.seconds, wrong),
    rounds: readWhole('rounds', texts.rounds, wrong),
    data: data ?? null,
  }))
}

/** Reads the words after `npm run bench:soak --`, or throws what is wrong with them. */
export function readSoakOptions(words: string[]): SoakOptions {
  const { rate, ...texts } = parse(words, {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string' },
    clients: { type: 'string', default: '256' },
    processes: { type: 'string', default: '1' },
  })
  return collect((wrong) => ({
    minutes: readWhole('minutes', texts.minutes, wrong),
    rate: rate === undefined ? null : readWhole('rate', rate, wrong),
    clients: readWhole('clients', texts.clients, wrong),
    processes: readWhole('processes', texts.processes, wrong),
  }))
}

/** What a program was told; it ends here when that makes no sense. */
export function optionsOrEnd<T>(program: string, read: (words: string[]) => T): T {
  try {
    return read(process.argv.slice(2))
  } catch (problem) {
    if (!(problem instanceof Misuse)) throw problem
    for (const sentence of problem.message.split('\n')) console.error(`${program}: ${sentence}`)
    process.exit(1)
  }
}

type Forms = NonNullable<ParseArgsConfig['options']>

function parse<F extends Forms>(args: string[], options: F) {
  try {
    return parseArgs({ args, options }).values
  } catch (problem) {
    throw new Misuse((problem as Error).message)
  }
}

type Wrong = (sentence: string) => void

function collect<T>(read: (wrong: Wrong) => T): T {
  const sentences: string[] = []
  const options = read((sentence) => void sentences.push(sentence))
  if (sentences.length > 0) throw new Misuse(sentences.join('\n'))
  return options
}

function readScenarios(text: string, wrong: Wrong): string[] {
  if (text === 'all') return scenarioNames
  const wanted = text.split(',').filter(Boolean)
  const unknown = wanted.filter((name) => !scenarioNames.includes(name))
  if (unknown.length > 0 || wanted.length === 0)
    wrong(`--scenario must be all or some of ${scenarioNames.join(', ')}.`)
  return wanted
}

function readWhole(name: keyof typeof ranges, text: string, wrong: Wrong): number {
  const [least, most] = ranges[name]
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most))
    wrong(`--${name} must be a whole number from ${least} to ${most}, not "${text}".`)
  return value
}
