import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Tx } from '#data/db/db.ts'
import { may } from '#merchants/people/rights.ts'
import { readMembers } from '#merchants/people/store.ts'
import { tellApprovers } from '#merchants/people/team/approver-mails.ts'
import type { Batch } from './batch.ts'
import type { BatchContext } from './context.ts'

const words = inBoth({
  fr: {
    subject: (francs: string) => fr`À approuver : versements de ${francs}`,
    batch: 'Paiement groupé',
    payouts: 'Versements',
    money: 'Montant',
  },
  en: {
    subject: (francs: string) => `To approve: payouts of ${francs}`,
    batch: 'Batch',
    payouts: 'Payouts',
    money: 'Amount',
  },
})

type Words = (typeof words)[Language]

/** Tells the people of the client who may approve it that a batch waits for one of them. */
export async function tellOfBatch(
  tx: Tx,
  { publicUrl, hasSmtp }: Pick<BatchContext, 'publicUrl' | 'hasSmtp'>,
  { clientId, id, name, lines, amount, proposedBy, changedAt }: Batch,
): Promise<void> {
  const members = await readMembers(tx, clientId)
  const approvers = members.filter(({ role }) => may(role, 'payout.approve'))
  const francs = formatAmount(amount)
  const aboutIn = ({ subject, batch, payouts, money }: Words) => ({
    subject: subject(francs),
    rows: [
      [batch, name],
      [payouts, String(lines)],
      [money, francs],
    ] satisfies [string, string][],
  })
  const about = { fr: aboutIn(words.fr), en: aboutIn(words.en) }
  const url = `${publicUrl()}/dashboard/batches/${id}`
  const waiting = { recordId: id, proposedBy: proposedBy ?? '', url, about }
  await tellApprovers(tx, approvers, waiting, { now: changedAt, hasSmtp })
}
