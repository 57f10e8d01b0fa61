import { readHint } from '../callbacks.ts'
import { usualCapability } from '../capabilities.ts'
import { meaningOf } from '../code-table.ts'
import type { Attempt, ConfirmOutcome, Outcome, Protocol } from '../contract.ts'
import { evidenceOf } from '../evidence.ts'
import type { HttpResponse } from '../http-client.ts'
import {
  accepted,
  declined,
  notFound,
  pending,
  queryUnanswered,
  submitUnanswered,
  succeeded,
  unknown,
  unlisted,
} from '../outcomes.ts'
import { type OtpConfirmClient, openClient } from './client.ts'
import {
  confirmMessages,
  failReasons,
  invoiceStatuses,
  payoutStatuses,
  responseCodes,
} from './status.ts'
import {
  formatReference,
  type InvoiceReference,
  parseReference,
  readAnswer,
  readInvoice,
  readInvoiceState,
  readMessage,
  readPayoutInvoice,
  readPayoutState,
  readResponseCode,
  walletOf,
  writeCode,
  writeInvoice,
  writePayoutInvoice,
  writePrompt,
} from './wire.ts'

/**
 * An invoice is created first, which moves no money. Then the provider sends the customer a
 * one-time code, which reaches us through the merchant. Payouts have an invoice too. `reference` is
 * `<invoice>` and later `<invoice>:<transaction>`: queries need the invoice, codes the transaction.
 */
export const otpConfirm: Protocol = {
  name: 'otp-confirm',
  capabilities: {
    // `harmless`: a second prompt sends the customer another code, but an invoice is paid once.
    collect: {
      ...usualCapability,
      idempotency: 'harmless',
      notFoundIsFinalAfterMs: null,
      payerStep: 'otp',
    },
    // Found by its invoice, which is known before the payout is submitted and submitted only once.
    disburse: usualCapability,
  },
  credentialNames: ['headerPrefix', 'masterKey', 'privateKey', 'token'],
  probePath: '/',
  open: (send, credentials) => {
    const client = openClient(send, credentials)
    return {
      name: otpConfirm.name,
      capabilities: otpConfirm.capabilities,
      prepare: (attempt) => prepare(client, attempt),
      submit: (attempt) => submit(client, attempt),
      query: (attempt) => query(client, attempt),
      confirm: (attempt, code) => confirm(client, attempt, code),
      readCallback: (callback) => readHint(callback, (body) => readMessage(body)?.data.status),
    }
  },
}

/** Creates the invoice. An invoice is not an order, so any failure but a decline is `not_sent`. */
async function prepare(client: OtpConfirmClient, attempt: Attempt): Promise<Outcome> {
  const isCollect = attempt.operation === 'collect'
  const reply = isCollect
    ? await client.createInvoice(writeInvoice(attempt))
    : await client.createPayout(writePayoutInvoice(attempt))
  if (reply.kind !== 'answered') return { kind: 'not_sent', reason: `no invoice: ${reply.reason}` }
  const token = isCollect
    ? readInvoice(reply.body)?.token
    : readPayoutInvoice(reply.body)?.disburse_token
  if (reply.status === 200 && token !== undefined) return accepted(attempt, reply, token)
  const code = readResponseCode(reply.body)?.response_code
  if (meaningOf(responseCodes, code) === 'declined')
    return declined(attempt, reply, 'declined', `response code ${code}`)
  const evidence = evidenceOf(reply, attempt)
  return { kind: 'not_sent', reason: `no invoice: HTTP ${reply.status}`, evidence }
}

async function submit(client: OtpConfirmClient, attempt: Attempt): Promise<Outcome> {
  const invoice = parseReference(attempt.reference)
  if (invoice === undefined) return { kind: 'not_sent', reason: 'there is no invoice' }
  if (attempt.operation === 'collect') return prompt(client, attempt, invoice)
  const reply = await client.submitPayout(invoice.token, attempt.id)
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  const code = readResponseCode(reply.body)?.response_code
  const meaning = meaningOf(responseCodes, code)
  if (meaning === undefined) return unlisted(attempt, reply, code)
  if (meaning === 'declined') return declined(attempt, reply, meaning, `response code ${code}`)
  const transactionId = readPayoutState(reply.body)?.transaction_id ?? invoice.transactionId
  return accepted(attempt, reply, formatReference({ ...invoice, transactionId }))
}

