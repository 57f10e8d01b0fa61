import { hasValidToken, issueToken } from '../access-tokens.ts'
import { type CallbackRequest, forgedUrl } from '../callback-sender.ts'
import { amountOfText, header, isWebAddress, object, text } from '../fields.ts'
import { floatAt } from '../float.ts'
import type { Claim, Operation, Order, OrderBook, OrderKind } from '../order.ts'
import { amountShown, defineKind, placeOrder, searchByKey } from '../order-book.ts'
import type { Answer, Body, Call, Protocol } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import type { Reason } from '../script.ts'
import { seededRandom } from '../seeded-random.ts'

// Identifiers that clients make are UUIDs of version 4.
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const statuses = { pending: 'PENDING', succeeded: 'SUCCESSFUL', failed: 'FAILED' } as const
const reasonCodes: Record<Reason, string> = {
  insufficient_funds: 'NOT_ENOUGH_FUNDS',
  refused: 'APPROVAL_REJECTED',
  expired: 'EXPIRED',
  payee_refused: 'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  failed: 'PAYEE_NOT_ALLOWED_TO_RECEIVE',
}

/** Requests to pay and transfers, each identified by the UUID that the client chose. */
export function requestToPay(book: OrderBook): Protocol {
  const kind = defineKind(book, {
    name: 'request-to-pay',
    writeCallback: (order, claim) => writeCallback(book, order, claim),
  })
  return {
    malformed: () => refusal(400, 'INVALID_BODY', 'The body is not JSON'),
    unknownPath: unknownResource,
    routes: {
      'POST /collection/token': createToken,
      'POST /disbursement/token': createToken,
      'GET /disbursement/v1_0/account/balance': guarded(({ mount }) => {
        for (const order of book.orders) if (order.mount === mount) runDueSteps(book, order)
        const availableBalance = String(Math.max(0, floatAt(book, mount.path)))
        return { status: 200, body: { availableBalance, currency: mount.currency } }
      }),
      'POST /collection/v1_0/requesttopay': guarded((call) => create(book, kind, call, 'collect')),
      'POST /disbursement/v1_0/transfer': guarded((call) => create(book, kind, call, 'disburse')),
      'GET /collection/v1_0/requesttopay/:id': guarded((call) => read(book, call, 'collect')),
      'GET /disbursement/v1_0/transfer/:id': guarded((call) => read(book, call, 'disburse')),
    },
  }
}

/** A token for any user and key: the lab knows no users. */
function createToken(call: Call): Answer {
  if (header(call, 'ocp-apim-subscription-key') === '')
    return refusal(401, 'UNAUTHORIZED', 'The subscription key is missing')
  if (!/^Basic \S+$/.test(header(call, 'authorization')))
    return refusal(401, 'UNAUTHORIZED', 'User and key are missing')
  const body = { token_type: 'access_token', expires_in: 3600 }
  return { status: 200, body: { access_token: issueToken(call.mount.connector), ...body } }
}

function guarded<Result>(handle: (call: Call) => Result): (call: Call) => Result | Answer {
  return (call) =>
    hasValidToken(call)
      ? handle(call)
      : refusal(401, 'UNAUTHORIZED', 'The token is missing or too old')
}

function create(
  book: OrderBook,
  kind: OrderKind,
  call: Call,
  operation: Operation,
): Answer | Promise<Answer> {
  const { body, mount } = call
  const key = header(call, 'x-reference-id').toLowerCase()
  const url = header(call, 'x-callback-url')
  const party = object(operation === 'collect' ? body.payer : body.payee)
  const phone = text(party.partyId)
  const amount = amountOfText(body.amount)
  if (!uuid.test(key)) return refusal(400, 'INVALID_REFERENCE_ID', 'X-Reference-Id: a UUID v4')
  if (url !== '' && !isWebAddress(url)) return refusal(400, 'INVALID_CALLBACK_URL_HOST', url)
  if (amount === undefined) return refusal(400, 'INVALID_AMOUNT', 'amount: whole francs as text')
  if (party.partyIdType !== 'MSISDN' || !/^[0-9]{9,15}$/.test(phone))
    return refusal(400, 'INVALID_PARTY', 'An MSISDN without plus is needed')
  for (const shown of [body.payerMessage, body.payeeNote])
    if (shown !== undefined && !/^[^&<>]{1,160}$/.test(text(shown)))
      return refusal(
        400,
        'INVALID_MESSAGE',
        'payerMessage, payeeNote: 1 to 160 characters, no & < >',
      )
  // This protocol answers 500 to some mistakes of the client.
  if (body.currency !== mount.currency) return refusal(500, 'INVALID_CURRENCY', mount.currency)

  const request = {
    mount,
    kind,
    operation,
    key,
    isKeyUnique: true,
    clientReference: text(body.externalId),
    phone,
    amount,
    prefix: '',
    callbackUrl: url,
    echo: { party, payerMessage: body.payerMessage, payeeNote: body.payeeNote },
  }
  return placeOrder(book, request, {
    accepted: () => ({ status: 202 }),
    repeated: () => refusal(409, 'RESOURCE_ALREADY_EXIST', 'This X-Reference-Id was used'),
    declined: (reason) => refusal(500, reasonCodes[reason], 'Declined'),
  })
}

function read(book: OrderBook, call: Call, operation: Operation): Answer {
  const order = searchByKey(book, call.mount, (call.params[0] ?? '').toLowerCase())
  if (order?.operation !== operation) return unknownResource()
  return { status: 200, body: describe(order, order) }
}

/** Unsigned, and sent by POST or PUT depending on the seed: receivers must accept both. */
function writeCallback(book: OrderBook, order: Order, claim: Claim): CallbackRequest {
  const { callbackUrl: url } = order
  return {
    method: seededRandom(book.seed, order.number, 4) < 0.5 ? 'POST' : 'PUT',
    url: claim.isForged ? forgedUrl(url) : url,
    body: JSON.stringify(describe(order, claim)),
    isForged: claim.isForged,
  }
}

function describe(order: Order, { status, reason }: Pick<Claim, 'status' | 'reason'>): Body {
  const { party, payerMessage, payeeNote } = order.echo
  return {
    amount: String(amountShown(order)),
    currency: order.mount.currency,
    externalId: order.clientReference,
    ...(status === 'succeeded' && { financialTransactionId: order.reference }),
    [order.operation === 'collect' ? 'payer' : 'payee']: party,
    payerMessage,
    payeeNote,
    status: statuses[status],
    ...(status === 'failed' && { reason: reasonCodes[reason ?? 'failed'] }),
  }
}

function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } }
}

function unknownResource(): Answer {
  return refusal(404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found')
}
