import { header } from './fields.ts'
import type { Call } from './router.ts'

const lifetimeMs = 3_600_000

/** A bearer token that `hasValidToken` accepts for an hour, also after a restart of the lab. */
export function issueToken(connector: string): string {
  return `lab.${connector}.${Date.now() + lifetimeMs}`
}

/** Whether the request has a token that was issued for its connector and has not expired. */
export function hasValidToken(call: Call): boolean {
  const [, connector, expiresAt] =
    /^Bearer lab\.([\w-]+)\.(\d+)$/.exec(header(call, 'authorization')) ?? []
  return connector === call.mount.connector && Number(expiresAt) > Date.now()
}
