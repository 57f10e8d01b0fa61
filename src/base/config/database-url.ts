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

// The driver knows one host; libpq would try each.
const severalServers = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@]*,|[?&]host=[^&]*(?:,|%2c)/i

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
  if (severalServers.test(url)) {
    refuse('DATABASE_URL must name one server: a proxy leads to the primary of several.')
    return null
  }
  const { connectionParameters } = (clientOf(url) ?? {}) as { connectionParameters?: Parameters }
  const replaced = Object.entries(ourSettings).filter(
    ([name, ours]) => connectionParameters !== undefined && connectionParameters[name] !== ours,
  )
  if (replaced.length === 0) return url
  const names = replaced.map(([name]) => name).join(', ')
  refuse(`DATABASE_URL must not have the parameter ${names}, which the gateway sets itself.`)
  return null
}

/**
 * Whether the driver would connect to another machine without TLS, or without proof that the server
 * is the one that was named. The driver itself is asked: the host may be in the query or in PGHOST.
 */
export function isExposedDatabase(url: string): boolean {
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
  const { user = '', database = '' } = clientOf(url) ?? {}
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
