import { type ParseArgsConfig, parseArgs } from 'node:util'
import { scenarioNames } from './scenarios.ts'

/** Options of `npm run bench`. */
export interface Options {
  scenarios: string[]
  /** Concurrent clients; in an open loop, the most connections. */
  clients: number
  seconds: number
  rounds: number
  /** Requests per second of an open loop; null: a closed loop. */
  rate: number | null
  /** Transactions that the database is filled with first. */
  history: number
  /** A data folder that is kept; null: a new one, removed at the end. */
  data: string | null
  /** Whether a processor profile of the gateway is written to the results folder. */
  isProfiled: boolean
  isJson: boolean
}

/** Options of `npm run bench history` and of what compares payments in turn. */
export interface HistoryOptions {
  transactions: number
  clients: number
  seconds: number
  rounds: number
  /** A filled data folder that is kept; null: a new one, removed at the end. */
  data: string | null
  /** Another checkout of the project that is compared with this one; null: none. */
  checkout: string | null
}

/** Options of `npm run bench pages`. */
export interface PagesOptions {
  /** A filled data folder. */
  data: string
  visits: number
}

/** Options of `npm run bench cells`. */
export interface CellsOptions {
  clients: number
  seconds: number
  rounds: number
  /** Payments a second; null: as many as go. */
  rate: number | null
}

/** Options of `npm run bench open-pages`. */
export interface OpenPagesOptions extends CellsOptions {
  pages: number
}

/** Options of `npm run bench curve`. */
export interface CurveOptions {
  seconds: number
  rounds: number
}

/** Options of `npm run bench soak`. */
export interface SoakOptions {
  minutes: number
  rate: number | null
  clients: number
}

/** All mistakes on the command line, one per line of the message. */
export class UsageError extends Error {}

const ranges = {
  clients: [1, 10_000],
  visits: [1, 10_000],
  pages: [100, 2000],
  seconds: [1, 3600],
  minutes: [1, 10_000],
  rounds: [1, 100],
  rate: [1, 1_000_000],
  history: [0, 100_000_000],
  transactions: [1, 100_000_000],
} as const

const quick = { scenario: 'init,life,status', seconds: '2', rounds: '1' }
const standard = { scenario: 'all', seconds: '10', rounds: '3' }

