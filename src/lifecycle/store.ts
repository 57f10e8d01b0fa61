import type { Tx } from '../kit/db.ts'
import { identifier, json } from '../kit/db.ts'
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

const tables: Record<Resource, string> = {
  transaction: 'transactions',
  // A bill payment is a transaction with states of its own.
  bill: 'transactions',
  link: 'links',
}

/** Moves rows that are where the steps say, writes the history, and counts them. */
export async function updateStatuses(tx: Tx, steps: Step[]): Promise<number> {
  let moved = 0
  for (const [resource, group] of Map.groupBy(steps, (step) => step.resource))
    moved += await updateTable(tx, resource, group)
  return moved
}

async function updateTable(tx: Tx, resource: Resource, steps: Step[]): Promise<number> {
  const rows = await tx`
    with step as (
      select * from jsonb_to_recordset(${json(steps)}) as s (
        "clientId" integer, id uuid, "from" text, trigger text, "to" text, "isFinal" boolean,
        at timestamptz)
    ), moved as (
      update ${identifier(tables[resource])} r
      set status = step."to", completed_at = case when step."isFinal" then step.at end
      from step
      where (r.client_id, r.id) = (step."clientId", step.id) and r.status = step."from"
      returning r.client_id, r.id
    )
    insert into status_history (
      client_id, resource, record_id, from_status, trigger, to_status, at)
    select step."clientId", ${resource}, step.id, step."from", step.trigger, step."to", step.at
    from step join moved on (moved.client_id, moved.id) = (step."clientId", step.id)
    returning record_id`
  return rows.length
}
