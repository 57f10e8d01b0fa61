import { formatDateTime } from '#base/kit/dates.ts'
import { formatAmount } from '#base/kit/money.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { tellApprovers } from '#merchants/people/approver-mails.ts'
import { readOperators } from '#merchants/people/operator-store.ts'
import { may } from '#merchants/people/rights.ts'
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
  const client = clientId === null ? '—' : `${name ?? ''} (${clientId})`
  const francs = formatAmount(amount)
  const { fr, en } = kindWords
  const about = {
    fr: {
      subject: `À approuver\u00a0: ${francs}`,
      rows: [
        ['Opération', fr[kind]],
        ['Montant', francs],
        ['Marchand', client],
        ['À décider avant le', formatDateTime(expiresAt, 'fr')],
      ] satisfies [string, string][],
    },
    en: {
      subject: `To approve: ${francs}`,
      rows: [
        ['Operation', en[kind]],
        ['Amount', francs],
        ['Merchant', client],
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
