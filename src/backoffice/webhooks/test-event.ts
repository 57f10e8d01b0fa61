import type { Mode } from '#base/config/config.ts'
import type { Clock } from '#base/kit/clock.ts'
import type { OriginPools } from '#base/net/pool.ts'
import { type SendResult, sendWebhook } from './send.ts'
import { signatureHeaders } from './sign.ts'

interface TestParts {
  clock: Clock
  mode: Mode
  pools: OriginPools
  secretsOf(clientId: number): Promise<string[]>
}

/** Sends a signed example to an address, once, and returns what it answers; nothing is recorded. */
export async function sendTestEvent(
  { clock, mode, pools, secretsOf }: TestParts,
  { clientId, url }: { clientId: number; url: string },
): Promise<SendResult> {
  const sentAt = clock.now()
  const body = JSON.stringify({ ...exampleEvent, COMPLETED_AT: sentAt.toISOString() })
  const message = { id: 'evt_test', sentAt, body }
  const headers = signatureHeaders(message, await secretsOf(clientId))
  return sendWebhook({ pools, owner: String(clientId), mode, url, headers, body })
}

const exampleEvent = {
  id: '00000000-0000-7000-8000-000000000000',
  externalTransactionId: 'example',
  transactionType: 'CASHOUT',
  AMOUNT: 5000,
  FEE: 100,
  PHONE_NUMBER: '771234567',
  STATUS: 'SUCCESS',
  CUSTOM_DATA: '{}',
  COMPLETED_AT: '',
  BALANCE: 4900,
  PREVIOUS_BALANCE: 0,
  CURRENT_BALANCE: 4900,
  FAILURE_CODE: '',
  FAILURE_MESSAGE: '',
}
