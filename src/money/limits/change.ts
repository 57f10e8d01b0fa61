import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { countries } from '#merchants/catalog/countries.ts'
import { type PhoneProblem, readPhone } from '#merchants/catalog/phone.ts'
import { services } from '#merchants/catalog/services.ts'
import { lockClientOrRefuse } from '#merchants/clients/clients.ts'
import { numberKey, scopes } from './scope.ts'
import {
  type BlockedNumber,
  type DailyLimit,
  deleteAttemptLimit,
  deleteBlocked,
  deleteDailyLimits,
  raiseVersion,
  upsertAttemptLimit,
  upsertBlocked,
  upsertDailyLimit,
} from './store.ts'

/** The scope of the limit of tries of one number; `all` stands for every service. */
export const numbersScope = 'NUMBERS'

export interface LimitOrder {
  clientId: number
  /** A service, `all` of them, REFUND or NUMBERS. */
  scope: string
  now: Date
  actor: string
}

/** Values of a limit that are left out are no limits. */
export interface LimitValues {
  amountMax?: number | null
  countMax?: number | null
  attemptsMax?: number | null
}

/** Sets the limit of a client and scope, or that of each service. */
export async function setLimit(tx: Tx, order: LimitOrder & LimitValues): Promise<void> {
  const { clientId, scope, now, actor, amountMax = null, countMax = null } = order
  const { attemptsMax = null } = order
  const isOfNumbers = scope === numbersScope
  refuseAll([...scopeProblems(scope), ...valueProblems(order, isOfNumbers)])
  await lockClientOrRefuse(tx, clientId)
  if (isOfNumbers && attemptsMax !== null) await upsertAttemptLimit(tx, { clientId, attemptsMax })
  else
    for (const one of scopesOf(scope)) {
      const limit: DailyLimit = { clientId, scope: one, amountMax, countMax }
      await upsertDailyLimit(tx, limit, now)
    }
  await raiseVersion(tx)
  const details = isOfNumbers ? { scope, attemptsMax } : { scope, amountMax, countMax }
  await recordAudit(tx, { at: now, actor, action: 'limit.set', clientId, details })
}

/** Removes the limit of a client and scope, or those of all services. */
export async function removeLimit(tx: Tx, order: LimitOrder): Promise<void> {
  const { clientId, scope, now, actor } = order
  refuseAll(scopeProblems(scope))
  await lockClientOrRefuse(tx, clientId)
  const wasThere =
    scope === numbersScope
      ? await deleteAttemptLimit(tx, clientId)
      : (await deleteDailyLimits(tx, clientId, scopesOf(scope))).length > 0
  if (!wasThere) throw new Refusal('not_found', reason('There is no limit of {scope}', { scope }))
  await raiseVersion(tx)
  await recordAudit(tx, { at: now, actor, action: 'limit.remove', clientId, details: { scope } })
}

export interface BlockOrder {
  /** In any form that people write. */
  number: string
  /** Where the number does not tell it. */
  country?: string
  now: Date
  actor: string
}

/** Blocks a number for every client; a block that is there already is replaced. */
export async function blockNumber(
  tx: Tx,
  order: BlockOrder & { reason: string; expiresAt: Date | null },
): Promise<BlockedNumber> {
  const { now, actor, expiresAt } = order
  const read = readNumber(order)
  const why = order.reason.trim()
  const phone = typeof read === 'string' ? read : ''
  refuseAll([
    ...(typeof read === 'string' ? [] : [read]),
    ...(why === '' || why.length > 500
      ? [reason('A block needs a reason of at most 500 characters', {}, 'reason')]
      : []),
    ...(expiresAt !== null && expiresAt <= now
      ? [reason('The end of a block must be in the future', {}, 'expiresAt')]
      : []),
  ])
  const blocked = { phone, reason: why, actor, blockedAt: now, expiresAt }
  await upsertBlocked(tx, blocked)
  await raiseVersion(tx)
  const details = { number: maskedKey(blocked.phone), reason: why, expiresAt }
  await recordAudit(tx, { at: now, actor, action: 'block.add', details })
  return blocked
}

/** Ends the block of a number; returns the number. */
export async function unblockNumber(tx: Tx, order: BlockOrder): Promise<string> {
  const read = readNumber(order)
  if (typeof read !== 'string') throw new Refusal('validation_failed', read)
  if (!(await deleteBlocked(tx, read)))
    throw new Refusal('not_found', reason('{number} is not blocked', { number: read }))
  await raiseVersion(tx)
  const { now, actor } = order
  const details = { number: maskedKey(read) }
  await recordAudit(tx, { at: now, actor, action: 'block.remove', details })
  return read
}

/** A number for the audit log, which keeps everything for ever: country and two digits. */
function maskedKey(key: string): string {
  return key.slice(0, 2) + maskPhone(key)
}

const numberProblems: Record<PhoneProblem, string> = {
  phone_missing: 'A number is needed',
  phone: 'This number belongs to none of the countries served here',
  phone_country: 'This number belongs to none of the countries served here',
  country: 'The country of this number is not clear: name it, or write + and its code',
}

/** The key of a number as people write it, or of one that is stored. */
export function readNumber({
  number,
  country = '',
}: Pick<BlockOrder, 'number' | 'country'>): string | Reason {
  const offered = Object.keys(countries)
  const [, named = '', digits] = /^([A-Z]{2})([0-9]{9})$/.exec(number) ?? []
  if (digits !== undefined && offered.includes(named)) return number
  if (country !== '' && !offered.includes(country))
    return reason('There is no country {country} here', { country }, 'country')
  const read = readPhone(number, offered, country)
  return read.kind === 'phone'
    ? numberKey(read)
    : reason(numberProblems[read.problem], {}, read.problem === 'country' ? 'country' : 'number')
}

function scopesOf(scope: string): string[] {
  return scope === 'all' ? services.map(({ code }) => code) : [scope]
}

function scopeProblems(scope: string): Reason[] {
  const isKnown = scope === 'all' || scope === numbersScope || scopes.includes(scope)
  return isKnown ? [] : [reason('There is no service {code}', { code: scope }, 'scope')]
}

function valueProblems(values: LimitValues, isOfNumbers: boolean): Reason[] {
  const { amountMax = null, countMax = null, attemptsMax = null } = values
  const problems: Reason[] = []
  if (isOfNumbers) {
    if (attemptsMax === null || !isWhole(attemptsMax, 1000))
      problems.push(reason('Attempts must be a whole number from 1 to 1000', {}, 'attemptsMax'))
    if (amountMax !== null || countMax !== null)
      problems.push(reason('A limit on numbers takes attempts only', {}, 'scope'))
    return problems
  }
  if (attemptsMax !== null)
    problems.push(reason('Only numbers have a limit on attempts', {}, 'attemptsMax'))
  if (!isWhole(amountMax, 1e15))
    problems.push(reason('The amount must be a whole number above zero', {}, 'amountMax'))
  if (!isWhole(countMax, 1e9))
    problems.push(reason('The count must be a whole number above zero', {}, 'countMax'))
  if (amountMax === null && countMax === null && attemptsMax === null)
    problems.push(reason('A limit needs an amount, a count or both', {}, 'amountMax'))
  return problems
}

function isWhole(value: number | null, max: number): boolean {
  return value === null || (Number.isSafeInteger(value) && value >= 1 && value <= max)
}

function refuseAll(problems: Reason[]): void {
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
}
