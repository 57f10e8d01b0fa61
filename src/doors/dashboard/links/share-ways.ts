import { type Html, html } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { countries } from '#merchants/catalog/countries.ts'
import { dialCodeOf, groupPhone, readPhone } from '#merchants/catalog/phone.ts'
import type { Link } from '#money/links/link.ts'
import type { Visit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    message: (shop: string, item: string, amount: string, url: string) =>
      fr`${shop} : ${item}, ${amount}. Payez ici : ${url}`,
    subject: (shop: string, item: string) => fr`Votre paiement à ${shop} : ${item}`,
    sms: 'SMS',
    mail: 'E-mail',
  },
  en: {
    message: (shop: string, item: string, amount: string, url: string) =>
      `${shop}: ${item}, ${amount}. Pay here: ${url}`,
    subject: (shop: string, item: string) => `Your payment to ${shop}: ${item}`,
    sms: 'SMS',
    mail: 'Email',
  },
})

/** Plain links that open the phone's own programs with a message; nothing is sent by us. */
export function shareWays(visit: Visit, link: Link, url: string): Html {
  const { message, subject, sms, mail } = words[visit.language]
  const { payeeName, itemName, customerEmail } = link
  const text = encodeURIComponent(message(payeeName, itemName, formatAmount(link.amount), url))
  const number = visit.may('number.read') ? numberIn(link.customerPhone ?? '') : ''
  const to = encodeURIComponent(customerEmail ?? '').replaceAll('%40', '@')
  const about = encodeURIComponent(subject(payeeName, itemName))
  const whatsApp = `https://wa.me/${international(number)}?text=${text}`
  return html`<a class="button" href="${whatsApp}" rel="noopener" target="_blank">WhatsApp</a>
${way(smsHref(number, text), sms)}
${way(`mailto:${to}?subject=${about}&body=${text}`, mail)}`
}

/** A number to send to: programs may have written anything; empty: what cannot be one. */
function numberIn(written: string): string {
  const read = readPhone(written, Object.keys(countries))
  return read.kind === 'problem' && read.problem === 'phone' ? '' : written
}

function way(href: string, name: string): Html {
  return html`<a class="button second" href="${href}" rel="noopener" target="_blank">${name}</a>`
}

/** Opens a message to a number, or to one that is chosen then; `?&` is read by every phone. */
export function smsHref(number: string, encodedText: string): string {
  return `sms:${number.replaceAll(/[^\d+]/g, '')}?&body=${encodedText}`
}

/** The digits of a number with its dialling code; WhatsApp takes no others. */
function international(number: string): string {
  const read = readPhone(number, Object.keys(countries))
  if (read.kind === 'phone')
    return `${dialCodeOf(read.country)}${groupPhone(read.phone, read.country)}`.replaceAll(
      /\D/g,
      '',
    )
  const [, digits = ''] =
    /^(?:\+|00)([1-9]\d{6,14})$/.exec(number.replaceAll(/[\s.()-]/g, '')) ?? []
  return digits
}
