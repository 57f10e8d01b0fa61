import { Fragment } from './statement.ts'

/**
 * A condition on a client's number: false for clients that nothing in this cell may work on now.
 * They are frozen for a move, have moved to another cell, or are on their way to this one.
 */
export function isAtWork(column: keyof typeof conditions): Fragment {
  return conditions[column]
}

const conditionOn = (column: string) =>
  new Fragment(`${column} <> all(array(
    select m.client_id from client_moves m
    where m.state in ('moved', 'arriving', 'ready', 'undoing')
      or m.state in ('draining', 'frozen') and m.lease_until > clock_timestamp()))`)

const conditions = {
  client_id: conditionOn('client_id'),
  'b.client_id': conditionOn('b.client_id'),
  'c.id': conditionOn('c.id'),
  'e.client_id': conditionOn('e.client_id'),
  'f.client_id': conditionOn('f.client_id'),
}
