import { formatDateTime } from '../kit/dates.ts'
import type { Html } from '../kit/html.ts'
import { html, raw } from '../kit/html.ts'
import type { Language } from '../kit/language.ts'
import { formatAmount } from '../kit/money.ts'
import { oneLine } from '../kit/one-line.ts'

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

interface Texts {
  subject(item: string, amount: string): string
  greeting(shop: string): string
  opening: string
  item: string
  amount: string
  reference: string
  customer: string
  expiry: string
  button: string
  copy: string
  reason: string
}

// French sets a no-break space before its colons.
const french: Texts = {
  subject: (item, amount) => `Lien de paiement créé\u00a0: ${item}, ${amount}`,
  greeting: (shop) => `Bonjour ${shop},`,
  opening: 'Votre lien de paiement est prêt. Envoyez-le à votre client pour être payé.',
  item: 'Article',
  amount: 'Montant',
  reference: 'Votre référence',
  customer: 'Client',
  expiry: 'Valable jusqu’au',
  button: 'Ouvrir la page de paiement',
  copy: 'Le lien à envoyer\u00a0:',
  reason:
    'Vous recevez ce message parce que ce lien a été créé avec une clé API de votre compte. ' +
    'Si cela vous surprend, révoquez cette clé. Ce message est automatique\u00a0: les réponses ' +
    'ne sont pas lues.',
}

const english: Texts = {
  subject: (item, amount) => `Payment link created: ${item}, ${amount}`,
  greeting: (shop) => `Hello ${shop},`,
  opening: 'Your payment link is ready. Send it to your customer to be paid.',
  item: 'Item',
  amount: 'Amount',
  reference: 'Your reference',
  customer: 'Customer',
  expiry: 'Valid until',
  button: 'Open the payment page',
  copy: 'The link to send:',
  reason:
    'You receive this message because the link was created with an API key of your account. ' +
    'If that surprises you, revoke the key. This message is automatic: replies are not read.',
}

const textsIn: Record<Language, Texts> = { fr: french, en: english }

// Short enough for the list of an inbox; the mail itself has the whole text.
const subjectItemMax = 60
const valueMax = 500

/** The mail that confirms a new payment link to its merchant, as text and as HTML. */
export function confirmationMail(link: NewLink): { subject: string; text: string; html: string } {
  const texts = textsIn[link.language]
  const rows = rowsOf(link, texts)
  const shop = oneLine(link.shop, valueMax)
  return {
    subject: texts.subject(oneLine(link.item, subjectItemMax), formatAmount(link.amount)),
    text: textOf(link, texts, shop, rows),
    html: htmlOf(link, texts, shop, rows).text,
  }
}

type Row = [label: string, value: string]

/** Labels and values, each value without line breaks: none can imitate a line of the mail. */
function rowsOf(link: NewLink, texts: Texts): Row[] {
  const { customerName, customerPhone } = link
  const customer = [customerName, customerPhone].filter((one) => one !== null && one.trim() !== '')
  const rows: Row[] = [
    [texts.item, link.item],
    [texts.amount, formatAmount(link.amount)],
    [texts.reference, link.externalId],
    ...(customer.length === 0 ? [] : [[texts.customer, customer.join(', ')] satisfies Row]),
    [texts.expiry, formatDateTime(link.expiresAt, link.language)],
  ]
  return rows.map(([label, value]) => [label, oneLine(value, valueMax)])
}

function textOf(
  { language, paymentUrl }: NewLink,
  texts: Texts,
  shop: string,
  rows: Row[],
): string {
  const colon = language === 'fr' ? '\u00a0:' : ':'
  return [
    texts.greeting(shop),
    '',
    texts.opening,
    '',
    ...rows.map(([label, value]) => `${label}${colon} ${value}`),
    '',
    texts.copy,
    paymentUrl,
    '',
    texts.reason,
    '',
  ].join('\n')
}

// Only the button sets colours, of text and background both: the rest follows light or dark mode.
const style = {
  body: raw(
    'margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,Roboto,Arial,sans-serif',
  ),
  box: raw('max-width:560px;margin:0 auto'),
  list: raw('margin:24px 0;padding:0'),
  label: raw('margin:12px 0 0;font-size:14px'),
  value: raw('margin:0;font-weight:600;overflow-wrap:anywhere'),
  button: raw(
    'display:inline-block;padding:14px 24px;border-radius:8px;background:#0b5cad;color:#ffffff;' +
      'font-weight:600;text-decoration:none',
  ),
  link: raw('margin:24px 0;overflow-wrap:anywhere'),
  reason: raw('margin:32px 0 0;font-size:14px'),
}

function htmlOf(link: NewLink, texts: Texts, shop: string, rows: Row[]): Html {
  const { language, paymentUrl } = link
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${texts.opening}</title>
<style>:root { color-scheme: light dark }</style>
</head>
<body style="${style.body}">
<div style="${style.box}">
<p>${texts.greeting(shop)}</p>
<p>${texts.opening}</p>
<dl style="${style.list}">
${rows.map(
  ([label, value]) =>
    html`<dt style="${style.label}">${label}</dt><dd style="${style.value}">${value}</dd>
`,
)}</dl>
<p><a href="${paymentUrl}" style="${style.button}">${texts.button}</a></p>
<p style="${style.link}">${texts.copy}<br><a href="${paymentUrl}">${paymentUrl}</a></p>
<p style="${style.reason}">${texts.reason}</p>
</div>
</body>
</html>
`
}
