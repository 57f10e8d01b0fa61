import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '#base/config/config.ts'
import { type Clock, systemClock } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { openPool } from '#data/db/server.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { settle } from '#money/ledger/settlement.ts'
import { insertAccounts } from '#money/ledger/store.ts'

const actor = 'benchmark'
// More than any run can spend, and far below 2^53.
const initialFunds = 1_000_000_000_000
const ratePerMinuteMax = 100_000_000

/** A demo key of the sandbox, whose rate limit no run reaches. */
export const demoApiKey = 'sk_sandbox_demo_enterprise'

/** Opens the gateway's database with the application's role. */
export function openGatewayDb(socketFolder: string): Db {
  const host = encodeURIComponent(socketFolder)
  return openPool(`postgresql://passerelle@/passerelle?host=${host}&port=5432&sslmode=disable`)
}

/** Gives the demo merchant more money than a run can spend. */
export async function fundDemoMerchant(db: Db, name: string): Promise<void> {
  const now = systemClock.now()
  await db.transaction((tx) =>
    settle(tx, { clientId: 1, amount: initialFunds, ref: `benchmark ${name}`, now, actor }),
  )
}

/** Creates merchants with money, a service and a webhook secret; returns an API key of each. */
export async function createMerchants(
  db: Db,
  name: string,
  count: number,
  clock: Clock = systemClock,
): Promise<string[]> {
  const { secretKey } = readConfig({})
  const apiKeys: string[] = []
  for (let index = 0; index < count; index += 1)
    await db.transaction(async (tx) => {
      const now = clock.now()
      const clientId = await createClient(tx, { clock }, { name: `Banc ${name} ${index}`, actor })
      await insertAccounts(tx, clientId, now)
      await settle(tx, { clientId, amount: initialFunds, ref: 'benchmark', now, actor })
      const change = { isEnabled: true, basisPoints: 200 }
      const serviceCode = 'WALLETA_SN_CASHOUT'
      await changeTerms(tx, { clock }, { clientId, serviceCode, change, actor })
      await addWebhookSecret(tx, { secretKey, clock }, { clientId, overlapMs: 0 })
      const order = { clientId, label: 'benchmark', ratePerMinute: ratePerMinuteMax, actor }
      apiKeys.push((await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret)
    })
  return apiKeys
}

/**
 * Parks open payments: the next round must not spend time on asking about payments whose provider
 * never answers. A late due date would not do: the gateway pulls it back. It never waits for a row
 * while it holds others, since the gateway locks them in another order.
 */
export async function parkSilentPayments(
  query: (text: string) => Promise<unknown[]>,
): Promise<void> {
  const due = 'from transactions where completed_at is null and due_at is not null'
  for (;;) {
    await query(`
      with free as materialized (select client_id, id ${due} for update skip locked)
      update transactions parked set due_at = null from free
      where parked.client_id = free.client_id and parked.id = free.id`)
    const left = await query(`select ${due} limit 1`)
    if (left.length === 0) return
    await sleep(20)
  }
}
