import type { Db } from '../db/db.ts'
import type { Attempt, Capability, Connector, PayerStep } from '../providers/contract.ts'
import type { Providers } from '../providers/open.ts'
import type { CallbackAddresses } from './callback-address.ts'
import { findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'
import { providerOperation, serviceOf } from './transaction.ts'

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
  const { clientId, originalId, attemptId } = transaction
  const original =
    originalId === null ? undefined : await findTransaction(parts.db, { clientId, id: originalId })
  const { amount, phone, payeeName, successUrl, failureUrl, reference, billReference } = transaction
  const { lateReference } = transaction
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
      originalReference: lateReference ?? original?.reference ?? null,
      billReference,
    },
  }
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
