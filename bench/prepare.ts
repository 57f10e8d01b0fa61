import { changeTerms, createClient } from '../src/clients/clients.ts'
import { issueKey } from '../src/clients/keys.ts'
import { addWebhookSecret } from '../src/clients/webhook-secrets.ts'
import { readConfig } from '../src/config/config.ts'
import type { Db } from '../src/db/db.ts'
import { openPool } from '../src/db/server.ts'
import type { Clock } from '../src/kit/clock.ts'
import { systemClock } from '../src/kit/clock.ts'
import { settle } from '../src/ledger/settlement.ts'
import { insertAccounts } from '../src/ledger/store.ts'

const actor = 'benchmark'
// Enough for any run, and far from what a whole number can hold.
const plenty = 1_000_000_000_000
const unlimited = 100_000_000
export const demoSecret = 'sk_sandbox_demo_enterprise'

/** The gateway's database, with the application's rights. */
export function openGatewayDb(socketFolder: string): Db {
  const host = encodeURIComponent(socketFolder)
  return openPool(`postgresql://passerelle@/passerelle?host=${host}&port=5432&sslmode=disable`)
}

/** Gives the demo merchant money that no run can spend. */
export async function fundDemo(db: Db, name: string): Promise<void> {
  const now = systemClock.now()
  await db.transaction((tx) =>
    settle(tx, { clientId: 1, amount: plenty, ref: `benchmark ${name}`, now, actor }),
  )
}

/** Creates merchants with money and services, and answers with a key of each. */
export async function createMerchants(
  db: Db,
  name: string,
  count: number,
  clock: Clock = systemClock,
): Promise<string[]> {
  const { secretKey } = readConfig({})
  const secrets: string[] = []
  for (let one = 0; one < count; one += 1)
    await db.transaction(async (tx) => {
      const now = clock.now()
      const clientId = await createClient(tx, clock, { name: `Banc ${name} ${one}`, actor })
      await insertAccounts(tx, clientId, now)
      await settle(tx, { clientId, amount: plenty, ref: 'benchmark', now, actor })
      const change = { isEnabled: true, basisPoints: 200 }
      const serviceCode = 'WALLETA_SN_CASHOUT'
      await changeTerms(tx, clock, { clientId, serviceCode, change, actor })
      await addWebhookSecret(tx, { secretKey, clock }, { clientId, overlapMs: 0 })
      const order = { clientId, label: 'benchmark', ratePerMinute: unlimited, actor }
      secrets.push((await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret)
    })
  return secrets
}

/**
 * Lets nobody ask after payments whose provider stays silent: what is measured next must not pay
 * for them.
 */
export async function quietSilent(query: (text: string) => Promise<unknown>): Promise<void> {
  await query(`
    update transactions set due_at = now() + interval '1 day'
    where completed_at is null and due_at < now() + interval '1 hour'`)
}
