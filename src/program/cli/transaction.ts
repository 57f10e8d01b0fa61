import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Order } from '#backoffice/approvals/approval.ts'
import { timelineOf } from '#backoffice/reports/detail.ts'
import { isUuid } from '#base/kit/ids.ts'
import { omit } from '#base/kit/objects.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Domain } from '#domain.ts'
import { chargedFee } from '#edge/wire/failure.ts'
import { plainPhone } from '#merchants/catalog/phone.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import type { OpenRow } from '#money/transactions/timeline-store.ts'
import {
  operations,
  type Transaction,
  type TransactionId,
  transactionStatuses,
} from '#money/transactions/transaction.ts'
import { printRequested } from './approval.ts'
import { addByOptions, readAsker } from './asker.ts'
import { onDomain } from './session.ts'
import { date, print, tableOf, whole } from './terminal.ts'
import { summary } from './transaction-summary.ts'

// What asking has not ended by then is listed for a look at the provider's own records.

/** `passerelle transaction`: shows transactions, and ends those that need a person's decision. */
export function addTransactionCommands(program: Command): void {
  const transaction = program
    .command('transaction')
    .description('look into transactions, by our id or the merchant’s')
  addList(transaction)
  addShow(transaction)
  addRequery(transaction)
  addResolve(transaction)
  addSendBack(transaction)
  addParked(transaction)
}

function addList(transaction: Command): void {
  transaction
    .command('list <client>')
    .description("a client's transactions, newest first")
    .addOption(new Option('--status <status>', 'only these').choices(transactionStatuses))
    .addOption(new Option('--type <type>', 'only these').choices(operations))
    .option('--service <code>', 'only of this service')
    .option('--number <digits>', "only of this customer's number")
    .option('--sub-merchant <id>', 'only of this sub-merchant')
    .option('--external-id <prefix>', 'only those whose external id begins so')
    .option('--from <time>', 'created at or after', date)
    .option('--to <time>', 'created before', date)
    .option('--limit <count>', 'at most this many', whole(1), 50)
    .option('--after <cursor>', 'where the last list ended')
    .action(async (name: string, options, command: Command) => {
      const { from = null, to = null, after = null, limit } = options
      if (after !== null && !isUuid(after)) command.error('error: --after is not a cursor')
      const filter = {
        statuses: options.status === undefined ? null : [options.status],
        operation: options.type ?? null,
        serviceCode: options.service ?? null,
        phone: options.number ?? null,
        subMerchantId: options.subMerchant ?? null,
        externalIdPrefix: options.externalId ?? null,
      }
      const page = await onDomain(async ({ clients, transactions }) => {
        const viewer = wholeClient(await clients.idOf(name))
        return transactions.list(viewer, filter, { from, to, after, limit })
      })
      const lines = tableOf(page.transactions, {
        Created: (one) => one.createdAt.toISOString(),
        Transaction: (one) => one.id,
        'External id': (one) => one.externalId ?? '',
        Service: (one) => one.serviceCode,
        Type: (one) => one.operation,
        Number: (one) => plainPhone(one.phone, one.serviceCode),
        Amount: (one) => one.amount,
        Fee: (one) => 0 - chargedFee(one),
        Status: (one) => one.status,
      })
      const more = page.next === null ? [] : ['', `More: --after ${page.next}`]
      const shown = page.transactions.map((one) => omit(one, ['sealedToken']))
      print(command, { transactions: shown, next: page.next }, [...lines, ...more])
    })
}

function addShow(transaction: Command): void {
  onOne(transaction, 'show')
    .description('states, attempts, evidence, money, conflicts and webhooks, as they happened')
    .option('--raw', 'with the evidence as it was recorded', false)
    .action(async (id: string, options, command: Command) => {
      const shown = await onTransaction(
        id,
        { ...options, isOnlyRead: true },
        async ({ reports }, found) => {
          const detail = await reports.detail(found)
          return { transaction: found, timeline: detail === undefined ? [] : timelineOf(detail) }
        },
      )
      const timeline = tableOf(shown.timeline, {
        When: (one) => one.at.toISOString(),
        What: ({ what, details }) =>
          options.raw && details !== null ? `${what} ${JSON.stringify(details)}` : what,
      })
      print(command, shown, [...summary(shown.transaction), '', ...timeline])
    })
}

