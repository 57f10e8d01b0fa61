import { formatDateTime } from '#base/kit/dates.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { writtenPhone } from '#merchants/catalog/phone.ts'
import { type Letter, writeLetter } from '#merchants/mail/letter.ts'

interface NewLink {
  language: Language
  /** The commercial name that payers see. */
  shop: string
  item: string
  amount: number
  externalId: string
  paymentUrl: string
  expiresAt: Date
  customerName: string | null
  customerPhone: string | null
}

const words = inBoth({
  fr: {
    subject: (item: string, amount: string) => fr`Lien de paiement créé : ${item}, ${amount}`,
    greeting: (shop: string) => `Bonjour ${shop},`,
    opening: 'Votre lien de paiement est prêt. Envoyez-le à votre client pour être payé.',
    item: 'Article',
    amount: 'Montant',
    reference: 'Votre référence',
    customer: 'Client',
    expiry: fr`Valable jusqu'au`,
    button: 'Ouvrir la page de paiement',
    copy: fr`Le lien à envoyer :`,
    reason: fr`Vous recevez cet e-mail parce que ce lien a été créé avec une clé API de votre
      compte. Si vous ne vous y attendiez pas, révoquez cette clé. Cet e-mail est automatique :
      les réponses ne sont pas lues.`,
  },
  en: {
    subject: (item: string, amount: string) => `Payment link created: ${item}, ${amount}`,
    greeting: (shop: string) => `Hello ${shop},`,
    opening: 'Your payment link is ready. Send it to your customer to get paid.',
    item: 'Item',
    amount: 'Amount',
    reference: 'Your reference',
    customer: 'Customer',
    expiry: 'Valid until',
    button: 'Open the payment page',
    copy: 'The link to send:',
    reason:
      'You are receiving this email because the link was created with an API key of your ' +
      'account. If you did not expect it, revoke the key. This email is automatic: replies are ' +
      'not read.',
  },
})

type Texts = (typeof words)[Language]

// Short enough for the list of an inbox; the mail itself has the whole text.
const subjectItemMax = 60
const shopMax = 480

/** The mail that confirms a new payment link to its merchant, as text and as HTML. */
export function confirmationMail(link: NewLink): { subject: string; text: string; html: string } {
  const texts = words[link.language]
  const { button, copy, reason, opening } = texts
  const letter = writeLetter({
    language: link.language,
    greeting: texts.greeting(oneLine(link.shop, shopMax)),
    opening,
    rows: rowsOf(link, texts),
    url: link.paymentUrl,
    button,
    copy,
    reason,
  })
  const subject = texts.subject(oneLine(link.item, subjectItemMax), formatAmount(link.amount))
  return { subject, ...letter }
}

type Row = Letter['rows'][number]

function rowsOf(link: NewLink, texts: Texts): Row[] {
  const { customerName, customerPhone } = link
  const phone = customerPhone === null ? null : writtenPhone(customerPhone)
  const customer = [customerName, phone].filter((one) => one !== null && one.trim() !== '')
  const rows: Row[] = [
    [texts.item, link.item],
    [texts.amount, formatAmount(link.amount)],
    [texts.reference, link.externalId],
    ...(customer.length === 0 ? [] : [[texts.customer, customer.join(', ')] satisfies Row]),
    [texts.expiry, formatDateTime(link.expiresAt, link.language)],
  ]
  return rows
}
