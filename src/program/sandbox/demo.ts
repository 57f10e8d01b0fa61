import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#base/config/config.ts'
import { after, type Clock } from '#base/kit/clock.ts'
import { randomText } from '#base/kit/ids.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { services } from '#merchants/catalog/services.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { hasLiveKeys, readKeys } from '#merchants/clients/key-store.ts'
import { type IssuedKey, issueKey } from '#merchants/clients/keys.ts'
import type { Tier } from '#merchants/clients/statuses.ts'
import { findClientId, findDemoClients, lockDemo } from '#merchants/clients/store.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { findDemoPeople } from '#merchants/people/store.ts'
import { settle } from '#money/ledger/settlement.ts'
import { insertAccounts } from '#money/ledger/store.ts'
import { draftLink, recordLinks } from '#money/links/create.ts'
import { demoKey, demoWebhookSecret, enterpriseKey, otherMerchantKey } from './demo-keys.ts'
import { createDemoPeople, demoLogins } from './demo-people.ts'
import { writeHistory } from './history.ts'
import { historyDays, planHistory } from './history-plan.ts'
import { demoTerms } from './terms.ts'

const actor = 'demo data'
const startingFunds = 5_000_000
// A rate limit that no load reaches.
const practicallyUnlimited = 100_000_000

interface Merchant {
  name: string
  email: string
  tier: Tier
  keys: { label: string; secret: string; ratePerMinute: number | null }[]
}

const merchants: [Merchant, ...Merchant[]] = [
  {
    name: 'Boutique Démo',
    email: 'demo@passerelle.test',
    tier: 'standard',
    keys: [
      { label: 'standard', secret: demoKey, ratePerMinute: null },
      { label: 'enterprise', secret: enterpriseKey, ratePerMinute: practicallyUnlimited },
    ],
  },
  {
    name: 'Marché Témoin',
    email: 'temoin@passerelle.test',
    tier: 'enterprise',
    keys: [{ label: 'main', secret: otherMerchantKey, ratePerMinute: null }],
  },
]

/** Creates the demo merchants on the first start of a sandbox. */
export async function ensureDemoData(db: Db, clock: Clock, config: Config): Promise<void> {
  await db.transaction(async (tx) => {
    await lockDemo(tx)
    if ((await findDemoClients(tx)).length === 0) await createMerchants(tx, clock, config)
    if ((await findDemoPeople(tx)).length === 0) {
      const ids = await Promise.all(
        merchants.map(async ({ name }) => [name, (await findClientId(tx, name)) ?? 0] as const),
      )
      await createDemoPeople(tx, clock, new Map(ids))
    }
  })
}

/** Throws if the database has live keys: a sandbox would add keys that are public. */
export async function refuseLiveData(db: Db): Promise<void> {
  if (await hasLiveKeys(db))
    throw new Problem('This database has live keys: set MODE=live, or use another database.')
}

/** Throws if the database has demo clients or people: their keys and passwords are public. */
export async function refuseDemoData(db: Db): Promise<void> {
  refuseDemoNames([...(await findDemoClients(db)), ...(await findDemoPeople(db))])
}

/** Throws if there are demo clients or people with these names. */
export function refuseDemoNames(names: string[]): void {
  if (names.length > 0)
    throw new Problem(
      `MODE=live refuses this database: it holds sandbox demo data (${names.join(', ')}).`,
    )
}

// Before the history, so that keys and shops are older than their payments.
const historySinceMs = (historyDays + 5) * 86_400_000

async function createMerchants(tx: Tx, clock: Clock, config: Config): Promise<void> {
  const [first, ...others] = merchants
  const now = clock.now()
  const plan = config.demoHistory ? planHistory(now) : null
  const since = plan === null ? now : after(now, -historySinceMs)
  const past = plan === null ? clock : { now: () => since }
  const funds = startingFunds - (plan?.net ?? 0)
  const { clientId, keyId } = await createMerchant(tx, past, config, first, funds)
  if (plan !== null) {
    const { secretKey } = config
    await writeHistory(tx, { clientId, keyId, name: first.name, secretKey, plan, since, actor })
  }
  for (const other of others) await createMerchant(tx, past, config, other, startingFunds)
}