function addRequery(transaction: Command): void {
  onOne(transaction, 'requery')
    .description('ask the provider now')
    .action(async (id: string, options, command: Command) => {
      const updated = await onTransaction(id, options, ({ transactions }, found) =>
        transactions.requery(found),
      )
      print(command, updated, summary(updated))
    })
}

function addResolve(transaction: Command): void {
  addByOptions(onOne(transaction, 'resolve'))
    .description('end a transaction whose outcome you saw in the provider’s own records')
    .addOption(
      new Option('--as <end>', 'how it ended').choices(['success', 'failed']).makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'what you saw, and where')
    .option('--token <codes>', 'recharge codes of a prepaid top-up; - reads them from the input')
    .action(async (id: string, options, command: Command) => {
      // Password and code of the second factor come first, a line each.
      const typed = options.token === '-' ? await text(process.stdin) : undefined
      const codes = options.passwordStdin ? typed?.split('\n').slice(2).join('\n') : typed
      const token = codes ?? options.token
      const { as, reason } = options
      const details = { as, reason, ...(token === undefined ? {} : { token }) }
      await request(id, { ...options, typed }, command, (found) => ({
        kind: 'resolve',
        ...found,
        ...details,
      }))
    })
}

function addSendBack(transaction: Command): void {
  addByOptions(onOne(transaction, 'send-back'))
    .description('refund a payer whose money came after the collection had failed, or twice')
    .requiredOption('--reason <text>', 'why, and who asked for it')
    .action((id: string, options, command: Command) =>
      request(id, options, command, (found) => ({
        kind: 'send_back',
        ...found,
        reason: options.reason,
      })),
    )
}

/** Does something with a transaction, or proposes it when its amount needs a second person. */
async function request(
  id: string,
  options: Named & { by?: string; passwordStdin?: boolean; typed?: string | undefined },
  command: Command,
  orderOf: (found: TransactionId) => Order,
): Promise<void> {
  const requested = await onTransaction(id, options, async ({ approvals, people }, found) => {
    const asker = await readAsker(people, options)
    return approvals.request(orderOf({ clientId: found.clientId, id: found.id }), asker)
  })
  printRequested(command, requested)
}

function addParked(transaction: Command): void {
  transaction
    .command('parked')
    .description('transactions that wait for a person or a statement, oldest first, and why')
    .action(async (_options, command: Command) => {
      const parked = await onDomain(({ transactions }) =>
        transactions.unresolved.parked({ limit: 1000 }),
      )
      const lines = tableOf(parked, {
        Since: (one) => one.createdAt.toISOString(),
        Client: (one) => one.clientId,
        Transaction: (one) => one.id,
        Service: (one) => one.serviceCode,
        Amount: (one) => one.amount,
        Status: (one) => one.status,
        Why: whyOpen,
      })
      print(command, { parked: parked.map((one) => ({ ...one, why: whyOpen(one) })) }, lines)
    })
}

function whyOpen({ cause, last }: OpenRow): string {
  if (cause === 'other_amount') return 'another amount was paid'
  if (cause === 'no_code') return 'paid, and the provider has not told its recharge code'
  if (cause === 'cannot_ask') return 'it can be neither asked about nor repeated'
  const heard = [last?.outcome, last?.reason].filter(Boolean).join(': ')
  return `the provider does not end it, the last answer is ${heard}`
}

/** A command about one transaction, which is named by its id, or its client's id for it. */
function onOne(transaction: Command, name: string): Command {
  return transaction
    .command(`${name} <id>`)
    .option('--client <client>', 'whose external id it is; not needed with our id')
}

interface Named {
  client?: string
  isOnlyRead?: boolean
}

/** Finds a transaction by its id or external id, and runs a command's work on it. */
function onTransaction<T>(
  id: string,
  { client, isOnlyRead = false }: Named,
  work: (domain: Domain, found: Transaction) => Promise<T>,
): Promise<T> {
  return onDomain(async (domain) => {
    const clientId = client === undefined ? null : await domain.clients.idOf(client)
    const owner = await domain.transactions.ofAllClients.named(id, { clientId, isOnlyRead })
    const found = owner === undefined ? undefined : await domain.transactions.findById(owner)
    if (found === undefined) throw new Refusal('not_found', 'No transaction found')
    return work(domain, found)
  })
}
