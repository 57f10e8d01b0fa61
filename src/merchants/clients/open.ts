import type { Mode } from '#base/config/config.ts'
import { cached } from '#base/kit/cached.ts'
import type { Log } from '#base/log/log.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Operation } from '#merchants/catalog/services.ts'
import { authenticator } from './authenticate.ts'
import { findBrand, findLogo, findPaperHead } from './brand-store.ts'
import { type ClientChange, changeClient, clientIdOf } from './clients.ts'
import { watchContracts } from './contract.ts'
import { dashboardKey } from './dashboard-key.ts'
import { readKeys } from './key-store.ts'
import {
  issueKey,
  type KeyEnd,
  type KeyOrder,
  type KeyRotation,
  revokeKey,
  rotateKey,
} from './keys.ts'
import { servicesOf } from './offer.ts'
import { inactiveRefusal, mayBegin } from './standing.ts'
import { findClient, findClients, findDemoClients, listClients, readClients } from './store.ts'
import { changeTerms, type TermsOrder } from './terms.ts'
import { readTerms } from './terms-store.ts'
import { openKeyWatch } from './watch-keys.ts'
import { readSecretDates } from './webhook-secret-store.ts'
import { rotateWebhookSecret, type SecretOrder } from './webhook-secrets.ts'

interface ClientParts extends DbParts {
  log: Log
  mode: Mode
  secretKey: SecretKey
}

/** Everything that can be done with clients and their keys. */
export type Clients = ReturnType<typeof openClients>

/** Opens the room; what payments ask is cached for half a second. */
export function openClients(parts: ClientParts) {
  const { db, clock, mode } = parts
  const contractOf = watchContracts(db)
  const isAllowed = async (clientId: number, operation: Operation | null) =>
    mayBegin((await contractOf(clientId)).merchantStatus, mode, operation)
  return {
    authenticate: authenticator(parts),
    watchKey: openKeyWatch(parts),
    contractOf,
    mayBegin: isAllowed,
    /** Refuses what a client may not begin now. */
    async refuseInactive(clientId: number, operation: Operation | null): Promise<void> {
      if (!(await isAllowed(clientId, operation))) throw inactiveRefusal()
    },
    /** How a client's payment pages look. */
    brandOf: cached(500, (clientId: number) => findBrand(db, clientId)),
    /** A logo by its hash, which names the same bytes for good: cached for a minute. */
    logoOf: cached(60_000, (hash: string) => findLogo(db, hash), 100),
    /** The services a client may use, in the catalogue's order. */
    servicesOf: (clientId: number) => servicesOf(db, clientId),
    /** The key of what people make by hand; no request can use it. */
    dashboardKey: (clientId: number) => dashboardKey(parts, clientId),

    // As they are now, and changed
    find: (id: number) => findClient(db, id),
    /** The id of the client of this name or id; refuses an unknown one. */
    idOf: (nameOrId: string) => clientIdOf(db, nameOrId),
    /** Of the clients that a sandbox makes. */
    demoNames: () => findDemoClients(db),
    /** Every client, oldest first. */
    all: () => readClients(db),
    list: (range: ListRange) => listClients(db, range),
    /** The names of the clients that rows are of, by id. */
    async namesOf(rows: { clientId: number }[]): Promise<ClientNames> {
      const ids = [...new Set(rows.map(({ clientId }) => clientId))]
      return new Map((await findClients(db, ids)).map(({ id, name }) => [id, name]))
    },
    change: (order: ClientChange) => changeClient(parts, order),
    findBrand: (clientId: number) => findBrand(db, clientId),
    paperHead: (clientId: number) => findPaperHead(db, clientId),
    termsOf: (clientId: number) => readTerms(db, clientId),
    changeTerms: (order: TermsOrder) => db.transaction((tx) => changeTerms(tx, parts, order)),
    keys: {
      /** Of a client, or of all, newest first. */
      list: (clientId: number | null) => readKeys(db, clientId),
      issue: (order: KeyOrder) => db.transaction((tx) => issueKey(tx, parts, order)),
      rotate: (order: KeyRotation) => rotateKey(parts, order),
      revoke: (order: KeyEnd) => revokeKey(parts, order),
    },
    webhookSecrets: {
      /** When those that sign now were made, newest first, and when they expire. */
      list: (clientId: number) => readSecretDates(db, clientId, clock.now()),
      rotate: (order: SecretOrder) => rotateWebhookSecret(db, parts, order),
    },
  }
}

/** By the clients' ids. */
export type ClientNames = ReadonlyMap<number, string>

type ListRange = Parameters<typeof listClients>[1]
