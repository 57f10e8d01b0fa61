import { object, text } from '../fields.ts'
import type { Order, OrderBook, OrderKind } from '../order.ts'
import { defineKind, placeOrder } from '../order-book.ts'
import { keepRecords } from '../order-journal.ts'
import type { Answer, Body, Call, Mount, Routes } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import { alreadyProcessed, describeReason, invalid, notFound, wrongState } from './gsma-errors.ts'
import { listAnswer } from './gsma-lists.ts'
import type { OtherRequests } from './gsma-requests.ts'
import { headerProblem } from './gsma-requests.ts'
import { partyOf, readTransaction } from './gsma-transactions.ts'

/** A transaction that did not become an order. */
interface Rejection {
  transaction: Body
  reason: string
  at: number
}

/** Transactions that are placed together, once the batch is approved. */
interface Batch {
  id: string
  mount: Mount
  title: string
  description: string
  createdAt: number
  approvedAt: number
  transactions: Body[]
  rejections: Rejection[]
  orders: Order[]
}

const transactionsMax = 1000

/** What all routes of batches use. */
interface Batches {
  book: OrderBook
  requests: OtherRequests
  byId: Map<string, Batch>
  kind: OrderKind
  /** Writes a batch to the journal; its orders have lines of their own. */
  keep(batch: Batch): void
}

/** Batches: created, approved, and then run as one order for each transaction. */
export function gsmaBatches(book: OrderBook, requests: OtherRequests): Routes {
  const batches = openBatches(book, requests)
  const onBatch = (handle: (call: Call, batch: Batch) => Answer) => (call: Call) => {
    const batch = batches.byId.get(call.params[0] ?? '')
    if (batch?.mount !== call.mount) return notFound('No such batch')
    for (const order of batch.orders) runDueSteps(book, order)
    return handle(call, batch)
  }
  return {
    'POST /batchtransactions': (call) => create(batches, call),
    'PATCH /batchtransactions/:batch': onBatch((call, batch) => approve(batches, call, batch)),
    'GET /batchtransactions/:batch': onBatch((_call, batch) => ({
      status: 200,
      body: write(batch),
    })),
    'GET /batchtransactions/:batch/completions': onBatch((call, { orders }) =>
      listAnswer(call, orders.filter(({ status }) => status === 'succeeded').map(writeCompletion)),
    ),
    'GET /batchtransactions/:batch/rejections': onBatch((call, { orders, rejections }) => {
      const failed = orders.filter(({ status }) => status === 'failed').map(writeFailure)
      return listAnswer(call, [...rejections.map(writeRejection), ...failed])
    }),
  }
}

function openBatches(book: OrderBook, requests: OtherRequests): Batches {
  const byId = new Map<string, Batch>()
  const save = keepRecords<Omit<Batch, 'mount' | 'orders'>>(book, 'gsma batch', (data, mount) => {
    byId.set(data.id, { ...data, mount, orders: [] })
  })
  const kind = defineKind(book, {
    name: 'gsma batch transaction',
    entered: (order) => byId.get(text(order.echo.batchId))?.orders.push(order),
  })
  const keep = ({ mount, orders: _orders, ...data }: Batch) => save(mount, data)
  return { book, requests, byId, kind, keep }
}

function create(batches: Batches, call: Call): Answer {
  const { mount, body } = call
  const { book, requests, byId } = batches
  const problem = headerProblem(call)
  if (problem !== undefined) return problem
  const transactions = Array.isArray(body.transactions) ? body.transactions.map(object) : []
  if (transactions.length === 0 || transactions.length > transactionsMax)
    return invalid('transactions')
  if (requests.isKnown(call)) return alreadyProcessed()
  const createdAt = Date.now()
  const batch: Batch = {
    id: `B${book.firstId + byId.size}`,
    mount,
    title: text(body.batchTitle),
    description: text(body.batchDescription),
    createdAt,
    approvedAt: 0,
    transactions: transactions.filter((one) => isValid(mount, one)),
    rejections: transactions
      .filter((one) => !isValid(mount, one))
      .map((transaction) => ({ transaction, reason: 'It is not valid', at: createdAt })),
    orders: [],
  }
  byId.set(batch.id, batch)
  batches.keep(batch)
  return acceptChange(batches, call, batch)
}

