import type { Clock } from '#base/kit/clock.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { parseServiceCode, services } from '#merchants/catalog/services.ts'
import { lockClientOrRefuse, refuseChanged } from './clients.ts'
import { airtimeTerms, isFree } from './fees.ts'
import { readTerms, type ServiceTerms, upsertTerms } from './terms-store.ts'

type TermsChange = Partial<Omit<ServiceTerms, 'serviceCode'>>

/** The terms of a service that a client has none for. */
export const defaultTerms: Omit<ServiceTerms, 'serviceCode'> = {
  isEnabled: false,
  fixed: 0,
  basisPoints: 0,
  min: 0,
  max: null,
  amountMin: null,
  amountMax: null,
}

export interface TermsOrder {
  clientId: number
  serviceCode: string
  change: TermsChange
  /** The terms as they were shown: what somebody else has changed since is refused. */
  from?: ServiceTerms | undefined
  /** Refuses to enable a service that would cost nothing. */
  refusesFree?: boolean
  actor: string
}

/** Changes a client's terms of one service, or of every service ('all'). */
export async function changeTerms(
  tx: Tx,
  { clock }: { clock: Clock },
  order: TermsOrder,
): Promise<ServiceTerms[]> {
  const codes = order.serviceCode === 'all' ? services.map(({ code }) => code) : [order.serviceCode]
  const unknown = codes.filter((code) => parseServiceCode(code) === undefined)
  if (unknown.length > 0)
    throw new Refusal(
      'not_found',
      ...unknown.map((code) => reason('There is no service {code}', { code })),
    )
  await lockClientOrRefuse(tx, order.clientId)
  const known = new Map(
    (await readTerms(tx, order.clientId)).map((terms) => [terms.serviceCode, terms]),
  )
  if (order.serviceCode !== 'all') refuseAirtimeFee(order.serviceCode, order.change)
  const { from } = order
  if (from !== undefined) {
    const now = known.get(from.serviceCode) ?? { serviceCode: from.serviceCode, ...defaultTerms }
    refuseChanged(from, now, Object.keys(order.change) as (keyof ServiceTerms)[])
  }
  const changed = codes.map((serviceCode) => ({
    serviceCode,
    ...defaultTerms,
    ...known.get(serviceCode),
    ...(isAirtime(serviceCode) ? withoutFee(order.change) : order.change),
  }))
  changed.forEach(checkTerms)
  if (order.refusesFree) refuseFree(changed)
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

function isAirtime(serviceCode: string): boolean {
  return parseServiceCode(serviceCode)?.type === 'AIRTIME'
}

/** A fee of its own would be kept and never charged. */
function refuseAirtimeFee(code: string, change: TermsChange): void {
  const { fixed, basisPoints, min, max } = { ...airtimeTerms, ...change }
  const isOwn = [fixed, basisPoints, min, max].some(
    (one, index) => one !== Object.values(airtimeTerms)[index],
  )
  if (isAirtime(code) && isOwn)
    throw new Refusal(
      'validation_failed',
      reason('{code} costs 1 % for every client: no other fee can be set', { code }, 'fixed'),
    )
}

function withoutFee(change: TermsChange): TermsChange {
  const { fixed: _, basisPoints: _share, min: _min, max: _max, ...others } = change
  return others
}

function refuseFree(changed: ServiceTerms[]): void {
  const free = changed.filter((terms) => {
    const service = parseServiceCode(terms.serviceCode)
    return service !== undefined && isFree(service, terms)
  })
  if (free.length === 0) return
  const codes = free.map(({ serviceCode }) => serviceCode).join(', ')
  throw new Refusal(
    'validation_failed',
    reason(
      'The fee is 0 for {codes}: set one with set-fee first, or mean it with --free',
      { codes },
      'free',
    ),
  )
}

function checkTerms(terms: ServiceTerms): void {
  const { fixed, basisPoints, min, max, amountMin, amountMax } = terms
  const problems: Reason[] = []
  const refuse = (field: string, text: string) => problems.push(reason(text, {}, field))
  for (const [field, fee] of Object.entries({ fixed, basisPoints, min, max: max ?? 0 }))
    if (!Number.isSafeInteger(fee) || fee < 0)
      refuse(field, 'Fees must be whole numbers, not below zero')
  for (const [field, amount] of Object.entries({ amountMin, amountMax }))
    if (amount !== null && (!Number.isSafeInteger(amount) || amount <= 0))
      refuse(field, 'Amounts must be whole numbers above zero')
  if (max !== null && max < min) refuse('max', 'The highest fee must not be below the lowest')
  if (amountMin !== null && amountMax !== null && amountMax < amountMin)
    refuse('amountMax', 'The highest amount must not be below the lowest')
  if (basisPoints > 10_000) refuse('basisPoints', 'A fee cannot be more than 10000 basis points')
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
}
