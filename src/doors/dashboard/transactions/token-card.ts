import { html, type Piece } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { copyButton, phone } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'
import { smsHref } from '../links/share-ways.ts'

const words = inBoth({
  fr: {
    one: 'Code de recharge',
    many: fr`Codes de recharge, dans cet ordre`,
    hint: fr`À taper sur le compteur.`,
    sms: 'Envoyer par SMS',
    message: (meter: string, amount: string, codes: string) =>
      fr`Compteur ${meter}, ${amount}. Code à taper : ${codes}`,
  },
  en: {
    one: 'Recharge code',
    many: 'Recharge codes, in this order',
    hint: 'To be typed on the meter.',
    sms: 'Send by SMS',
    message: (meter: string, amount: string, codes: string) =>
      `Meter ${meter}, ${amount}. Code to type: ${codes}`,
  },
})

/** The recharge codes of a meter, large enough to be typed off, copied or sent to its owner. */
export function tokenCard(visit: Visit, one: Transaction, token: string | null): Piece {
  if (token === null) return null
  const { language } = visit
  const say = words[language]
  const codes = token.split(' ')
  const meter = phone(visit, one.phone, one.serviceCode)
  const text = say.message(meter, formatAmount(one.amount), codes.join(', '))
  return html`<section class="card"><h2>${codes.length === 1 ? say.one : say.many}</h2>
${codes.map((code) => html`<p class="token">${code}</p>`)}
<p class="hint">${say.hint}</p>
<p class="ways">${copyButton(language, token)}
<a class="button second" href="${smsHref('', encodeURIComponent(text))}">${say.sms}</a></p>
</section>`
}
