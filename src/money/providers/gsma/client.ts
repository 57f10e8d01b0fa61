import { usualCapability } from '../capabilities.ts'
import type { Attempt, Credentials } from '../contract.ts'
import type { Send } from '../gated-client.ts'
import type { Reply } from '../http-client.ts'

/** The requests of this protocol; a path is `/transactions/…`, without the base address. */
export interface GsmaClient {
  order(path: string, attempt: Attempt, body: unknown): Promise<Reply>
  read(path: string): Promise<Reply>
}

/** Sends orders with the attempt's id as correlation id, the provider's idempotency key. */
export function openClient(send: Send, { apiKey = '' }: Credentials): GsmaClient {
  const { deadlineMs } = usualCapability
  const access = { 'x-api-key': apiKey }
  return {
    order: (path, attempt, body) =>
      send({
        method: 'POST',
        path,
        headers: {
          ...access,
          'x-correlationid': attempt.id,
          'x-callback-url': attempt.callbackUrl,
        },
        body,
        deadlineMs,
        isOrder: true,
      }),
    read: (path) => send({ method: 'GET', path, headers: access, deadlineMs }),
  }
}
