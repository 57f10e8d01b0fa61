import type { Tx } from '../db/db.ts'
import { fragment, identifier } from '../db/db.ts'
import type { Rows, Shape } from '../db/rows.ts'
import { rowsOf } from '../db/rows.ts'
import type { Fragment } from '../db/statement.ts'
import type { Resource } from './transitions.ts'

interface Step {
  resource: Resource
  clientId: number
  id: string
  from: string
  trigger: string
  to: string
  isFinal: boolean
  at: Date
}

/** What else is written of a row whose status moves, in the same statement. */
export interface Carried {
  /** Columns and types of the values in `valuesOf`. Always the same object, for one statement. */
  shape: Shape
  /** `column = n."value", …` */
  set: Fragment
  /** What must hold of the row `r` for the values `n`. */
  check: Fragment
  valuesOf(id: { clientId: number; id: string }): object | undefined
}

const tables: Record<Resource, string> = {
  transaction: 'transactions',
  // A bill payment is a transaction with states of its own.
  bill: 'transactions',
  link: 'links',
}

const nothing: Omit<Carried, 'valuesOf'> = {
  shape: {},
  set: fragment``,
  check: fragment`true`,
}

/** Moves rows that are where the steps say, writes the history, and counts them. */
export async function updateStatuses(tx: Tx, steps: Step[], carried?: Carried): Promise<number> {
  let moved = 0
  for (const [resource, group] of Map.groupBy(steps, (step) => step.resource))
    moved += await updateTable(tx, resource, group, carried)
  return moved
}

async function updateTable(
  tx: Tx,
  resource: Resource,
  steps: Step[],
  carried?: Carried,
): Promise<number> {
  const { shape, set, check } = carried ?? nothing
  const values = carried === undefined ? steps : steps.map((step) => withValues(step, carried))
  const stepRows = stepRowsWith(shape)
  const [told] = await tx<{ count: number }>`
    with moved as (
      update ${identifier(tables[resource])} r
      set ${set} status = n."to", completed_at = case when n."isFinal" then n.at end
      from ${stepRows(values)} as n
      where (r.client_id, r.id) = (n."clientId", n.id) and r.status = n."from" and ${check}
      returning n."clientId", n.id, n."from", n.trigger, n."to", n.at
    ), told as (
      insert into status_history (
        client_id, resource, record_id, from_status, trigger, to_status, at)
      select "clientId", ${resource}, id, "from", trigger, "to", at from moved
      returning 1
    )
    select count(*) from told`
  return told?.count ?? 0
}

const forms = new WeakMap<Shape, (steps: object[]) => Rows>()

function stepRowsWith(shape: Shape): (steps: object[]) => Rows {
  const known = forms.get(shape)
  if (known !== undefined) return known
  const made = rowsOf({
    ...shape,
    clientId: 'integer',
    id: 'uuid',
    from: 'text',
    trigger: 'text',
    to: 'text',
    isFinal: 'boolean',
    at: 'timestamptz',
  })
  forms.set(shape, made)
  return made
}

function withValues(step: Step, { valuesOf }: Carried): object {
  return { ...valuesOf(step), ...step }
}
