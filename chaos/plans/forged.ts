import { randomBytes } from 'node:crypto'
import type { Sender } from '../sender.ts'

const atOnce = 32
const connectors = ['gsma', 'request-to-pay', 'otp-confirm', 'checkout-session', 'top-up']

interface Attempt {
  clientId: number
  id: string
}

/**
 * Callbacks that claim a success of real open orders and do not come from a provider: with guessed
 * codes, codes of other orders, without signature, with old and wrong ones. Reports how many were
 * taken as genuine.
 */
export async function forgeCallbacks(sender: Sender): Promise<unknown> {
  const { job } = sender
  const attempts = job.more.attempts as Attempt[]
  let index = 0
  let taken = 0
  const callers = Array.from({ length: atOnce }, async () => {
    while (index < job.count) {
      const own = index
      index += 1
      const attempt = attempts[own % attempts.length]
      if (attempt === undefined) return
      const { status } = await sender.send({
        merchant: own,
        method: 'POST',
        path: pathOf(own, attempt),
        body: claimOf(attempt),
        headers: headersOf(own),
      })
      if (status < 400) taken += 1
    }
  })
  await Promise.all(callers)
  return { sent: index, taken }
}

function pathOf(own: number, { clientId, id }: Attempt): string {
  const connector = connectors[own % connectors.length] ?? ''
  if (connector === 'checkout-session' && own % 2 === 0) return `/callbacks/${connector}`
  const code = own % 3 === 0 ? '' : randomBytes(20).toString('base64url')
  return `/callbacks/${connector}/${clientId}/${id}/${code || 'x'}`
}

/** Says in the words of every protocol that the order has succeeded. */
function claimOf({ id }: Attempt): object {
  return {
    id: `EV_${id}`,
    type: 'checkout.session.completed',
    status: 'SUCCESSFUL',
    transactionStatus: 'completed',
    transactionReference: id,
    serverCorrelationId: id,
    externalId: id,
    financialTransactionId: '1',
    data: { id, client_reference: id, payment_status: 'succeeded', checkout_status: 'complete' },
  }
}

function headersOf(own: number): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const v1 = randomBytes(32).toString('hex')
  return own % 2 === 0
    ? { 'checkout-signature': `t=${now},v1=${v1}` }
    : { 'x-date': new Date().toISOString() }
}
