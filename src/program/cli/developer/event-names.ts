import { InvalidArgumentError } from 'commander'
import { nearest } from '#base/kit/nearest.ts'

const types = ['cashout', 'cashin', 'airtime', 'bill', 'refund', 'payment']
const statuses = ['success', 'failed', 'cancelled', 'expired']

/**
 * Reads names of events, separated by commas: refund, cashout.failed, *.success. Returns whether an
 * event has one of them.
 */
export function eventFilter(text: string): (name: string) => boolean {
  const patterns = text.split(',').map((one) => readPattern(one.trim().toLowerCase()))
  return (name) => {
    const [type, status] = name.split('.')
    return patterns.some(
      (one) => [type, '*'].includes(one.type) && [status, '*'].includes(one.status),
    )
  }
}

function readPattern(text: string): { type: string; status: string } {
  const [type = '', status = '*', ...rest] = text.split('.')
  const wrong = [
    ...(types.includes(type) || type === '*' ? [] : [[type, types] as const]),
    ...(statuses.includes(status) || status === '*' ? [] : [[status, statuses] as const]),
  ]
  const [first] = wrong
  if (first === undefined && rest.length === 0) return { type, status }
  const near = first === undefined ? undefined : nearest(first[0], first[1])
  throw new InvalidArgumentError(
    `"${text}" is not an event${near === undefined ? '' : `: did you mean ${near}?`} Examples: ` +
      `cashout.success, refund, *.failed; types: ${types.join(', ')}; statuses: ` +
      `${statuses.join(', ')}.`,
  )
}
