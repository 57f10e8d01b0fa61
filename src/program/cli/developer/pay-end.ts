import { francs } from '../terminal.ts'
import type { Gateway } from './gateway.ts'
import type { Looked } from './payments.ts'
import { faint, type Screen, strong } from './screen.ts'

/** Shows how a payment ended, and what can be done next. */
export function showEnd(
  screen: Screen,
  gateway: Gateway,
  payment: Looked | Pick<Looked, 'transactionId'>,
): void {
  const { transactionId: id } = payment
  screen.line()
  screen.line(strong('Status' in payment ? endOf(payment) : stillOpen))
  if ('failure' in payment && payment.failure !== undefined) {
    const { code, message, retryable: isRetryable } = payment.failure
    screen.line(`  ${code}: ${message}`)
    screen.line(`  ${isRetryable ? tryAgain : noUse}`)
  }
  screen.line()
  screen.line('Next:')
  const where = gateway.isOwn ? '' : ` --url ${gateway.url}`
  const next = [
    [`npx passerelle open ${id}${where}`, 'see all of it in the dashboard'],
    [`npx passerelle listen${where}`, 'see events of payments as they come'],
    ['npx passerelle trigger --list', 'events that you can make happen'],
  ] as const
  const width = Math.max(...next.map(([command]) => command.length))
  for (const [command, what] of next) screen.line(`  ${command.padEnd(width)}  ${faint(what)}`)
}

const stillOpen = 'Still open. No timeout fails a payment: its webhook tells the end.'
const tryAgain = 'The same payment may succeed later, under a new --external-id.'
const noUse = 'Trying the same payment again is of no use: docs/payments.md tells what is.'

function endOf({ Status, Amount, Fee }: Looked): string {
  if (Status === 'SUCCESS') return `Paid: ${francs(Amount)}, fee ${francs(Fee)}.`
  return Status === 'CANCELLED' ? 'Cancelled: no money moved.' : 'Failed: no money moved.'
}
