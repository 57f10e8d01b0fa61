import pg from 'pg'

// What the gateway sets for each of its connections: a role that may not change the ledger, limits.
// The driver lets parameters of an address replace it.
const ourSettings = {
  options: 'ours',
  statement_timeout: 1,
  lock_timeout: 1,
  idle_in_transaction_session_timeout: 1,
  query_timeout: 1,
  replication: 'ours',
  client_encoding: 'ours',
}

type Parameters = Record<string, unknown>

/**
 * DATABASE_URL as the driver is given it, or null if it cannot be used. Modes that `pg` treats as
 * verify-full are named so: for each it would print a warning.
 */
export function readDatabaseUrl(
  value: string | undefined,
  refuse: (sentence: string) => void,
): string | null {
  if (value === undefined) return null
  // PostgreSQL accepts `postgresql://user@/database?host=/socket/folder`, which is no valid URL.
  if (!/^postgres(ql)?:\/\/[^\s]+$/.test(value)) {
    refuse('DATABASE_URL must look like postgresql://user:password@host:5432/database.')
    return null
  }
  const url = value.includes('uselibpqcompat=true')
    ? value
    : value.replaceAll(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/g, '$1verify-full')
  const problem = problemOfServers(url)
  if (problem !== undefined) {
    refuse(problem)
    return null
  }
  const { connectionParameters } = (clientOf(serversOf(url)[0] ?? url) ?? {}) as {
    connectionParameters?: Parameters
  }
  const replaced = Object.entries(ourSettings).filter(
    ([name, ours]) => connectionParameters !== undefined && connectionParameters[name] !== ours,
  )
  if (replaced.length === 0) return url
  const names = replaced.map(([name]) => name).join(', ')
  refuse(`DATABASE_URL must not have the parameter ${names}, which the gateway sets itself.`)
  return null
}

const oneOfSeveral = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/
const wantedSession = /[?&]target_session_attrs=([^&]*)/

/** The address of each server of `postgresql://user@one:5432,two:5432/database`, in their order. */
export function serversOf(url: string): string[] {
  const [, login = '', hosts = '', rest = ''] = oneOfSeveral.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${login}${host}${rest}`) : [url]
}

/** Whether the server has to be looked for: there are several, or the address asks for it. */
export function isSearched(url: string): boolean {
  return wantedSession.test(url) || serversOf(url).length > 1
}

function problemOfServers(url: string): string | undefined {
  const wanted = wantedSession.exec(url)?.[1] ?? 'read-write'
  if (!['read-write', 'primary'].includes(wanted))
    return 'DATABASE_URL must have target_session_attrs=read-write: a gateway needs the primary.'
  const [, , hosts = ''] = oneOfSeveral.exec(url) ?? []
  if (/[?&]host=[^&]*(,|%2c)/i.test(url) || hosts.split(',').some((host) => hosts && !host))
    return 'DATABASE_URL names several servers as postgresql://user@one:5432,two:5432/database.'
  return undefined
}

/**
 * Whether the driver would connect to another machine without TLS, or without proof that the server
 * is the one that was named. The driver itself is asked: the host may be in the query or in PGHOST.
 */
export function isExposedDatabase(url: string): boolean {
  return serversOf(url).some(isExposedServer)
}

function isExposedServer(url: string): boolean {
  const client = clientOf(url)
  // The driver refuses it, and a start says why.
  if (client === undefined) return false
  const { host } = client
  const isNear = host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host)
  const ssl: unknown = client.ssl
  if (isNear || ssl === true) return false
  if (typeof ssl !== 'object' || ssl === null) return true
  const { rejectUnauthorized, checkServerIdentity } = ssl as Parameters
  return rejectUnauthorized === false || checkServerIdentity !== undefined
}

/** As whom an address connects, and to which database. */
export function loginOf(url: string): { login: string; database: string } {
  const { user = '', database = '' } = clientOf(serversOf(url)[0] ?? url) ?? {}
  return { login: user, database }
}

/** The driver's client for an address, which is not connected; undefined if it refuses it. */
function clientOf(url: string): pg.Client | undefined {
  try {
    return new pg.Client({ connectionString: url, ...ourSettings })
  } catch {
    return undefined
  }
}
