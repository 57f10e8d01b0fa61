import type { Approval } from '#backoffice/approvals/approval.ts'

/** Lines that will be posted: an account, and what is added to it. */
export type PostedLine = [account: string, amount: number]

/** What the ledger gets when a proposal is approved, by what its proposer saw. */
export function linesOf({ order, amount, seen }: Pick<Approval, 'order' | 'amount' | 'seen'>) {
  const lines = ordered(order, amount, seen)
  return lines.filter(([, francs]) => francs !== 0)
}

function ordered(order: Approval['order'], amount: number, seen: Approval['seen']): PostedLine[] {
  if (['statement', 'grant', 'forget'].includes(order.kind)) return []
  if (order.kind === 'suspend')
    return moved(String(seen.account), 'suspense', Number(seen.suspended))
  if (order.kind === 'statement_withdrawal') {
    const [fees, transfers] = [Number(seen.fees), Number(seen.transfers)]
    return [
      [String(seen.account), transfers - fees],
      ['provider_fees', fees],
      ['settlement', -transfers],
    ]
  }
  if (order.kind === 'resolve') return ended(order.as, seen)
  if (order.kind === 'send_back') return moved(String(seen.from), 'held', amount)
  if (order.kind === 'adjust') {
    const { account, isGiven } = order
    return isGiven ? moved(account, 'available', amount) : moved('available', account, amount)
  }
  const isFunded = order.kind === 'fund'
  return isFunded
    ? moved('settlement', 'available', amount)
    : moved('available', 'settlement', amount)
}

function moved(from: string, to: string, amount: number): PostedLine[] {
  return [
    [from, -amount],
    [to, amount],
  ]
}

function ended(as: 'success' | 'failed', seen: Approval['seen']): PostedLine[] {
  const [amount, fee] = [Number(seen.amount), Number(seen.fee)]
  const [provider = '', country = ''] = String(seen.serviceCode).split('_')
  const account = `provider:${provider}:${country}`
  if (seen.operation === 'CASHOUT')
    return as === 'failed'
      ? []
      : [
          [account, -amount],
          ['available', amount - fee],
          ['fees', fee],
        ]
  if (as === 'failed') return moved('held', 'available', amount + fee)
  return [
    ['held', -(amount + fee)],
    [account, amount],
    ['fees', fee],
  ]
}