/** Reads the arguments of `npm run bench --`; throws a UsageError. */
export function readOptions(args: string[]): Options {
  const {
    profile,
    quick: isQuick,
    json,
    ...values
  } = parse(args, {
    scenario: { type: 'string' },
    clients: { type: 'string', default: '256' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    rate: { type: 'string' },
    history: { type: 'string', default: '0' },
    data: { type: 'string' },
    profile: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  const { scenario, ...texts } = { ...(isQuick ? quick : standard), ...values }
  return collectMistakes((mistake) => ({
    scenarios: readScenarios(scenario, mistake),
    clients: readInteger('clients', texts.clients, mistake),
    seconds: readInteger('seconds', texts.seconds, mistake),
    rounds: readInteger('rounds', texts.rounds, mistake),
    rate: readRate(texts.rate, mistake),
    history: readInteger('history', texts.history, mistake),
    data: texts.data ?? null,
    isProfiled: profile,
    isJson: json,
  }))
}

/** Reads the arguments of `npm run bench history --`; throws a UsageError. */
export function readHistoryOptions(args: string[]): HistoryOptions {
  const { data, checkout, ...texts } = parse(args, {
    transactions: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '256' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    data: { type: 'string' },
    checkout: { type: 'string' },
  })
  return collectMistakes((mistake) => ({
    transactions: readInteger('transactions', texts.transactions, mistake),
    clients: readInteger('clients', texts.clients, mistake),
    seconds: readInteger('seconds', texts.seconds, mistake),
    rounds: readInteger('rounds', texts.rounds, mistake),
    data: data ?? null,
    checkout: checkout ?? null,
  }))
}

/** Reads the arguments of `npm run bench pages --`; throws a UsageError. */
export function readPagesOptions(args: string[]): PagesOptions {
  const { data = '', visits } = parse(args, {
    data: { type: 'string' },
    visits: { type: 'string', default: '30' },
  })
  return collectMistakes((mistake) => {
    if (data === '') mistake('--data must name a folder.')
    return { data, visits: readInteger('visits', visits, mistake) }
  })
}

const loadOptions = {
  clients: { type: 'string', default: '256' },
  rate: { type: 'string' },
} as const

interface LoadTexts {
  clients: string
  seconds: string
  rounds: string
  rate?: string | undefined
}

function readLoad(
  { clients, seconds, rounds, rate }: LoadTexts,
  mistake: ReportMistake,
): CellsOptions {
  return {
    clients: readInteger('clients', clients, mistake),
    seconds: readInteger('seconds', seconds, mistake),
    rounds: readInteger('rounds', rounds, mistake),
    rate: readRate(rate, mistake),
  }
}

/** Reads the arguments of `npm run bench open-pages --`; throws a UsageError. */
export function readOpenPagesOptions(args: string[]): OpenPagesOptions {
  const { pages, ...texts } = parse(args, {
    pages: { type: 'string', default: '2000' },
    ...loadOptions,
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '4' },
  })
  return collectMistakes((mistake) => ({
    pages: readInteger('pages', pages, mistake),
    ...readLoad(texts, mistake),
  }))
}

/** Reads the arguments of `npm run bench cells --`; throws a UsageError. */
export function readCellsOptions(args: string[]): CellsOptions {
  const texts = parse(args, {
    ...loadOptions,
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '8' },
  })
  return collectMistakes((mistake) => readLoad(texts, mistake))
}

/** Reads the arguments of `npm run bench curve --`; throws a UsageError. */
export function readCurveOptions(args: string[]): CurveOptions {
  const texts = parse(args, {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  })
  return collectMistakes((mistake) => ({
    seconds: readInteger('seconds', texts.seconds, mistake),
    rounds: readInteger('rounds', texts.rounds, mistake),
  }))
}

/** Reads the arguments of `npm run bench soak --`; throws a UsageError. */
export function readSoakOptions(args: string[]): SoakOptions {
  const { rate, ...texts } = parse(args, {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string' },
    clients: { type: 'string', default: '256' },
  })
  return collectMistakes((mistake) => ({
    minutes: readInteger('minutes', texts.minutes, mistake),
    rate: readRate(rate, mistake),
    clients: readInteger('clients', texts.clients, mistake),
  }))
}

/** Reads a program's options. Prints its usage for --help, or the mistakes, and exits. */
export function readOptionsOrExit<T>(
  { program, usage }: { program: string; usage: string },
  read: (args: string[]) => T,
): T {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return read(args)
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem
    for (const sentence of problem.message.split('\n')) console.error(`${program}: ${sentence}`)
    process.exit(1)
  }
}

type OptionForms = NonNullable<ParseArgsConfig['options']>

function parse<Forms extends OptionForms>(args: string[], options: Forms) {
  try {
    return parseArgs({ args, options }).values
  } catch (problem) {
    throw new UsageError((problem as Error).message)
  }
}

type ReportMistake = (sentence: string) => void

/** Reads all options, then throws all mistakes together. */
function collectMistakes<T>(read: (mistake: ReportMistake) => T): T {
  const mistakes: string[] = []
  const options = read((sentence) => void mistakes.push(sentence))
  if (mistakes.length > 0) throw new UsageError(mistakes.join('\n'))
  return options
}

function readScenarios(text: string, mistake: ReportMistake): string[] {
  if (text === 'all') return scenarioNames
  const wanted = text.split(',').filter(Boolean)
  const unknown = wanted.filter((name) => !scenarioNames.includes(name))
  if (unknown.length > 0 || wanted.length === 0)
    mistake(`--scenario must be all or some of ${scenarioNames.join(', ')}.`)
  return wanted
}

function readRate(text: string | undefined, mistake: ReportMistake): number | null {
  return text === undefined ? null : readInteger('rate', text, mistake)
}

function readInteger(name: keyof typeof ranges, text: string, mistake: ReportMistake): number {
  const [min, max] = ranges[name]
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max))
    mistake(`--${name} must be a whole number from ${min} to ${max}, not "${text}".`)
  return value
}
