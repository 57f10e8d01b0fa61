import { fragment, identifier, type Tx } from '#data/db/db.ts'
import { type Rows, rowsOf, type Shape } from '#data/db/rows.ts'
import type { Fragment } from '#data/db/statement.ts'
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

/** Other columns of a row whose status moves, written in the same statement. */
export interface CarriedColumns {
  /**
   * Names and types of the values in `valuesOf`. Callers pass the same object each time: the
   * encoder of the rows is cached by it.
   */
  shape: Shape
  /** `column = n."value", …` */
  set: Fragment
  /** A condition on the row `r` and the values `n`; a row that fails it does not move. */
  check: Fragment
  valuesOf(id: { clientId: number; id: string }): object | undefined
}

const tables: Record<Resource, string> = {
  transaction: 'transactions',
  // A bill payment is a transaction with other states.
  bill: 'transactions',
  link: 'links',
}

const noColumns: Omit<CarriedColumns, 'valuesOf'> = {
  shape: {},
  set: fragment``,
  check: fragment`true`,
}

/** Moves the rows that are in the status `from`, adds to their history, and counts them. */
export async function updateStatuses(
  tx: Tx,
  steps: Step[],
  carried?: CarriedColumns,
): Promise<number> {
  let moved = 0
  for (const [resource, group] of Map.groupBy(steps, (step) => step.resource))
    moved += await updateTable(tx, resource, group, carried)
  return moved
}

async function updateTable(
  tx: Tx,
  resource: Resource,
  steps: Step[],
  carried?: CarriedColumns,
): Promise<number> {
  const { shape, set, check } = carried ?? noColumns
  const values = carried === undefined ? steps : steps.map((step) => withValues(step, carried))
  const stepRows = stepRowsWith(shape)
  const [row] = await tx<{ count: number }>`
    with moved as (
      update ${identifier(tables[resource])} r
      set ${set} status = n."to", completed_at = case when n."isFinal" then n.at end
      from ${stepRows(values)} as n
      where (r.client_id, r.id) = (n."clientId", n.id) and r.status = n."from" and ${check}
      returning n."clientId", n.id, n."from", n.trigger, n."to", n.at
    ), recorded as (
      insert into status_history (
        client_id, resource, record_id, from_status, trigger, to_status, at)
      select "clientId", ${resource}, id, "from", trigger, "to", at from moved
      returning 1
    )
    select count(*) from recorded`
  return row?.count ?? 0
}

const encoders = new WeakMap<Shape, (steps: object[]) => Rows>()

function stepRowsWith(shape: Shape): (steps: object[]) => Rows {
  const cached = encoders.get(shape)
  if (cached !== undefined) return cached
  const encoder = rowsOf({
    ...shape,
    clientId: 'integer',
    id: 'uuid',
    from: 'text',
    trigger: 'text',
    to: 'text',
    isFinal: 'boolean',
    at: 'timestamptz',
  })
  encoders.set(shape, encoder)
  return encoder
}

function withValues(step: Step, { valuesOf }: CarriedColumns): object {
  return { ...valuesOf(step), ...step }
}
