import {
  accepted,
  declined,
  notFound,
  pending,
  succeeded,
  unanswered,
  unasked,
  unlisted,
} from '../answers.ts'
import { hintOf } from '../callbacks.ts'
import type { Attempt, ConfirmOutcome, Outcome } from '../contract.ts'
import { evidenceOf } from '../evidence.ts'
import type { Answered, Reply } from '../http.ts'
import type { Protocol } from '../protocol.ts'
import { meaningOf, usualCapability } from '../protocol.ts'
import type { OtpConfirmClient } from './client.ts'
import { openClient } from './client.ts'
import {
  cancelReasons,
  confirmMessages,
  invoiceStatuses,
  payoutStatuses,
  responseCodes,
} from './status.ts'
import type { Handles } from './wire.ts'
import {
  readAnswer,
  readHandles,
  readInvoice,
  readInvoiceState,
  readMessage,
  readPayoutInvoice,
  readPayoutState,
  readRefusal,
  walletOf,
  writeCode,
  writeHandles,
  writeInvoice,
  writePayoutInvoice,
  writePrompt,
} from './wire.ts'

/**
 * An invoice first, which moves nothing; then the customer is sent a code, which the merchant hands
 * on to us. Payouts have an invoice too. `reference` is `<invoice>` and then
 * `<invoice>:<transaction>`: queries go by the first part, codes by the second.
 */
export const otpConfirm: Protocol = {
  name: 'otp-confirm',
  capabilities: {
    // Another prompt is another code for the customer, but one invoice is paid only once.
    collect: {
      ...usualCapability,
      idempotency: 'harmless',
      notFoundIsFinalAfterMs: null,
      payerStep: 'otp',
    },
    // Not by an id of ours, but its invoice is known before it is sent, and submitted only once.
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
      readCallback: (callback) => hintOf(callback, (body) => readMessage(body)?.data.status),
    }
  },
}

/** Nothing but an invoice comes of it, so whatever goes wrong, no order was sent. */
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
  const code = readRefusal(reply.body)?.response_code
  if (meaningOf(responseCodes, code) === 'declined')
    return declined(attempt, reply, 'declined', `response code ${code}`)
  const evidence = evidenceOf(reply, attempt)
  return { kind: 'not_sent', reason: `no invoice: HTTP ${reply.status}`, evidence }
}

async function submit(client: OtpConfirmClient, attempt: Attempt): Promise<Outcome> {
  const handles = readHandles(attempt.reference)
  if (handles === undefined) return { kind: 'not_sent', reason: 'there is no invoice' }
  if (attempt.operation === 'collect') return prompt(client, attempt, handles)
  const reply = await client.submitPayout(handles.token, attempt.id)
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  const code = readRefusal(reply.body)?.response_code
  const meaning = meaningOf(responseCodes, code)
  if (meaning === undefined) return unlisted(attempt, reply, code)
  if (meaning === 'declined') return declined(attempt, reply, meaning, `response code ${code}`)
  const transactionId = readPayoutState(reply.body)?.transaction_id ?? handles.transactionId
  return accepted(attempt, reply, writeHandles({ ...handles, transactionId }))
}

async function prompt(
  client: OtpConfirmClient,
  attempt: Attempt,
  { token }: Handles,
): Promise<Outcome> {
  const wallet = walletOf(attempt.service.provider)
  const reply = await client.prompt(wallet, writePrompt(attempt, token))
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  const answer = readAnswer(reply.body)
  const transactionId = answer?.data?.TransactionID
  if (reply.status !== 200 || !answer?.success || !transactionId)
    return unlisted(attempt, reply, answer?.message)
  return accepted(attempt, reply, writeHandles({ token, transactionId }))
}

async function confirm(
  client: OtpConfirmClient,
  attempt: Attempt,
  code: string,
): Promise<ConfirmOutcome> {
  const transactionId = readHandles(attempt.reference)?.transactionId
  if (!transactionId) return { kind: 'not_sent', reason: 'the transaction is not known' }
  const reply = await client.confirm(writeCode(attempt, transactionId, code))
  if (reply.kind === 'not_sent') return reply
  if (reply.kind === 'lost') return doubtful(attempt, reply, reply.reason)
  const answer = readAnswer(reply.body)
  const evidence = evidenceOf(reply, attempt)
  const { reference } = attempt
  const reason = answer?.message ?? `HTTP ${reply.status}`
  const meaning = answer?.success ? 'accepted' : meaningOf(confirmMessages, answer?.message)
  if (reply.status !== 200 || meaning === undefined)
    return doubtful(attempt, reply, `unlisted answer: ${reason.slice(0, 100)}`)
  if (meaning === 'wrong_code') return { kind: 'wrong_code', evidence }
  if (meaning === 'accepted') return { kind: 'accepted', reference, evidence }
  return { kind: 'declined', cause: meaning, reason, reference, evidence }
}

function doubtful(attempt: Attempt, reply: Reply, reason: string): ConfirmOutcome {
  const { reference } = attempt
  return { kind: 'unknown', reason, reference, evidence: evidenceOf(reply, attempt) }
}

async function query(client: OtpConfirmClient, attempt: Attempt): Promise<Outcome> {
  const handles = readHandles(attempt.reference)
  // Without an invoice nothing was ever sent.
  if (handles === undefined) return { kind: 'not_found' }
  const isCollect = attempt.operation === 'collect'
  const reply = isCollect
    ? await client.readInvoice(handles.token)
    : await client.readPayout(handles.token)
  if (reply.kind !== 'answered') return unasked(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply)
  const read = isCollect ? readPaid(attempt, reply, handles) : readPaidOut(attempt, reply, handles)
  return read ?? unlisted(attempt, reply)
}

/** Amounts come without a currency: an account with this provider has only one. */
function readPaid(attempt: Attempt, reply: Answered, handles: Handles): Outcome | undefined {
  const state = readInvoiceState(reply.body)
  if (state === undefined) return undefined
  const transactionId = handles.transactionId ?? state.receipt_identifier ?? null
  const reference = writeHandles({ ...handles, transactionId })
  const { total_amount: amount } = state.invoice
  const { currency } = attempt
  const meaning = meaningOf(invoiceStatuses, state.status)
  if (meaning === undefined) return unlisted(attempt, reply, state.status)
  // Without a transaction nobody can hand on a code: the prompt has to be sent (again).
  if (meaning === 'pending' && transactionId === null)
    return notFound({ ...attempt, reference: null }, reply)
  if (meaning === 'pending') return pending(attempt, reply, reference)
  if (meaning === 'succeeded') return succeeded(attempt, reply, { reference, amount, currency })
  const cause = meaningOf(cancelReasons, state.fail_reason) ?? meaning
  return declined(attempt, reply, cause, state.fail_reason ?? state.status)
}

function readPaidOut(attempt: Attempt, reply: Answered, handles: Handles): Outcome | undefined {
  const state = readPayoutState(reply.body)
  if (state === undefined) return undefined
  const transactionId = state.transaction_id ?? handles.transactionId
  const reference = writeHandles({ ...handles, transactionId })
  const { amount, status } = state
  const { currency } = attempt
  const meaning = meaningOf(payoutStatuses, status)
  if (meaning === undefined) return unlisted(attempt, reply, status)
  // The invoice alone was never an order: only a transaction was.
  if (meaning === 'never_submitted')
    return notFound({ ...attempt, reference: handles.transactionId }, reply)
  if (meaning === 'pending') return pending(attempt, reply, reference)
  if (meaning === 'succeeded') return succeeded(attempt, reply, { reference, amount, currency })
  return declined(attempt, reply, meaning, state.fail_reason ?? status)
}
