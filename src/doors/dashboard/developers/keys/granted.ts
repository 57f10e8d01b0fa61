import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { type KeyRight, keyRights } from '#merchants/clients/key-rights.ts'
import type { Action, OpsAction } from '#merchants/people/rights.ts'
import { rightsText } from './key-words.ts'

// Nobody gives a key what they may not do themselves: in a client, and as an operator. No operator
// pays or refunds for a merchant; who could give such a key to themselves would empty its account
// alone.
const actionsOf: Record<KeyRight, { client: Action; ops: OpsAction | null }> = {
  read: { client: 'transaction.read', ops: 'ops.read' },
  balance: { client: 'balance.read', ops: 'ops.clients.change' },
  collect: { client: 'link.create', ops: 'ops.clients.change' },
  links: { client: 'link.create', ops: 'ops.clients.change' },
  pay: { client: 'payout.propose', ops: null },
  refund: { client: 'transaction.refund', ops: null },
  prepare: { client: 'transaction.read', ops: 'ops.clients.change' },
}

/** The rights that a person may give to a key, or have in a key that they give a new secret. */
export function grantedTo(visit: Pick<AnyVisit, 'client' | 'may'>): KeyRight[] {
  const { client, may } = visit
  return keyRights.filter((right) => {
    const action = actionsOf[right][client === null ? 'ops' : 'client']
    return action !== null && may(action)
  })
}

/** Which rights of a key a person lacks. */
export function beyond(visit: Pick<AnyVisit, 'client' | 'may'>, rights: KeyRight[]): KeyRight[] {
  const granted = grantedTo(visit)
  return rights.filter((right) => !granted.includes(right))
}

/** Refuses a new secret of a key that may do more than the person. */
export function refuseBeyond(visit: AnyVisit, rights: KeyRight[]): void {
  const lacking = beyond(visit, rights)
  if (lacking.length > 0) throw new Refusal('right_missing', lackingReason(visit, lacking))
}

export function lackingReason(visit: AnyVisit, rights: KeyRight[]): Reason {
  return reason('Ask a person who has the rights of this key that your role lacks: {rights}', {
    rights: rightsText(visit, rights),
  })
}