async function prompt(
  client: OtpConfirmClient,
  attempt: Attempt,
  { token }: InvoiceReference,
): Promise<Outcome> {
  const wallet = walletOf(attempt.service.provider)
  const reply = await client.prompt(wallet, writePrompt(attempt, token))
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  const answer = readAnswer(reply.body)
  const transactionId = answer?.data?.TransactionID
  if (reply.status !== 200 || !answer?.success || !transactionId)
    return unlisted(attempt, reply, answer?.message)
  return accepted(attempt, reply, formatReference({ token, transactionId }))
}

async function confirm(
  client: OtpConfirmClient,
  attempt: Attempt,
  code: string,
): Promise<ConfirmOutcome> {
  const transactionId = parseReference(attempt.reference)?.transactionId
  if (!transactionId) return { kind: 'not_sent', reason: 'the transaction is not known' }
  const reply = await client.confirm(writeCode(attempt, transactionId, code))
  if (reply.kind === 'not_sent') return reply
  if (reply.kind === 'lost') return unknown(attempt, reply, reply.reason)
  const answer = readAnswer(reply.body)
  const reason = answer?.message ?? `HTTP ${reply.status}`
  const meaning = answer?.success ? 'accepted' : meaningOf(confirmMessages, answer?.message)
  if (reply.status !== 200 || meaning === undefined)
    return unknown(attempt, reply, `unlisted answer: ${reason.slice(0, 100)}`)
  if (meaning === 'wrong_code') return { kind: 'wrong_code', evidence: evidenceOf(reply, attempt) }
  if (meaning === 'accepted') return accepted(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, reason)
}

async function query(client: OtpConfirmClient, attempt: Attempt): Promise<Outcome> {
  const invoice = parseReference(attempt.reference)
  // Without an invoice no order was sent.
  if (invoice === undefined) return { kind: 'not_found' }
  const isCollect = attempt.operation === 'collect'
  const reply = isCollect
    ? await client.readInvoice(invoice.token)
    : await client.readPayout(invoice.token)
  if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply)
  const read = isCollect
    ? outcomeOfInvoice(attempt, reply, invoice)
    : outcomeOfPayout(attempt, reply, invoice)
  return read ?? unlisted(attempt, reply)
}

/** Amounts come without a currency: an account with this provider has a single currency. */
function outcomeOfInvoice(
  attempt: Attempt,
  reply: HttpResponse,
  invoice: InvoiceReference,
): Outcome | undefined {
  const state = readInvoiceState(reply.body)
  if (state === undefined) return undefined
  const transactionId = invoice.transactionId ?? state.receipt_identifier ?? null
  const reference = formatReference({ ...invoice, transactionId })
  const { total_amount: amount } = state.invoice
  const { currency } = attempt
  const meaning = meaningOf(invoiceStatuses, state.status)
  if (meaning === undefined) return unlisted(attempt, reply, state.status)
  // Without a transaction id no code can be sent: `not_found` makes the caller prompt (again).
  if (meaning === 'pending' && transactionId === null)
    return notFound({ ...attempt, reference: null }, reply)
  if (meaning === 'pending') return pending(attempt, reply, reference)
  if (meaning === 'succeeded') return succeeded(attempt, reply, { reference, amount, currency })
  const cause = meaningOf(failReasons, state.fail_reason) ?? meaning
  return declined(attempt, reply, cause, state.fail_reason ?? state.status)
}

function outcomeOfPayout(
  attempt: Attempt,
  reply: HttpResponse,
  invoice: InvoiceReference,
): Outcome | undefined {
  const state = readPayoutState(reply.body)
  if (state === undefined) return undefined
  const transactionId = state.transaction_id ?? invoice.transactionId
  const reference = formatReference({ ...invoice, transactionId })
  const { amount, status } = state
  const { currency } = attempt
  const meaning = meaningOf(payoutStatuses, status)
  if (meaning === undefined) return unlisted(attempt, reply, status)
  // An invoice is not an order; only a known transaction id shows that there was one.
  if (meaning === 'never_submitted')
    return notFound({ ...attempt, reference: invoice.transactionId }, reply)
  if (meaning === 'pending') return pending(attempt, reply, reference)
  if (meaning === 'succeeded') return succeeded(attempt, reply, { reference, amount, currency })
  return declined(attempt, reply, meaning, state.fail_reason ?? status)
}
