import type { Clock } from '#base/kit/clock.ts'
import type { Language } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { pick } from '#base/kit/objects.ts'
import { breaksLine } from '#base/kit/one-line.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db, DbParts, Tx } from '#data/db/db.ts'
import { deleteLogo, upsertLogo } from './brand-store.ts'
import type { Logo } from './logo.ts'
import type { Tier } from './statuses.ts'
import {
  type Client,
  findClient,
  findClientId,
  insertClient,
  lockClient,
  updateClient,
} from './store.ts'
import { timeZones } from './time-zones.ts'

// Two lines of a letterhead.
export const addressMax = 120
export const taxNumberMax = 40

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

/** Inserts a client without services. The caller also creates its accounts (`insertAccounts`). */
export async function createClient(
  tx: Tx,
  { clock }: { clock: Clock },
  order: ClientOrder,
): Promise<number> {
  const { name, tier = 'standard', callbackUrl = null, isDemo = false } = order
  const { email = null, language = 'fr' } = order
  const createdAt = clock.now()
  checkFacts({ name, email })
  const ratePerMinute = rateFor(tier, order.ratePerMinute)
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
  if (id === undefined) throw nameTaken(name)
  await recordAudit(tx, {
    at: createdAt,
    actor: order.actor,
    action: 'client.create',
    clientId: id,
    details: { name, tier, ratePerMinute },
  })
  return id
}

/** The id of the client of this name or id; refuses an unknown one. */
export async function clientIdOf(run: Db | Tx, nameOrId: string): Promise<number> {
  const id = /^\d{1,9}$/.test(nameOrId)
    ? (await findClient(run, Number(nameOrId)))?.id
    : await findClientId(run, nameOrId)
  if (id === undefined) throw unknownClient(nameOrId)
  return id
}

type Change = Partial<Omit<Client, 'id' | 'isDemo' | 'createdAt'>> & { logo?: Logo | null }

export interface ClientChange {
  id: number
  change: Change
  from?: Client
  actor: string
}

/**
 * Changes the fields of a client that are given, and returns the client. With `from`, what it was
 * when its fields were shown, only those that differ from it are changed, and one that somebody
 * else has changed since then is refused.
 */
export function changeClient({ db, clock }: DbParts, order: ClientChange): Promise<Client> {
  return db.transaction(async (tx) => {
    const client = await lockClientOrRefuse(tx, order.id)
    const { logo, ...given } = order.change
    const { from } = order
    const columns = from === undefined ? given : changedFrom(from, client, given)
    const { tier = client.tier } = columns
    const isTierKept = tier === client.tier && columns.ratePerMinute === undefined
    const changed = {
      ...client,
      ...columns,
      tier,
      ratePerMinute: isTierKept ? client.ratePerMinute : rateFor(tier, columns.ratePerMinute),
    }
    checkFacts(changed)
    await refuseTakenName(tx, changed)
    await updateClient(tx, changed)
    if (logo === null) await deleteLogo(tx, order.id)
    else if (logo !== undefined) await upsertLogo(tx, order.id, logo)
    await recordAudit(tx, {
      at: clock.now(),
      actor: order.actor,
      action: 'client.change',
      clientId: order.id,
      details: { ...columns, ...(logo === undefined ? {} : { logo: logo?.hash ?? null }) },
    })
    return changed
  })
}

function changedFrom(from: Client, client: Client, given: Omit<Change, 'logo'>) {
  const names = (Object.keys(given) as (keyof typeof given)[]).filter(
    (name) => given[name] !== undefined && given[name] !== from[name],
  )
  refuseChanged(from, client, names)
  const changed = pick(given, names)
  // A tier is told together with its rate.
  const { ratePerMinute } = given
  return changed.tier === undefined || ratePerMinute === undefined
    ? changed
    : { ...changed, ratePerMinute }
}

/** Refuses to change what somebody else has changed since it was shown. */
export function refuseChanged<T extends object>(from: T, now: T, names: (keyof T)[]): void {
  if (names.some((name) => from[name] !== now[name]))
    throw new Refusal('conflict', 'Somebody else has changed it in the meantime: check it again')
}

/** Locks a client until the transaction ends, so that no other change is overwritten. */
export async function lockClientOrRefuse(tx: Tx, id: number): Promise<Client> {
  const client = await lockClient(tx, id)
  if (client === undefined) throw unknownClient(id)
  return client
}

/** The refusal of a client that does not exist. */
export function unknownClient(id: string | number): Refusal {
  return new Refusal('not_found', reason('There is no client {id}', { id }))
}

/** Refuses facts of a client that cannot be, with a sentence for each. */
function checkFacts(facts: Pick<Client, 'name' | 'email'> & Partial<Client>): void {
  const { name, email, timeZone, colour = null, address = null, taxNumber = null } = facts
  const problems: Reason[] = []
  if (name.trim() === '') problems.push(reason('A client needs a name', {}, 'name'))
  if (email !== null && !isMailAddress(email))
    problems.push(reason('{email} is not an email address', { email }, 'email'))
  if (timeZone !== undefined && !timeZones.includes(timeZone))
    problems.push(reason('There is no time zone {zone}', { zone: timeZone }, 'timeZone'))
  if (colour !== null && !/^#[0-9a-f]{6}$/.test(colour))
    problems.push(
      reason(
        '{colour} is not a colour: write # and six of 0 to 9 and a to f, such as #0b6b4f',
        { colour },
        'colour',
      ),
    )
  if (address !== null && !isLine(address, addressMax))
    problems.push(
      reason('An address is one line of at most {max} characters', { max: addressMax }, 'address'),
    )
  if (taxNumber !== null && !isLine(taxNumber, taxNumberMax))
    problems.push(
      reason(
        'A tax number is one line of at most {max} characters',
        { max: taxNumberMax },
        'taxNumber',
      ),
    )
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
}

function isLine(text: string, max: number): boolean {
  return text.trim() !== '' && !breaksLine(text) && Array.from(text).length <= max
}

function nameTaken(name: string): Refusal {
  return new Refusal('conflict', reason('There is already a client named {name}', { name }, 'name'))
}

async function refuseTakenName(tx: Tx, { id, name }: Client): Promise<void> {
  const owner = await findClientId(tx, name)
  if (owner !== undefined && owner !== id) throw nameTaken(name)
}

function rateFor(tier: Tier, ratePerMinute: number | undefined): number {
  if (tier === 'standard') {
    if (ratePerMinute !== undefined && ratePerMinute !== standardRatePerMinute)
      throw new Refusal(
        'validation_failed',
        reason('Only the enterprise tier has a limit of its own', {}, 'ratePerMinute'),
      )
    return standardRatePerMinute
  }
  if (ratePerMinute === undefined)
    throw new Refusal(
      'validation_failed',
      reason('The enterprise tier needs its requests per minute', {}, 'ratePerMinute'),
    )
  return ratePerMinute
}
