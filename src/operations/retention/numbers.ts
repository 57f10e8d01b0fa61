import type { ForgetOrder } from '#backoffice/approvals/approval.ts'
import type { Approvals } from '#backoffice/approvals/open.ts'
import type { Asker, Requested } from '#backoffice/approvals/propose.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { withoutNumbers } from '#base/sealing/mask-phone.ts'
import { openPseudonyms } from '#base/sealing/pseudonym.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import { toInternational, toNational } from '#merchants/catalog/phone-forms.ts'
import { readNumber } from '#money/limits/change.ts'
import { readClientNames } from './find-store.ts'
import { rulesWith } from './rules.ts'
import type { Trace, TraceState, Wanted } from './trace.ts'

/** A number as people write it; the country where the number does not tell it. */
export interface AskedNumber {
  number: string
  country?: string
}

/** What a number took part in. */
export interface Found extends Wanted {
  traces: (Trace & { rule: string; merchant: string | null })[]
}

/** Everything that can be done with one payer's number. */
export type Numbers = ReturnType<typeof openNumbers>

interface NumberContext extends DbParts {
  secretKey: SecretKey
}

// What one proposal forgets, in a transaction of its own: under two seconds of work.
const placesMax = 1000

/** Opens what is told of a number, and its forgetting by two people. */
export function openNumbers(context: NumberContext & { approvals: Pick<Approvals, 'request'> }) {
  const { db, clock, approvals } = context
  return {
    /** What it took part in; refuses what is no number. */
    find: (asked: AskedNumber) => findNumber(context, asked),

    /** The same, for a file: that is recorded, without the number. */
    async export(asked: AskedNumber, actor: string): Promise<Found> {
      const found = await findNumber(context, asked)
      const details = { pseudonym: found.pseudonym, records: found.traces.length }
      const record = { at: clock.now(), actor, action: 'number.export', details }
      await db.transaction((tx) => recordAudit(tx, record))
      return found
    },

    /** Proposes that it is forgotten; a form that is sent twice proposes once. */
    async forget(
      asked: AskedNumber & { reason: string },
      asker: Asker,
      form?: string,
    ): Promise<Requested> {
      return approvals.request(orderOf(await findNumber(context, asked), asked.reason), asker, form)
    },
  }
}

async function findNumber({ db, secretKey }: NumberContext, asked: AskedNumber): Promise<Found> {
  const wanted = wantedOf(secretKey, asked)
  const names = await readClientNames(db)
  const traces: Found['traces'] = []
  for (const { name: rule, find } of rulesWith(secretKey))
    for (const one of (await find?.(db, wanted)) ?? [])
      traces.push({ ...one, rule, merchant: names.get(one.clientId ?? 0) ?? null })
  return { ...wanted, traces }
}

function wantedOf(secretKey: SecretKey, asked: AskedNumber): Wanted {
  const key = readNumber({ ...asked, number: asked.number.trim() })
  if (typeof key !== 'string') throw new Refusal('validation_failed', key)
  const [country, phone] = [key.slice(0, 2), key.slice(2)]
  const written = [phone, toNational(phone, country), toInternational(phone, country)]
  return { country, phone, written, pseudonym: openPseudonyms(secretKey)(phone) }
}

/** How many of what was found are in a state. */
export function countOf({ traces }: Found, state: TraceState): number {
  return traces.filter((one) => one.state === state).length
}

/** The order to forget what is found; refuses while something of it is open. */
function orderOf(found: Found, given: string): ForgetOrder {
  // A proposal stays for good: it must not have the number either.
  const why = withoutNumbers(oneLine(given, 500))
  if (why === '') throw new Refusal('validation_failed', reason('A reason is needed', {}, 'reason'))
  const open = countOf(found, 'open')
  if (open > 0) throw stillOpen(open)
  const unique = new Map(
    found.traces.flatMap(({ rule, clientId, place, state }) =>
      state === 'plain' && place !== null
        ? [[`${rule} ${clientId} ${place}`, { rule, at: [clientId ?? 0, place] as const }]]
        : [],
    ),
  )
  if (unique.size === 0) throw new Refusal('not_found', 'Nothing can be forgotten for this number')
  const places: ForgetOrder['places'] = {}
  for (const { rule, at } of [...unique.values()].slice(0, placesMax))
    (places[rule] ??= []).push([...at])
  const { pseudonym } = found
  return { kind: 'forget', clientId: null, pseudonym, places, reason: why }
}

function stillOpen(open: number): Refusal {
  return new Refusal(
    'conflict',
    reason('{open} records of this number are still open: forget it once they have ended', {
      open,
    }),
  )
}

/** What approvals have this room do, in the database transaction of a decision. */
export function forgettingWith({ clock, secretKey }: Omit<NumberContext, 'db'>) {
  return async (tx: Tx, order: ForgetOrder, actor: string): Promise<{ places: number }> => {
    const { pseudonym, places } = order
    const now = clock.now()
    let open = 0
    for (const { name, work } of rulesWith(secretKey, pseudonym)) {
      const own = Map.groupBy(places[name] ?? [], ([clientId]) => clientId)
      if (typeof work === 'function') continue
      for (const [clientId, of] of own) {
        const { left } = await work.forget(
          tx,
          clientId,
          of.map(([, place]) => place),
          now,
        )
        open += left.length
      }
    }
    if (open > 0) throw stillOpen(open)
    const count = Object.values(places).flat().length
    const details = { pseudonym, places: count, reason: order.reason }
    await recordAudit(tx, { at: now, actor, action: 'number.forget', details })
    return { places: count }
  }
}
