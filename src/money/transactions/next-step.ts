import type { Capability } from '#money/providers/contract.ts'
import type { Transaction } from './transaction.ts'
import { isNotFoundFinal, isWindowOpen, mayRepeat } from './waits.ts'

/** What to do with a due transaction. */
export type NextStep = 'prepare' | 'submit' | 'submit_anew' | 'query' | 'park'

/** The step that cannot move money twice, given what is known. */
export function nextStep(
  facts: Pick<Transaction, 'attemptState' | 'reference' | 'createdAt'>,
  capability: Capability,
  canPrepare: boolean,
  now: Date,
): NextStep {
  switch (facts.attemptState) {
    case 'not_sent':
      return 'submit_anew'
    case 'recorded':
    case 'unknown':
      // Nothing is ever submitted before its preparation was committed, so it was never sent.
      if (canPrepare && facts.reference === null) return 'prepare'
      return queryOrResend(facts, capability, now)
    case 'prepared':
    case 'taken':
      return 'query'
    case 'parked':
      return 'park'
  }
}

function queryOrResend(
  facts: Pick<Transaction, 'reference' | 'createdAt'>,
  capability: Capability,
  now: Date,
): 'query' | 'submit' | 'park' {
  if (capability.canFindByOurId || facts.reference !== null) return 'query'
  // Beyond its time the provider may take a repetition for a new order.
  const { repeatsKnownForMs = Infinity } = capability
  const isKnown = now.getTime() - facts.createdAt.getTime() < repeatsKnownForMs
  return canResend(capability) && isKnown ? 'submit' : 'park'
}

/**
 * Whether an order that the provider does not find is sent again under the same id. A provider that
 * would make two orders of it must have had the time to find the first.
 */
export function mayResend(
  facts: Pick<Transaction, 'attemptState' | 'attemptedAt' | 'createdAt'>,
  capability: Capability,
  now: Date,
): boolean {
  if (facts.attemptState === 'taken') return false
  return canResend(capability)
    ? mayRepeat(facts, now)
    : mayDuplicate(facts, capability, now) && isWindowOpen(facts, now)
}

/** Whether only one order of an id can be paid, however often it is sent. */
function canResend({ idempotency }: Capability): boolean {
  return idempotency !== 'none' && idempotency !== 'duplicates'
}

function mayDuplicate(
  facts: Pick<Transaction, 'attemptState' | 'attemptedAt'>,
  capability: Capability,
  now: Date,
): boolean {
  return capability.idempotency === 'duplicates' && isNotFoundFinal(facts, capability, now)
}
