import { collectedIn, type Home, paidOutIn } from '#backoffice/reports/figures.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { formatCount } from '#base/kit/money.ts'
import { fr, inBoth, plural } from '#base/kit/texts.ts'
import { money, percentText } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'

export const figureWords = inBoth({
  fr: {
    available: 'Solde disponible',
    held: fr`en attente`,
    today: fr`Encaissé aujourd'hui`,
    last: fr`Encaissé en 30 jours`,
    out: fr`Sorties en 30 jours`,
    outToday: fr`aujourd'hui`,
    rate: fr`Réussite`,
    rateOfAll: fr`Encaissements réussis`,
    ticket: 'Panier moyen',
    collections: (count: number) => `${formatCount(count)} ${plural.fr(count, 'encaissement')}`,
    before: fr`30 jours précédents :`,
    times: (times: number) => fr`${formatCount(times)} fois autant`,
    ofAll: (succeeded: number, ended: number) =>
      fr`${formatCount(succeeded)} sur ${formatCount(ended)}`,
    behind: fr`Ces chiffres sont en cours de calcul : les totaux sont encore trop bas.`,
  },
  en: {
    available: 'Available balance',
    held: 'held',
    today: 'Collected today',
    last: 'Collected in 30 days',
    out: 'Paid out in 30 days',
    outToday: 'today',
    rate: 'Success rate',
    rateOfAll: 'Successful collections',
    ticket: 'Average payment',
    collections: (count: number) => `${formatCount(count)} ${plural.en(count, 'collection')}`,
    before: 'Previous 30 days:',
    times: (times: number) => `${formatCount(times)} times as much`,
    ofAll: (succeeded: number, ended: number) =>
      `${formatCount(succeeded)} of ${formatCount(ended)}`,
    behind: 'These figures are still being calculated: the totals are too low.',
  },
})

/** Balance, and what was collected and paid out today and in the last 30 days. */
export function figureTiles(visit: Visit, home: Home): Html {
  const { behind } = figureWords[visit.language]
  return html`<div id="figures" class="stack">${
    !home.isCurrent && html`<p class="notice">${behind}</p>`
  }
${tiles(visit, home)}</div>`
}

function tile(name: string, value: Piece, note: Piece): Html {
  return html`<div class="tile"><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`
}

function tiles(
  { language, may }: Visit,
  { available, held, today, last, before, isComparable }: Home,
): Html {
  const say = figureWords[language]
  const { ended, succeeded, successRate } = last.CASHOUT
  const [collectedToday, collected] = [collectedIn(today), collectedIn(last)]
  const beside = (now: number | null, then: number | null) =>
    then !== null &&
    html`${say.before} ${money(then)}
${isComparable && now !== null && changeText(language, now, then)}`
  return html`<dl class="tiles">${
    may('balance.read') && tile(say.available, money(available), html`+ ${money(held)} ${say.held}`)
  }
${tile(say.today, money(collectedToday.amount), say.collections(collectedToday.count))}
${tile(say.last, money(collected.amount), beside(collected.amount, collectedIn(before).amount))}
${tile(
  say.ticket,
  collected.averageAmount === null ? '–' : money(collected.averageAmount),
  beside(collected.averageAmount, collectedIn(before).averageAmount),
)}
${tile(say.rateOfAll, percentText(language, successRate), say.ofAll(succeeded, ended))}
${tile(
  say.out,
  money(paidOutIn(last)),
  html`${beside(paidOutIn(last), paidOutIn(before))}
<br>${say.outToday} ${money(paidOutIn(today))}`,
)}</dl>`
}

/** How much more or less it is; nothing to compare with: nothing. */
function changeText(language: Language, now: number, before: number): string {
  if (before <= 0) return ''
  const percent = Math.round((100 * (now - before)) / before)
  if (percent >= 1000) return `(${figureWords[language].times(Math.round(now / before))})`
  const sign = percent > 0 ? '+' : percent < 0 ? '\u2212' : '±'
  return `(${sign}${Math.abs(percent)}\u00a0%)`
}
