/** The name of a kind of event, the same everywhere: cashout.success; of a link payment.success. */
export function eventName(event: { transactionType?: string; STATUS?: string }): string {
  return `${event.transactionType ?? ''}.${event.STATUS ?? ''}`.toLowerCase()
}
