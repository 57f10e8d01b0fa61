import type { CallbackRequest, CallbackSender } from './callback-sender.ts'
import type { Journal } from './journal.ts'
import type { Body, Mount } from './router.ts'
import type { Fault } from './scenarios.ts'
import type { Reason, Script, Step } from './script.ts'
import type { StatementFee } from './statement.ts'

/** What an order is for, seen from the client. */
export type Operation = 'collect' | 'disburse' | 'top_up' | 'bill' | 'reverse'
/** The status of an order; only a pending order changes. */
export type Status = 'pending' | 'succeeded' | 'failed'

/** What a callback claims. `isForged`: it must look as if somebody else had sent it. */
export interface Claim {
  status: Status
  reason: Reason | undefined
  isForged: boolean
}

/** What orders of one kind do. Found by its name, so that orders can be read from a journal. */
export interface OrderKind {
  name: string
  /** How long the payer takes, where it is not about a second. */
  payerMs?: number
  /** Writes a callback, for an order that has a callback address. */
  writeCallback?: (order: Order, claim: Claim) => CallbackRequest
  /** Called when money is about to move; false: the order fails instead. */
  execute?: (order: Order) => boolean
  /** Called when the order is in the book, before its next step runs. */
  entered?: (order: Order) => void
}

/** A new order, as a protocol passes it to the order book. */
export interface OrderRequest {
  mount: Mount
  kind: OrderKind
  operation: Operation
  /** The client's idempotency key; empty when it gave none. */
  key: string
  /** Whether a second order with the same key is refused. */
  isKeyUnique: boolean
  clientReference: string
  /** The customer's number, or the subscriber's reference. */
  phone: string
  amount: number
  /** The beginning of the order's reference; the order's id follows. */
  prefix: string
  /** Empty when the client gave none. */
  callbackUrl?: string
  /** What the protocol needs again in later answers, as JSON can hold it. */
  echo: Body
  /** For a reversal: the collection that is refunded. */
  original?: Order | undefined
  /** Changes the script of a scenario where this protocol differs. */
  adaptScript?: (script: Script) => Script
}

/** An order in the book: the request, and its state. */
export interface Order extends Omit<OrderRequest, 'prefix' | 'adaptScript'> {
  callbackUrl: string
  /** 1 for the first order of the book. */
  number: number
  /** The number in the order's reference. */
  id: number
  reference: string
  status: Status
  reason: Reason | undefined
  /** The amount that moved. */
  paid: number
  /** How often money moved. */
  executed: number
  /** How much was refunded, or is being refunded. */
  reversed: number
  createdAt: number
  completedAt: number
  script: Script
  /** How often it was looked for while it may be hidden. */
  searches: number
  /** The index of the next step. */
  cursor: number
  /** When the last step was due. */
  lastStepAt: number
  /** When the delay that the order is in ends; 0: it is in none. */
  delayEndsAt: number
  /** The script, and the index of the next step, that the journal has. */
  savedScript: Script
  savedCursor: number
  timer: NodeJS.Timeout | undefined
  /** Sends the answer that the script holds back, as this step says. */
  releaseAnswer: ((step: Step) => void) | undefined
  /** The delivery of all callbacks so far, which go out one after the other. */
  delivery: Promise<void> | undefined
  lastCallback: CallbackRequest | undefined
}

/** All orders, and the settings that decide how they go; `/lab/reset` starts a new book. */
export interface OrderBook {
  seed: number
  /** Every delay is divided by this. */
  pace: number
  callbacks: CallbackSender
  journal: Journal
  /** The kinds of orders, by name. */
  kinds: Map<string, OrderKind>
  /** Reads what protocols keep beside orders back from the journal, by the name of the record. */
  restorers: Map<string, (data: Body, mount: Mount) => void>
  /** A closed book runs no more steps. */
  isClosed: boolean
  isIdempotent: boolean
  orders: Order[]
  /** Ids count from here: the time of opening, so that none repeats after a restart. */
  firstId: number
  /** Orders of the journal, by id. */
  restored: Map<number, Order>
  byKey: Map<string, Order>
  /** How often an order was refused with an HTTP error, and the script that it follows. */
  refused: Map<string, { script: Script; times: number }>
  /** Scripts that replace the scenario of a number. */
  scripts: Map<string, { next: Step[][]; always: Step[] | undefined }>
  /** What providers had at first, by the path of their mounts; others have enough. */
  floats: Map<string, number>
  /** What providers keep of each payment in their statements, by provider and country. */
  statementFees: Map<string, StatementFee>
  faultRate: number
  faultKinds: Fault[]
  /** The number of orders without a scenario so far: random faults are drawn by it. */
  draws: number
}
