/**
 * Every status change there is; any other is refused. Rows without a note are part of the published
 * interface. The others are our own, and name the decision that explains them.
 */
export const transitions = [
  // resource      from          trigger                 to            also
  ['transaction', '(new)', 'accepted', 'PENDING', 'hold'],
  ['transaction', 'PENDING', 'in_progress', 'PROCESSING', 'nothing'], // ours: decisions/0006
  ['transaction', 'PENDING', 'otp_accepted', 'PROCESSING', 'nothing'], // ours: decisions/0006
  ['transaction', 'PENDING', 'outcome_unknown', 'PROCESSING', 'nothing'], // ours: decisions/0006
  ['transaction', 'PENDING', 'provider_succeeded', 'SUCCESS', 'settle_and_notify'],
  ['transaction', 'PENDING', 'provider_declined', 'FAILED', 'release_and_notify'],
  ['transaction', 'PENDING', 'payer_refused', 'CANCELLED', 'release_and_notify'], // ours: 0006
  ['transaction', 'PENDING', 'payer_timeout', 'CANCELLED', 'release_and_notify'], // ours: 0006
  ['transaction', 'PROCESSING', 'provider_succeeded', 'SUCCESS', 'settle_and_notify'],
  ['transaction', 'PROCESSING', 'provider_declined', 'FAILED', 'release_and_notify'],
  ['transaction', 'PROCESSING', 'payer_refused', 'CANCELLED', 'release_and_notify'], // ours: 0006
  ['transaction', 'PROCESSING', 'payer_timeout', 'CANCELLED', 'release_and_notify'], // ours: 0006
  ['bill', '(new)', 'biller_accepted', 'SUCCESS', 'settle_and_notify'],
  ['bill', '(new)', 'biller_not_confirmed', 'PROCESSING', 'debit'],
  ['bill', 'PROCESSING', 'biller_succeeded', 'SUCCESS', 'settle_and_notify'],
  ['bill', 'PROCESSING', 'biller_failed', 'FAILED', 'refund_and_notify'],
  ['link', '(new)', 'accepted', 'PENDING', 'mail'],
  ['link', 'PENDING', 'payment_succeeded', 'SUCCESS', 'notify'],
  ['link', 'PENDING', 'payer_gave_up', 'FAILED', 'notify'], // ours: decisions/0006
  ['link', 'PENDING', 'attempts_exhausted', 'FAILED', 'notify'], // ours: decisions/0006
  ['link', 'PENDING', 'lifetime_over', 'EXPIRED', 'notify'], // ours: decisions/0006
] as const

type Row = (typeof transitions)[number]
export type Resource = Row[0]
export type Effect = Row[4]
/** Every status of a resource, except `(new)`. */
export type StatusOf<R extends Resource> = Extract<Row, readonly [R, ...unknown[]]>[3]
/** Every trigger of a resource. */
export type TriggerOf<R extends Resource> = Extract<Row, readonly [R, ...unknown[]]>[2]

/** The status that a trigger leads to, or undefined when the table has no such row. */
export function nextOf<R extends Resource>(
  resource: R,
  from: Row[1] | Row[3],
  trigger: TriggerOf<R>,
): { to: StatusOf<R>; also: Effect } | undefined {
  const row = transitions.find(
    ([rowResource, rowFrom, rowTrigger]) =>
      rowResource === resource && rowFrom === from && rowTrigger === trigger,
  )
  return row === undefined ? undefined : { to: row[3] as StatusOf<R>, also: row[4] }
}

/** Whether no status follows this one. */
export function isFinal<R extends Resource>(resource: R, status: StatusOf<R>): boolean {
  return !transitions.some(([rowResource, from]) => rowResource === resource && from === status)
}
