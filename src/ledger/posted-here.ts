import { fragment } from '../db/db.ts'

/**
 * A condition on a posting `p`: false for what was posted in another cell, before the client came
 * here. Accounts of the gateway itself (providers, fees, settlement) count each posting in the
 * cell where it was made: the money that it moved is at that cell's providers
 * (docs/decisions/0084).
 */
export const isPostedHere = fragment`not exists (
  select from client_moves m
  where m.client_id = p.client_id and m.direction = 'in'
    and (m.cut_at is null or p.created_at <= m.cut_at))`
