import { replaceSentNumbers } from '#backoffice/batches/forget-store.ts'
import type { BodySafe } from '#backoffice/webhooks/body-safe.ts'
import {
  findUndelivered,
  findUnsettledBefore,
  readEventsAt,
  readNextEvents,
  replaceBodies,
} from '#backoffice/webhooks/forget-store.ts'
import type { StoredEvent } from '#backoffice/webhooks/operate-store.ts'
import { isPseudonym, type PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Tx } from '#data/db/db.ts'
import { nineDigitsOf } from '#merchants/catalog/phone-forms.ts'
import { lockCustomers, replaceCustomers } from '#money/links/forget-store.ts'
import {
  findUnsettled,
  forgetExcerpts,
  lockNumbers,
  type NumberRow,
  replaceNumbers,
} from '#money/transactions/forget-store.ts'
import type { Walk } from './rule.ts'

/*
 * Along the events: each record that has ended has one, in the order in which they ended, and none
 * that is open has. A refund is a record of its own.
 */
const walk = {
  start: '0',
  next: async (tx, { clientId, reached, before, limit }) => {
    const events = await readNextEvents(tx, clientId, { after: Number(reached), limit })
    const young = events.findIndex(({ createdAt }) => createdAt >= before)
    return placesOf(young === -1 ? events : events.slice(0, young))
  },
  // A provider may contradict itself years later.
  findNeeded: async (tx, clientId, reached) =>
    (await findUnsettledBefore(tx, clientId, Number(reached))).map(String),
} satisfies Omit<Walk, 'forget'>

/** Evidence without what providers sent; what decided stays: outcome, reference, amount. */
export const evidenceWalk: Walk = {
  ...walk,
  forget: async (tx, clientId, places) => {
    const records = await readRecords(tx, clientId, places)
    const settled = records.filter(({ isSettled }) => isSettled)
    const ids = settled.flatMap(({ rows }) => rows.map(({ id }) => id))
    return { count: await forgetExcerpts(tx, clientId, ids), left: leftOf(records) }
  },
}

/** Pseudonyms in place of numbers. A delivery and whoever settles a conflict need the numbers. */
export function numberWalk(pseudonymOf: PseudonymOf, safe: BodySafe): Walk {
  return {
    ...walk,
    forget: async (tx, clientId, places) => {
      const records = await readRecords(tx, clientId, places)
      const undelivered = await findUndelivered(
        tx,
        clientId,
        records.map(({ event }) => event.id),
      )
      for (const record of records) record.isSettled &&= !undelivered.has(record.event.id)
      const settled = records.filter(({ isSettled }) => isSettled)
      const changed = settled
        .flatMap(({ rows }) => rows)
        .map(({ id, phone }) => ({
          id,
          phone: pseudonymOf(phone),
          isNew: pseudonymOf(phone) !== phone,
        }))
        .filter(({ isNew }) => isNew)
      await replaceNumbers(tx, clientId, changed)
      await replaceSentNumbers(tx, clientId, changed)
      await replaceCustomersOf(tx, clientId, settled, pseudonymOf)
      await replaceBodies(
        tx,
        clientId,
        settled.flatMap(({ event }) => withoutNumber(event, pseudonymOf, safe)),
      )
      return { count: changed.length, left: leftOf(records) }
    },
  }
}

/** A record that has ended, with its event and its transactions. */
interface EndedRecord {
  event: StoredEvent
  rows: NumberRow[]
  isSettled: boolean
}

async function readRecords(tx: Tx, clientId: number, places: string[]): Promise<EndedRecord[]> {
  const events = await readEventsAt(tx, clientId, places.map(Number))
  const idsOf = (isLink: boolean) =>
    events
      .filter(({ recordKind }) => (recordKind === 'link') === isLink)
      .map(({ recordId }) => recordId)
  const rows = await lockNumbers(tx, clientId, { ids: idsOf(false), linkIds: idsOf(true) })
  const unsettled = await findUnsettled(
    tx,
    clientId,
    rows.map(({ id }) => id),
  )
  const byRecord = Map.groupBy(rows, ({ id, linkId }) => linkId ?? id)
  return events.map((event) => {
    const own = byRecord.get(event.recordId) ?? []
    return { event, rows: own, isSettled: !own.some(({ id }) => unsettled.has(id)) }
  })
}

function leftOf(records: EndedRecord[]): string[] {
  return placesOf(records.filter(({ isSettled }) => !isSettled).map(({ event }) => event))
}

function placesOf(events: StoredEvent[]): string[] {
  return events.map(({ position }) => String(position))
}

async function replaceCustomersOf(
  tx: Tx,
  clientId: number,
  records: EndedRecord[],
  pseudonymOf: PseudonymOf,
): Promise<void> {
  const ids = records
    .filter(({ event }) => event.recordKind === 'link')
    .map(({ event }) => event.recordId)
  const customers = await lockCustomers(tx, clientId, ids)
  await replaceCustomers(
    tx,
    clientId,
    customers
      .map(({ id, customerPhone }) => ({
        id,
        customerPhone: customerPhone && pseudonymOf(numberIn(customerPhone)),
      }))
      // Where one number is forgotten, a customer with another one is somebody else.
      .filter(({ customerPhone }) => !customerPhone || isPseudonym(customerPhone)),
  )
}

/** The number that a merchant wrote, in the form that a search for it is computed from. */
function numberIn(written: string): string {
  const number = nineDigitsOf(written)
  return isPseudonym(number) ? number : number.replaceAll(/^(\+|00)|\D/g, '') || number
}

/** The body of an event with a pseudonym; none when there is no number to replace. */
function withoutNumber(
  event: StoredEvent,
  pseudonymOf: PseudonymOf,
  safe: BodySafe,
): Pick<StoredEvent, 'id' | 'body'>[] {
  const clear = safe.open(event)
  const told = JSON.parse(clear) as { PHONE_NUMBER: string }
  const number = pseudonymOf(told.PHONE_NUMBER)
  if (number === told.PHONE_NUMBER) return []
  const body = JSON.stringify({ ...told, PHONE_NUMBER: number })
  const isSealed = clear !== event.body
  return [{ id: event.id, body: isSealed ? safe.seal({ ...event, body }) : body }]
}
