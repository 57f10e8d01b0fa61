import { formatDateTime } from '#base/kit/dates.ts'
import { formatAmount } from '#base/kit/money.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { may } from '#merchants/people/rights.ts'
import { tellApprovers } from '#merchants/people/team/approver-mails.ts'
import { readOperators } from '#merchants/people/team/operator-store.ts'
import type { Approval } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import { kindWords } from './kind-words.ts'

/** Tells the operators who may approve it that a new proposal waits for one of them. */
export async function tellOfProposal(
  tx: Tx,
  { publicUrl, hasSmtp }: Pick<ApprovalContext, 'publicUrl' | 'hasSmtp'>,
  { id, kind, clientId, amount, proposedBy, proposedAt, expiresAt }: Approval,
): Promise<void> {
  const operators = await readOperators(tx)
  const approvers = operators.filter(({ role }) => may(role, 'ops.money.approve'))
  const name = clientId === null ? undefined : (await findClient(tx, clientId))?.name
  // Some are about no money and no merchant.
  const money = amount === 0 ? undefined : formatAmount(amount)
  const client = clientId === null ? undefined : `${name ?? ''} (${clientId})`
  const { fr, en } = kindWords
  const about = {
    fr: {
      subject: `À approuver\u00a0: ${money ?? fr[kind]}`,
      rows: [
        ['Opération', fr[kind]],
        ...row('Montant', money),
        ...row('Marchand', client),
        ['À décider avant le', formatDateTime(expiresAt, 'fr')],
      ] satisfies [string, string][],
    },
    en: {
      subject: `To approve: ${money ?? en[kind]}`,
      rows: [
        ['Operation', en[kind]],
        ...row('Amount', money),
        ...row('Merchant', client),
        ['To decide before', formatDateTime(expiresAt, 'en')],
      ] satisfies [string, string][],
    },
  }
  const url = `${publicUrl()}/dashboard/ops/approvals/${id}`
  await tellApprovers(
    tx,
    approvers,
    { recordId: id, proposedBy, url, about },
    { now: proposedAt, hasSmtp },
  )
}

function row(title: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[title, value]]
}