function approve(batches: Batches, call: Call, batch: Batch): Answer {
  const { operations } = call.body
  const { op, path, value } = object(Array.isArray(operations) ? operations[0] : undefined)
  const problem = headerProblem(call)
  if (problem !== undefined) return problem
  if (op !== 'replace' || path !== '/batchStatus' || value !== 'approved') return invalid('value')
  if (batches.requests.isKnown(call)) return alreadyProcessed()
  if (batch.approvedAt !== 0) return wrongState('It was approved before')
  batch.approvedAt = Date.now()
  for (const transaction of batch.transactions) place(batches, batch, transaction)
  batches.keep(batch)
  return acceptChange(batches, call, batch)
}

function place({ book, kind }: Batches, batch: Batch, transaction: Body): void {
  const order = readTransaction(batch.mount, transaction, text(transaction.type))
  if ('status' in order) return
  const request = {
    ...order,
    kind,
    mount: batch.mount,
    key: '',
    isKeyUnique: false,
    clientReference: text(transaction.requestingOrganisationTransactionReference),
    prefix: 'T',
    echo: { ...order.echo, batchId: batch.id },
  }
  const count = batch.orders.length
  void placeOrder(book, request, { accepted: () => ({ status: 202 }) })
  if (batch.orders.length > count) return
  // Its scenario refuses orders.
  batch.rejections.push({ transaction, reason: 'Please try again', at: Date.now() })
}

function acceptChange({ requests }: Batches, call: Call, batch: Batch): Answer {
  const link = `/batchtransactions/${batch.id}`
  return requests.accept(call, { reference: batch.id, link, write: () => write(batch) })
}

function isValid(mount: Mount, transaction: Body): boolean {
  return !('status' in readTransaction(mount, transaction, text(transaction.type)))
}

function write(batch: Batch): Body {
  const { orders, rejections, transactions, createdAt, approvedAt } = batch
  const completed = orders.filter(({ status }) => status === 'succeeded').length
  const failed = orders.filter(({ status }) => status === 'failed').length
  const isApproved = approvedAt !== 0
  const isCompleted = isApproved && completed + failed === orders.length
  const completedAt = Math.max(approvedAt, ...orders.map((order) => order.completedAt))
  return {
    batchId: batch.id,
    batchStatus: isCompleted ? 'completed' : isApproved ? 'approved' : 'created',
    batchTitle: batch.title,
    batchDescription: batch.description,
    processingFlag: isApproved && !isCompleted,
    completedCount: completed,
    rejectionCount: rejections.length + failed,
    parsingSuccessCount: transactions.length,
    creationDate: new Date(createdAt).toISOString(),
    approvalDate: isApproved ? new Date(approvedAt).toISOString() : undefined,
    completionDate: isCompleted ? new Date(completedAt).toISOString() : undefined,
  }
}

function writeCompletion(order: Order): Body {
  return {
    transactionReference: order.reference,
    requestingOrganisationTransactionReference: order.clientReference,
    creditParty: partyOf(order, 'creditParty'),
    debitParty: partyOf(order, 'debitParty'),
    completionDate: new Date(order.completedAt).toISOString(),
    link: `/transactions/${order.reference}`,
  }
}

function writeFailure(order: Order): Body {
  return {
    transactionReference: order.reference,
    requestingOrganisationTransactionReference: order.clientReference,
    creditParty: partyOf(order, 'creditParty'),
    debitParty: partyOf(order, 'debitParty'),
    rejectionReason: describeReason(order.reason),
    rejectionDate: new Date(order.completedAt).toISOString(),
  }
}

function writeRejection({ transaction, reason, at }: Rejection): Body {
  const { requestingOrganisationTransactionReference, creditParty, debitParty } = transaction
  return {
    requestingOrganisationTransactionReference,
    creditParty: creditParty ?? [],
    debitParty: debitParty ?? [],
    rejectionReason: reason,
    rejectionDate: new Date(at).toISOString(),
  }
}
