import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { amountProblem } from '#edge/wire/amount.ts'
import { checkedPayee } from '#edge/wire/payee.ts'
import { enabledTerms } from '#edge/wire/service.ts'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { noKey } from '#merchants/clients/scope.ts'
import type { Intent } from '#money/transactions/intents.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { type BatchId, customDataOf, externalIdOf, type PayableLine } from './batch.ts'
import type { BatchContext } from './context.ts'
import type { LineResult } from './line-store.ts'

/**
 * What became of a line: its result; a reason to pause the batch, while the line goes on waiting;
 * or undefined when it is not known, and then the line is tried again under the same id.
 */
export type Sent = { result: LineResult; pause?: Reason } | undefined

/** Makes the transaction of a line, by the same verb that the interface uses. */
export async function sendLine(
  context: BatchContext,
  batch: BatchId,
  line: PayableLine,
): Promise<Sent> {
  const { transactions, log } = context
  try {
    const intent = await intentOf(context, batch, line)
    if (!Array.isArray(intent)) {
      const recorded = await transactions.init(intent)
      if (recorded.kind === 'recorded') return sent(line, recorded.transaction)
      if (recorded.kind === 'insufficient_funds')
        return paused(line, reason('The balance is too low for the next line'))
      return isOfLine(recorded.existing, intent)
        ? sent(line, recorded.existing)
        : refused(line, [reason('The external id {id} is already used', idOf(intent))])
    }
    return refused(line, intent)
  } catch (problem) {
    if (problem instanceof Refusal) return outcomeOf(line, problem)
    log.error({ err: problem, batchId: batch.id, line: line.line }, 'a line will be sent again')
    return undefined
  }
}

/** The order of a line at the fee that was approved; or why it cannot be one any more. */
async function intentOf(
  { clients, catalog, subMerchants }: BatchContext,
  { clientId, id: batchId }: BatchId,
  line: PayableLine,
): Promise<Intent | Reason[]> {
  const service = payoutService(line.serviceCode)
  const { code } = service
  const { closedServices } = await catalog.maintenance()
  if (closedServices.has(code))
    throw new Refusal(
      'under_maintenance',
      reason('The service {code} is under maintenance', { code }),
    )
  const contract = await clients.contractOf(clientId)
  const terms = enabledTerms(contract, code)
  const problem = amountProblem(line.amount, terms)
  if (problem !== undefined)
    return [reason('The amount must be from {min} to {max} francs', problem.values, 'amount')]
  const { country } = service
  const payee = { clientId, subMerchantId: undefined, country, fallbackName: contract.name }
  const { payeeName, subMerchantId } = checkedPayee(await subMerchants.payeeFor(payee))
  return {
    clientId,
    keyId: noKey,
    externalId: externalIdOf(batchId, line),
    service,
    operation: 'CASHIN',
    amount: line.amount,
    fee: line.fee,
    phone: line.phone,
    payeeName,
    subMerchantId,
    customData: customDataOf(batchId, line),
    // Its event goes to the client's default address.
    callbackUrl: null,
    successUrl: '',
    failureUrl: '',
  }
}

function payoutService(code: string): Service {
  const service = parseServiceCode(code)
  if (service?.operation !== 'CASHIN') throw new Error(`${code} does not pay out`)
  return service
}

/** Whether a record that has the external id of a line was made of that line. */
export function isOfLine(
  existing: Transaction | undefined,
  line: Pick<Intent, 'phone' | 'amount' | 'customData'> & { service: { code: string } },
): existing is Transaction {
  return (
    existing !== undefined &&
    existing.operation === 'CASHIN' &&
    existing.customData === line.customData &&
    existing.serviceCode === line.service.code &&
    existing.phone === line.phone &&
    existing.amount === line.amount
  )
}

// What concerns every line: the batch waits instead of losing them one by one.
const pausing = new Set([
  'service_unavailable',
  'under_maintenance',
  'service_not_enabled',
  'daily_limit_reached',
  'merchant_not_active',
])

function outcomeOf(line: PayableLine, { kind, reasons }: Refusal): Sent {
  const [first] = reasons
  return pausing.has(kind) && first !== undefined ? paused(line, first) : refused(line, reasons)
}

/** The result of a line whose transaction is recorded. */
export function sent({ line, attempt }: PayableLine, { id }: Transaction): NonNullable<Sent> {
  return { result: { line, attempt, state: 'sent', transactionId: id, refusal: null } }
}

/** The result of a line that goes on waiting. */
export function waiting({ line, attempt }: PayableLine): NonNullable<Sent> {
  return { result: { line, attempt, state: 'waiting', transactionId: null, refusal: null } }
}

function paused(line: PayableLine, pause: Reason): Sent {
  return { ...waiting(line), pause }
}

function refused({ line, attempt }: PayableLine, refusal: Reason[]): Sent {
  return { result: { line, attempt, state: 'refused', transactionId: null, refusal } }
}

function idOf({ externalId }: Intent): { id: string } {
  return { id: externalId ?? '' }
}
