import type { Db } from '#data/db/db.ts'
import type { Attempt, Capability, Connector, PayerStep } from '#money/providers/contract.ts'
import type { Providers } from '#money/providers/open.ts'
import type { CallbackAddresses } from './callback-address.ts'
import { isOnlySaid } from './evidence-store.ts'
import { findTransaction } from './store.ts'
import { providerOperation, serviceOf, type Transaction } from './transaction.ts'

/** The connector that serves a transaction, its capability, and the attempt it works on. */
export interface Bound {
  connector: Connector
  capability: Capability
  attempt: Attempt
}

interface BindingParts {
  db: Db
  providers: Providers
  addresses: CallbackAddresses
  /** Asks the provider about a transaction, and records what it says. */
  ask(transaction: Transaction): Promise<Transaction>
}

/** Finds the connector of a transaction; undefined: none is bound to its service. */
export async function bindProvider(
  parts: BindingParts,
  transaction: Transaction,
): Promise<Bound | undefined> {
  const served = connectorFor(parts.providers, transaction)
  if (served === undefined) return undefined
  const { connector, operation, capability } = served
  const service = serviceOf(transaction)
  const { clientId, attemptId } = transaction
  const { amount, phone, payeeName, successUrl, failureUrl, reference, billReference } = transaction
  return {
    connector,
    capability,
    attempt: {
      clientId,
      id: attemptId,
      operation,
      service,
      amount,
      currency: service.currency,
      phone,
      payeeName,
      callbackUrl: parts.addresses.make({ connector: connector.name, clientId, attemptId }),
      successUrl,
      failureUrl,
      reference,
      originalReference:
        operation === 'reverse' ? await originalReferenceOf(parts, transaction) : null,
      billReference,
    },
  }
}

/**
 * The provider's reference of the payment that a refund sends back; null: nobody has told it. Of a
 * collection that only a person has said to be paid, what is known may name the order and not the
 * payment: the provider is asked first.
 */
async function originalReferenceOf(
  { db, ask }: BindingParts,
  { clientId, originalId, lateReference }: Transaction,
): Promise<string | null> {
  if (lateReference !== null || originalId === null) return lateReference
  const original = await findTransaction(db, { clientId, id: originalId })
  if (original === undefined) return null
  if (!(await isOnlySaid(db, original))) return original.reference
  // Before, our own id was stored where no reference was known.
  const isKnown = original.reference !== original.attemptId
  const asked = await ask(isKnown ? original : { ...original, reference: null })
  return (await isOnlySaid(db, original)) ? null : asked.reference
}

/** What the payer has to do for a transaction; `none` where no provider is bound. */
export function payerStepFor(providers: Providers, transaction: Transaction): PayerStep {
  return capabilityFor(providers, transaction)?.payerStep ?? 'none'
}

/** What its provider promises for a transaction; undefined: none is bound to its service. */
export function capabilityFor(
  providers: Providers,
  transaction: Pick<Transaction, 'serviceCode' | 'operation'>,
): Capability | undefined {
  return connectorFor(providers, transaction)?.capability
}

function connectorFor(
  providers: Providers,
  transaction: Pick<Transaction, 'serviceCode' | 'operation'>,
) {
  const connector = providers.find(serviceOf(transaction))?.connector
  if (connector === undefined) return undefined
  const canReverse = connector.capabilities.reverse !== undefined
  const operation = providerOperation(transaction.operation, canReverse)
  const capability = connector.capabilities[operation]
  return capability === undefined ? undefined : { connector, operation, capability }
}
