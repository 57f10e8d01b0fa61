import { hash } from 'node:crypto'
import type { Mode } from '#base/config/config.ts'
import { cellOfSecret } from '#base/kit/cell-names.ts'
import { after, type Clock } from '#base/kit/clock.ts'
import { isUuid, newId, randomText } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import { readCellName } from '#merchants/cells/store.ts'
import { isAddressOrNetwork } from './allowed-addresses.ts'
import { unknownClient } from './clients.ts'
import { type KeyRight, keyRights } from './key-rights.ts'
import {
  expireSecrets,
  findDashboardKey,
  insertKey,
  insertSecret,
  type KeyRow,
  lockKey,
  markRevoked,
} from './key-store.ts'
import type { KeyScope } from './scope.ts'
import { findClient } from './store.ts'

export interface KeyOrder {
  clientId: number
  label: string
  /** Left out: all. */
  rights?: readonly KeyRight[]
  /** Left out: it sees what was created with it. */
  scope?: KeyScope
  /** Addresses or networks (10.0.0.0/8) that may use the key; empty: any. */
  allowedAddresses?: string[]
  ratePerMinute?: number | null
  /** A secret chosen in advance, for sandbox demo keys only. */
  secret?: string
  actor: string
}

export interface KeyEnd {
  id: string
  actor: string
}

export interface KeyRotation extends KeyEnd {
  /** How long the secrets of before serve. */
  overlapMs: number
}

/** A key with its secret. Only its hash is stored: it cannot be shown again. */
export interface IssuedKey {
  id: string
  secret: string
}

/** Creates a key for a client. */
export async function issueKey(
  tx: Tx,
  { clock, mode }: { clock: Clock; mode: Mode },
  order: KeyOrder,
): Promise<IssuedKey> {
  const now = clock.now()
  if ((await findClient(tx, order.clientId)) === undefined) throw unknownClient(order.clientId)
  const allowedAddresses = order.allowedAddresses ?? []
  const wrong = allowedAddresses.filter((address) => !isAddressOrNetwork(address))
  if (wrong.length > 0)
    throw new Refusal(
      'validation_failed',
      ...wrong.map((address) => reason('{address} is not an address or network', { address })),
    )
  const key = {
    clientId: order.clientId,
    id: newId(now),
    label: order.label,
    rights: keyRights.filter((one) => order.rights?.includes(one) ?? true),
    scope: order.scope ?? 'key',
    allowedAddresses,
    ratePerMinute: order.ratePerMinute ?? null,
    createdAt: now,
  }
  await insertKey(tx, key)
  if (order.secret !== undefined && mode === 'live') throw new Error('live secrets are random')
  const secret = order.secret ?? (await newSecret(tx, mode))
  await addSecret(tx, key, secret, now)
  await audit(tx, key, order.actor, 'key.issue', now, {
    label: key.label,
    rights: key.rights,
    scope: key.scope,
  })
  return { id: key.id, secret }
}

/** Gives a key a new secret; the old ones stay valid for the overlap. */
export function rotateKey(
  { db, clock, mode }: DbParts & { mode: Mode },
  order: KeyRotation,
): Promise<IssuedKey> {
  return db.transaction(async (tx) => {
    const now = clock.now()
    const key = await lockUsableKey(tx, order.id)
    await expireSecrets(tx, key, after(now, order.overlapMs))
    const secret = await newSecret(tx, mode)
    await addSecret(tx, key, secret, now)
    await audit(tx, key, order.actor, 'key.rotate', now, { overlapMs: order.overlapMs })
    return { id: key.id, secret }
  })
}

/** Revokes a key for good; every process refuses it within a second. */
export function revokeKey({ db, clock }: DbParts, order: KeyEnd): Promise<void> {
  return db.transaction(async (tx) => {
    const now = clock.now()
    const key = await lockUsableKey(tx, order.id)
    await markRevoked(tx, key, now)
    await audit(tx, key, order.actor, 'key.revoke', now, {})
  })
}

/** The hash that a secret is stored and found by. 256 random bits need no salt, no slow hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** A secret that names the cell which hands it out, if this is one. */
async function newSecret(tx: Tx, mode: Mode): Promise<string> {
  const cell = await readCellName(tx)
  return `sk_${mode}_${cell === null ? '' : `${cell}_`}${randomText(32)}`
}

async function addSecret(
  tx: Tx,
  key: { clientId: number; id: string },
  secret: string,
  now: Date,
): Promise<void> {
  await insertSecret(tx, {
    hash: Buffer.from(hashSecret(secret), 'hex'),
    clientId: key.clientId,
    keyId: key.id,
    prefix: prefixOf(secret),
    lastFour: secret.slice(-4),
    createdAt: now,
  })
}

/** The beginning that is no secret: the mode, and the cell if there is one. */
function prefixOf(secret: string): string {
  const mode = secret.slice(0, secret.indexOf('_', 3) + 1)
  const cell = cellOfSecret(secret)
  return cell === undefined ? mode : `${mode}${cell}_`
}

async function lockUsableKey(tx: Tx, id: string): Promise<KeyRow> {
  const key = isUuid(id) ? await lockKey(tx, id) : undefined
  if (key === undefined) throw new Refusal('not_found', reason('There is no key {id}', { id }))
  if (key.revokedAt !== null)
    throw new Refusal('conflict', reason('The key {id} is revoked', { id }))
  if ((await findDashboardKey(tx, key.clientId)) === key.id)
    throw new Refusal(
      'conflict',
      reason('The key {id} is reserved for the dashboard and cannot be changed', { id }),
    )
  return key
}

async function audit(
  tx: Tx,
  key: { clientId: number; id: string },
  actor: string,
  action: string,
  at: Date,
  details: Record<string, unknown>,
): Promise<void> {
  const { clientId, id } = key
  await recordAudit(tx, { at, actor, action, clientId, details: { keyId: id, ...details } })
}
