import { formatAmount } from '#base/kit/money.ts'
import type { Tx } from '#data/db/db.ts'
import { may } from '#merchants/people/rights.ts'
import { readMembers } from '#merchants/people/store.ts'
import { tellApprovers } from '#merchants/people/team/approver-mails.ts'
import type { Batch } from './batch.ts'
import type { BatchContext } from './context.ts'

/** Tells the people of the client who may approve it that a batch waits for one of them. */
export async function tellOfBatch(
  tx: Tx,
  { publicUrl, hasSmtp }: Pick<BatchContext, 'publicUrl' | 'hasSmtp'>,
  { clientId, id, name, lines, amount, proposedBy, changedAt }: Batch,
): Promise<void> {
  const members = await readMembers(tx, clientId)
  const approvers = members.filter(({ role }) => may(role, 'payout.approve'))
  const francs = formatAmount(amount)
  const about = {
    fr: {
      subject: `À approuver\u00a0: versements de ${francs}`,
      rows: [
        ['Paiement groupé', name],
        ['Versements', String(lines)],
        ['Montant', francs],
      ] satisfies [string, string][],
    },
    en: {
      subject: `To approve: payouts of ${francs}`,
      rows: [
        ['Batch', name],
        ['Payouts', String(lines)],
        ['Amount', francs],
      ] satisfies [string, string][],
    },
  }
  const url = `${publicUrl()}/dashboard/batches/${id}`
  const waiting = { recordId: id, proposedBy: proposedBy ?? '', url, about }
  await tellApprovers(tx, approvers, waiting, { now: changedAt, hasSmtp })
}