/** Creates a merchant; returns its id, and that of its first key. */
async function createMerchant(
  tx: Tx,
  clock: Clock,
  config: Config,
  merchant: Merchant,
  funds: number,
): Promise<{ clientId: number; keyId: string }> {
  const { name, email, tier, keys } = merchant
  const rate = tier === 'enterprise' ? { ratePerMinute: practicallyUnlimited } : {}
  const known = { name, email, language: 'fr' as const, tier, ...rate, isDemo: true }
  const clientId = await createClient(tx, { clock }, { ...known, actor })
  await insertAccounts(tx, clientId, clock.now())
  await settle(tx, { clientId, amount: funds, ref: 'demo funds', now: clock.now(), actor })
  for (const { code, operation } of services) {
    const { basisPoints, fixed } = demoTerms(operation)
    const change = { isEnabled: true, basisPoints, fixed }
    await changeTerms(tx, { clock }, { clientId, serviceCode: code, change, actor })
  }
  const issued: IssuedKey[] = []
  for (const key of keys)
    issued.push(await issueKey(tx, { clock, mode: config.mode }, { clientId, ...key, actor }))
  await addWebhookSecret(
    tx,
    { secretKey: config.secretKey, clock },
    { clientId, overlapMs: 0, secret: demoWebhookSecret },
  )
  return { clientId, keyId: issued[0]?.id ?? '' }
}

/** Writes demo.json: the demo merchants and their keys, for programs that call the gateway. */
export async function writeDemoFile({ dataDir }: Config, baseUrl: string): Promise<void> {
  const demo = {
    baseUrl,
    merchants: merchants.map(({ name, tier, keys }) => ({
      name,
      tier,
      keys: keys.map(({ label, secret }) => ({ label, secret })),
      webhookSecret: demoWebhookSecret,
    })),
    logins: demoLogins.map(({ email, password }) => ({ email, password })),
  }
  const path = join(dataDir, 'demo.json')
  try {
    await writeFile(path, `${JSON.stringify(demo, null, 2)}\n`)
  } catch (problem) {
    throw new Problem(`${path} cannot be written: remove it, or set DATA_DIR to another folder.`, {
      cause: problem,
    })
  }
}

/** The address of the sandbox that last ran on this installation; undefined: none has. */
export async function readDemoUrl({ dataDir }: Config): Promise<string | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')).baseUrl
  } catch {
    return undefined
  }
}

/** Creates a payment link for the banner, another one at each start; no mail is sent for it. */
export async function makeDemoLink(
  db: Db,
  clock: Clock,
  baseUrl: string,
): Promise<{ id: string } | undefined> {
  const [{ name }] = merchants
  const clientId = await findClientId(db, name)
  const keys = clientId === undefined ? [] : await readKeys(db, clientId)
  const key = keys.find(({ label, revokedAt }) => label === 'standard' && revokedAt === null)
  if (clientId === undefined || key === undefined) return undefined
  const now = clock.now()
  const order = {
    clientId,
    keyId: key.id,
    externalId: `demo-link-${randomText(6)}`,
    subMerchantId: null,
    payeeName: name,
    itemName: 'Panier de légumes',
    amount: 7500,
    customData: null,
    callbackUrl: 'http://127.0.0.1:9000/webhooks',
    successUrl: baseUrl,
    failureUrl: baseUrl,
    customerName: null,
    customerPhone: null,
    customerEmail: null,
    language: null,
    lifetimeMs: 86_400_000,
  }
  const link = draftLink(order, now)
  await db.transaction((tx) => recordLinks(tx, [{ link, mail: null, hasSmtp: false }], now))
  return link
}
