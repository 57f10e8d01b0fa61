import { usualCapability } from '../capabilities.ts'
import type { Credentials } from '../contract.ts'
import type { Send } from '../gated-client.ts'
import type { Reply } from '../http-client.ts'

/** The requests of this protocol. */
export interface OtpConfirmClient {
  createInvoice(body: unknown): Promise<Reply>
  prompt(wallet: string, body: unknown): Promise<Reply>
  confirm(body: unknown): Promise<Reply>
  readInvoice(token: string): Promise<Reply>
  createPayout(body: unknown): Promise<Reply>
  submitPayout(token: string, attemptId: string): Promise<Reply>
  readPayout(token: string): Promise<Reply>
}

/** A client that sends the account's three keys, in headers with the provider's prefix. */
export function openClient(send: Send, credentials: Credentials): OtpConfirmClient {
  const { headerPrefix = '', masterKey = '', privateKey = '', token = '' } = credentials
  const { deadlineMs } = usualCapability
  const headers = {
    [`${headerPrefix}master-key`]: masterKey,
    [`${headerPrefix}private-key`]: privateKey,
    [`${headerPrefix}token`]: token,
  }
  const post = (path: string, body: unknown, isOrder: boolean) =>
    send({ method: 'POST', path, headers, body, deadlineMs, isOrder })
  return {
    createInvoice: (body) => post('/checkout-invoice/create', body, true),
    prompt: (wallet, body) => post(`/softpay/${wallet}`, body, true),
    confirm: (body) => post('/softpay/confirm', body, false),
    readInvoice: (invoice) =>
      send({
        method: 'GET',
        path: `/checkout-invoice/confirm/${encodeURIComponent(invoice)}`,
        headers,
        deadlineMs,
      }),
    createPayout: (body) => post('/disburse/get-invoice', body, true),
    submitPayout: (invoice, attemptId) =>
      post('/disburse/submit-invoice', { disburse_invoice: invoice, disburse_id: attemptId }, true),
    readPayout: (invoice) => post('/disburse/check-status', { disburse_invoice: invoice }, false),
  }
}
