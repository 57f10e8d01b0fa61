import { Refusal, reason } from '../catalog/refusal.ts'
import { parseServiceCode, services } from '../catalog/services.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Language } from '../kit/language.ts'
import { isMailAddress } from '../kit/mail-address.ts'
import type { Client, ServiceTerms, Tier } from './store.ts'
import {
  findClient,
  findClientId,
  insertClient,
  lockClient,
  readTerms,
  updateClient,
  upsertTerms,
} from './store.ts'

/** Requests a minute that a standard client may make. */
export const standardRatePerMinute = 100

interface ClientOrder {
  name: string
  tier?: Tier
  ratePerMinute?: number
  callbackUrl?: string | null
  email?: string | null
  language?: Language
  isDemo?: boolean
  actor: string
}

/** Records a new client with no services; its accounts are opened by the ledger. */
export async function createClient(tx: Tx, clock: Clock, order: ClientOrder): Promise<number> {
  const { name, tier = 'standard', callbackUrl = null, isDemo = false } = order
  const { email = null, language = 'fr' } = order
  const createdAt = clock.now()
  if (name.trim() === '') throw new Refusal('validation_failed', 'A client needs a name')
  const ratePerMinute = rateFor(tier, order.ratePerMinute)
  checkEmail(email)
  const id = await insertClient(tx, {
    name,
    merchantStatus: 'active',
    tier,
    ratePerMinute,
    callbackUrl,
    email,
    language,
    isDemo,
    createdAt,
  })
  if (id === undefined)
    throw new Refusal('conflict', reason('There is already a client named {name}', { name }))
  await recordAudit(tx, {
    at: createdAt,
    actor: order.actor,
    action: 'client.create',
    clientId: id,
    details: { name, tier, ratePerMinute },
  })
  return id
}

/** The id of the client that a person means by number or by name. */
export async function clientNamed(run: Db | Tx, nameOrId: string): Promise<number> {
  const id = /^\d{1,9}$/.test(nameOrId)
    ? (await findClient(run, Number(nameOrId)))?.id
    : await findClientId(run, nameOrId)
  if (id === undefined)
    throw new Refusal('not_found', reason('There is no client {id}', { id: nameOrId }))
  return id
}

type Change = Partial<Omit<Client, 'id' | 'name' | 'isDemo' | 'createdAt'>>

/** Changes what is known of a client. */
export function changeClient(
  db: Db,
  clock: Clock,
  order: { id: number; change: Change; actor: string },
): Promise<Client> {
  return db.transaction(async (tx) => {
    const client = await lockedClient(tx, order.id)
    const { tier = client.tier } = order.change
    const isTierKept = tier === client.tier && order.change.ratePerMinute === undefined
    const changed = {
      ...client,
      ...order.change,
      tier,
      ratePerMinute: isTierKept ? client.ratePerMinute : rateFor(tier, order.change.ratePerMinute),
    }
    checkEmail(changed.email)
    await updateClient(tx, changed)
    await recordAudit(tx, {
      at: clock.now(),
      actor: order.actor,
      action: 'client.change',
      clientId: order.id,
      details: order.change,
    })
    return changed
  })
}

type TermsChange = Partial<Omit<ServiceTerms, 'serviceCode'>>

const noTerms: Omit<ServiceTerms, 'serviceCode'> = {
  isEnabled: false,
  fixed: 0,
  basisPoints: 0,
  min: 0,
  max: null,
  amountMin: null,
  amountMax: null,
}

/** Changes the terms of one service for a client, or of every service ('all'). */
export async function changeTerms(
  tx: Tx,
  clock: Clock,
  order: { clientId: number; serviceCode: string; change: TermsChange; actor: string },
): Promise<ServiceTerms[]> {
  const codes = order.serviceCode === 'all' ? services.map(({ code }) => code) : [order.serviceCode]
  const unknown = codes.filter((code) => parseServiceCode(code) === undefined)
  if (unknown.length > 0)
    throw new Refusal(
      'not_found',
      ...unknown.map((code) => reason('There is no service {code}', { code })),
    )
  await lockedClient(tx, order.clientId)
  const known = new Map(
    (await readTerms(tx, order.clientId)).map((terms) => [terms.serviceCode, terms]),
  )
  const changed = codes.map((serviceCode) => ({
    serviceCode,
    ...noTerms,
    ...known.get(serviceCode),
    ...order.change,
  }))
  changed.forEach(checkTerms)
  for (const terms of changed) await upsertTerms(tx, order.clientId, terms)
  await recordAudit(tx, {
    at: clock.now(),
    actor: order.actor,
    action: 'client.terms',
    clientId: order.clientId,
    details: { serviceCode: order.serviceCode, ...order.change },
  })
  return changed
}

/** Two changes of the same client take turns, so that neither writes over the other. */
async function lockedClient(tx: Tx, id: number): Promise<Client> {
  const client = await lockClient(tx, id)
  if (client === undefined)
    throw new Refusal('not_found', reason('There is no client {id}', { id }))
  return client
}

function checkEmail(email: string | null): void {
  if (email !== null && !isMailAddress(email))
    throw new Refusal('validation_failed', reason('{email} is not a mail address', { email }))
}

function checkTerms(terms: ServiceTerms): void {
  const problems: string[] = []
  const fees = [terms.fixed, terms.basisPoints, terms.min, terms.max ?? 0]
  if (!fees.every((fee) => Number.isSafeInteger(fee) && fee >= 0))
    problems.push('Fees must be whole numbers, not below zero')
  const amounts = [terms.amountMin ?? 1, terms.amountMax ?? 1]
  if (!amounts.every((amount) => Number.isSafeInteger(amount) && amount > 0))
    problems.push('Amounts must be whole numbers above zero')
  if (terms.max !== null && terms.max < terms.min)
    problems.push('The highest fee must not be below the lowest')
  if (terms.amountMin !== null && terms.amountMax !== null && terms.amountMax < terms.amountMin)
    problems.push('The highest amount must not be below the lowest')
  if (terms.basisPoints > 10_000) problems.push('A fee cannot be more than 10000 basis points')
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
}

function rateFor(tier: Tier, ratePerMinute: number | undefined): number {
  if (tier === 'standard') {
    if (ratePerMinute !== undefined && ratePerMinute !== standardRatePerMinute)
      throw new Refusal('validation_failed', 'Only the enterprise tier has a limit of its own')
    return standardRatePerMinute
  }
  if (ratePerMinute === undefined)
    throw new Refusal('validation_failed', 'The enterprise tier needs its requests per minute')
  return ratePerMinute
}
