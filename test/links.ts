import assert from 'node:assert/strict'
import type { Db } from '#data/db/db.ts'
import type { PayerState, PayerView } from '#money/links/checkout.ts'
import type { Link } from '#money/links/link.ts'
import type { Links } from '#money/links/open.ts'
import { findLink } from '#money/links/store.ts'
import { call } from './live.ts'
import { eventually } from './wait.ts'

export const getLink = 'POST /api/v1/transaction/merchant/get-link'

let linkCount = 0

/** A body that creates a payment link, under an id of its own. */
export function linkBody(change: object = {}) {
  linkCount += 1
  return {
    externalTransactionId: `link-${linkCount}`,
    ItemName: 'Panier de légumes',
    ItemPrice: 7500,
    callBackURL: 'http://127.0.0.1:9/hook',
    successUrl: 'http://127.0.0.1:9/ok',
    failureUrl: 'http://127.0.0.1:9/no',
    ...change,
  }
}

/** Creates a payment link as a merchant; returns its id. */
export async function newLink(
  caller: { url: string; secret: string },
  change: object = {},
): Promise<string> {
  const { status, text, body } = await call(caller, getLink, linkBody(change))
  assert.equal(status, 201, text)
  return body.transactionId
}

/** A link as it is in the database. */
export async function linkOf(db: Db, id: string): Promise<Link> {
  const link = await findLink(db, id)
  assert.ok(link !== undefined, `there is no link ${id}`)
  return link
}

type Kind = PayerState['kind']

/** Looks at a link until its payer sees a state of this kind; returns the view. */
export async function untilSeen<K extends Kind>(
  { links }: { links: Links },
  id: string,
  kind: K,
): Promise<PayerView & { state: Extract<PayerState, { kind: K }> }> {
  let view: PayerView | undefined
  await eventually(
    () => `${id} is ${kind} (it is ${JSON.stringify(view?.state)})`,
    async () => {
      view = await links.checkout.look(id)
      return view?.state.kind === kind
    },
  )
  return view as PayerView & { state: Extract<PayerState, { kind: K }> }
}

/** The bodies of a link's events, oldest first. */
export async function eventsOf(db: Db, id: string): Promise<Record<string, unknown>[]> {
  const rows = await db<{ body: string }>`
    select body from events where record_id = ${id} order by position`
  return rows.map(({ body }) => JSON.parse(body))
}

/** The payments through a link, oldest first. */
export function paymentsOf(db: Db, id: string) {
  return db<{ id: string; status: string; serviceCode: string; attemptId: string }>`
    select id, status, service_code as "serviceCode", attempt_id as "attemptId"
    from transactions where link_id = ${id} and operation = 'CASHOUT' order by created_at, id`
}

/** Ends the lifetime of a link, and makes it due for the sweeper. */
export async function endLifetime(owner: Db, id: string): Promise<void> {
  await owner`
    update links set expires_at = now() - interval '1 second',
      due_at = case when due_at is null then null else now() - interval '1 second' end
    where id = ${id}`
}

/** Waits until every transaction has ended. */
export async function untilQuiet(db: Db): Promise<void> {
  let open: object[] = []
  await eventually(
    () => `${JSON.stringify(open)} have ended`,
    async () => {
      open = await db`select id, status from transactions where completed_at is null`
      return open.length === 0
    },
  )
}
