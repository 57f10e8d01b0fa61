import { formatDateTime } from '#base/kit/dates.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Tx } from '#data/db/db.ts'
import { findClient } from '#merchants/clients/store.ts'
import { may } from '#merchants/people/rights.ts'
import { tellApprovers } from '#merchants/people/team/approver-mails.ts'
import { readOperators } from '#merchants/people/team/operator-store.ts'
import type { Approval } from './approval.ts'
import type { ApprovalContext } from './context.ts'
import { kindWords } from './kind-words.ts'

const words = inBoth({
  fr: {
    subject: (what: string) => fr`À approuver : ${what}`,
    operation: 'Opération',
    money: 'Montant',
    merchant: 'Marchand',
    until: 'À décider avant le',
  },
  en: {
    subject: (what: string) => `To approve: ${what}`,
    operation: 'Operation',
    money: 'Amount',
    merchant: 'Merchant',
    until: 'To decide before',
  },
})

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
  const francs = amount === 0 ? undefined : formatAmount(amount)
  const client = clientId === null ? undefined : `${name ?? ''} (${clientId})`
  const aboutIn = (language: Language) => {
    const { subject, operation, money, merchant, until } = words[language]
    const what = kindWords[language][kind]
    return {
      subject: subject(francs ?? what),
      rows: [
        [operation, what],
        ...row(money, francs),
        ...row(merchant, client),
        [until, formatDateTime(expiresAt, language)],
      ] satisfies [string, string][],
    }
  }
  const about = { fr: aboutIn('fr'), en: aboutIn('en') }
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
