/*
 * Finds, of several servers, the one that takes changes, and leaves it when another one does. The
 * driver knows one server only. Nothing here is on the way of a statement: a connection that is
 * open is used as it is, until it breaks, its server turns read-only or another one is found.
 */
import { callbackify } from 'node:util'
import pg from 'pg'
import { isSearched, serversOf } from '../config/database-url.ts'
import { monotonicMs } from '../kit/clock.ts'
import { DatabaseSilent } from './errors.ts'
import { streamOf } from './stream-of.ts'

// As long as a server that does not answer has when it is watched (watch-server.ts).
const answerWithinMs = 3000
// Callers do not make the servers be asked more often than this.
const restMs = 200

/** The servers of one address. */
export interface Primary {
  /** Resolves once the server that takes changes is known; `DatabaseSilent`: there is none. */
  find(): Promise<string>
  /** It broke a connection or does not answer: the servers are asked before the next connection. */
  doubt(): void
  /** Asks all servers whether another one was promoted meanwhile, and then leaves this one. */
  reconsider(): Promise<void>
  /** Connections to it, for a pool. */
  readonly Client: typeof pg.Client
}

/** The servers of an address that names several; undefined: there is nothing to find. */
export function openPrimary(url: string): Primary | undefined {
  if (!isSearched(url)) return undefined
  const servers = serversOf(url)
  const open = new Map<pg.Client, string>()
  let known: string | undefined
  let timelineMin = 0
  let search: Promise<string> | undefined
  let failed: { atMs: number; problem: Error } | undefined

  async function searchAll(): Promise<string> {
    const found = await ask(servers, { timelineMin, isFirstEnough: timelineMin > 0 })
    if (found === undefined) {
      const problem = new DatabaseSilent('no server of the database takes changes')
      failed = { atMs: monotonicMs(), problem }
      throw problem
    }
    return settle(found)
  }

  function settle({ url: address, timeline }: Found): string {
    timelineMin = timeline
    known = address
    // What was asked of another server and not answered is unknown or rolled back.
    for (const [client, its] of open)
      if (its !== address) streamOf(client).destroy(new Error('Connection terminated'))
    return address
  }

  const doubt = () => {
    known = undefined
  }
  const reconsider = async () => {
    const found = await ask(servers, { timelineMin, isFirstEnough: false })
    if (found !== undefined && found.timeline > timelineMin) settle(found)
  }
  const find = async () => {
    if (known !== undefined) return known
    if (failed !== undefined && monotonicMs() - failed.atMs < restMs) throw failed.problem
    search ??= searchAll().finally(() => {
      search = undefined
    })
    return search
  }
  const [first = url] = servers
  const Client = clientOf({ first, find, doubt, known: () => known, open })
  return { find, doubt, reconsider, Client }
}

/** The address of the server that takes changes, for a single connection. */
export async function primaryOf(url: string): Promise<string> {
  return (await openPrimary(url)?.find()) ?? url
}

interface Connections {
  /** Any of the servers: login, database and options are the same for all. */
  first: string
  find(): Promise<string>
  known(): string | undefined
  doubt(): void
  open: Map<pg.Client, string>
}

function clientOf({ first, find, known, doubt, open }: Connections): typeof pg.Client {
  return class extends pg.Client {
    #address: string | undefined

    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionString: first })
      this.on('error', () => this.#doubt())
      this.once('end', () => open.delete(this))
      // The server tells both at the beginning of a session and when they change.
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
        const isReadOnly = /^(in_hot_standby|default_transaction_read_only)$/.test(parameterName)
        if (isReadOnly && parameterValue === 'on')
          streamOf(this).destroy(new DatabaseSilent('the server takes no changes'))
      })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (problem: Error) => void): void
    override connect(callback?: (problem: Error) => void): Promise<pg.Client> | void {
      if (callback === undefined) return this.#connect()
      callbackify(() => this.#connect())(callback)
    }

    async #connect(): Promise<pg.Client> {
      const address = await find()
      this.#address = address
      open.set(this, address)
      Object.assign(this, placeOf(address))
      try {
        await super.connect()
      } catch (problem) {
        this.#doubt()
        throw problem
      }
      return this
    }

    /** Leaving a server that was given up before is no news. */
    #doubt(): void {
      if (this.#address === known()) doubt()
    }
  }
}

function placeOf(address: string): { host: string; port: number } {
  const { host, port } = new pg.Client({ connectionString: address })
  return { host, port }
}

interface Known {
  /** The highest number of a timeline that was seen. */
  timelineMin: number
  /** Whether a server of that timeline is taken without waiting for the others' answers. */
  isFirstEnough: boolean
}

interface Found {
  url: string
  timeline: number
}

/**
 * Asks all servers at once. Of two that take changes, the one that was promoted later is the
 * primary: each promotion begins a timeline with a higher number. One with a lower number than was
 * known before is an old primary that runs again; what is written to it would be lost.
 */
async function ask(servers: string[], known: Known): Promise<Found | undefined> {
  const { promise: first, resolve } = Promise.withResolvers<Found | undefined>()
  const answers = servers.map(async (url) => {
    const timeline = await askTimeline(url).catch(() => undefined)
    if (timeline === undefined || timeline < known.timelineMin) return undefined
    const found = { url, timeline }
    if (known.isFirstEnough || (known.timelineMin > 0 && timeline > known.timelineMin))
      resolve(found)
    return found
  })
  const askLast = async () => {
    const found = (await Promise.all(answers)).filter((one) => one !== undefined)
    resolve(found.sort((one, other) => other.timeline - one.timeline)[0])
  }
  void askLast()
  return first
}

/** The number of a server's timeline; undefined: it takes no changes. */
async function askTimeline(url: string): Promise<number | undefined> {
  const limits = { connectionTimeoutMillis: answerWithinMs, query_timeout: answerWithinMs }
  const client = new pg.Client({ connectionString: url, application_name: 'passerelle', ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(`
      select case
        when not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'
        then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`)
    const timeline: string | null = rows[0].timeline
    return timeline === null ? undefined : Number.parseInt(timeline, 16)
  } finally {
    void client.end().catch(() => {})
  }
}
