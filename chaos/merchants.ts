import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openPool } from '#data/db/server.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { settle } from '#money/ledger/settlement.ts'
import { insertAccounts } from '#money/ledger/store.ts'
import type { Merchant } from './client-job.ts'
import type { World } from './world.ts'

const actor = 'chaos'
const ratePerMinute = 100_000_000
const services = ['WALLETA_SN_CASHOUT', 'WALLETA_SN_CASHIN']

/** Creates merchants with so much money and one collection and payout service, without fees. */
export async function createMerchants(
  { postgres }: Pick<World, 'postgres'>,
  { count, funds }: { count: number; funds: number },
): Promise<Merchant[]> {
  const { secretKey } = readConfig({})
  const db = openPool(postgres.url)
  const merchants: Merchant[] = []
  for (let index = 0; index < count; index += 1)
    await db.transaction(async (tx) => {
      const name = `Commerce ${index}`
      const clientId = await createClient(tx, { clock }, { name, actor })
      const now = clock.now()
      await insertAccounts(tx, clientId, now)
      await settle(tx, { clientId, amount: funds, ref: 'chaos', now, actor })
      for (const serviceCode of services)
        await changeTerms(
          tx,
          { clock },
          { clientId, serviceCode, change: { isEnabled: true }, actor },
        )
      const webhookSecret = await addWebhookSecret(
        tx,
        { secretKey, clock },
        { clientId, overlapMs: 0 },
      )
      const key = { clientId, label: 'chaos', ratePerMinute, actor }
      const { secret: apiKey } = await issueKey(tx, { clock, mode: 'sandbox' }, key)
      merchants.push({ name, apiKey, webhookSecret })
    })
  await db.close()
  return merchants
}

const enough = 1_000_000_000_000

/** Gives every merchant of a world more money than a run can spend. */
export async function fundAll({ postgres, merchants }: World): Promise<void> {
  const db = openPool(postgres.url)
  const rows = await db<{ id: number; name: string }>`select id, name from clients`
  for (const { id: clientId } of rows.filter(({ name }) =>
    merchants.some((one) => one.name === name),
  ))
    await db.transaction((tx) =>
      settle(tx, { clientId, amount: enough, ref: 'chaos', now: clock.now(), actor }),
    )
  await db.close()
}
