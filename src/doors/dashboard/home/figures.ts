import { collectedIn, type Home, paidOutIn } from '#backoffice/reports/figures.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { formatCount } from '#base/kit/money.ts'
import { fr, inBoth, plural } from '#base/kit/texts.ts'
import { figure, money, percentText, tile } from '../frame/components.ts'
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
    usual: fr`Un jour habituel :`,
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
    usual: 'A usual day:',
    before: 'Previous 30 days:',
    times: (times: number) => `${formatCount(times)} times as much`,
    ofAll: (succeeded: number, ended: number) =>
      `${formatCount(succeeded)} of ${formatCount(ended)}`,
    behind: 'These figures are still being calculated: the totals are too low.',
  },
})

/** What was collected today, the balance, and the last 30 days. */
export function figureTiles(visit: Visit, home: Home): Html {
  const { behind } = figureWords[visit.language]
  return html`<div id="figures" class="stack">${
    !home.isCurrent && html`<p class="notice">${behind}</p>`
  }
${tiles(visit, home)}</div>`
}

function tiles({ language, may }: Visit, home: Home): Html {
  const { available, held, today, last, before, isComparable } = home
  const say = figureWords[language]
  const { ended, succeeded, successRate } = last.CASHOUT
  const [collectedToday, collected] = [collectedIn(today), collectedIn(last)]
  const beside = (now: number, then: number) =>
    html`${say.before} ${money(then)} ${isComparable && changeText(language, now, then)}`
  const ticket = collected.averageAmount
  return html`<dl class="tiles">${tile(
    say.today,
    figure(collectedToday.amount),
    [say.collections(collectedToday.count), dayLine(language, home)],
    'answer',
  )}${
    may('balance.read') &&
    tile(say.available, figure(available), [html`+ ${money(held)} ${say.held}`])
  }
${tile(say.last, figure(collected.amount), [
  beside(collected.amount, collectedIn(before).amount),
  ticket !== null && html`${say.ticket} ${money(ticket)}`,
])}
${tile(say.out, figure(paidOutIn(last)), [
  beside(paidOutIn(last), paidOutIn(before)),
  html`${say.outToday} ${money(paidOutIn(today))}`,
])}
${tile(say.rateOfAll, percentText(language, successRate), [say.ofAll(succeeded, ended)])}</dl>`
}

const line = { width: 240, height: 56, gap: 2 }

/** What was collected each day, today last, and what is usual: the middle of the days before. */
function dayLine(language: Language, { days }: Home): Piece {
  const amounts = days.map(({ amounts: { CASHOUT, REFUND } }) => Math.max(0, CASHOUT - REFUND))
  const past = amounts.slice(0, -1).toSorted((one, other) => one - other)
  const usual = past[Math.floor(past.length / 2)] ?? 0
  if (usual === 0) return null
  const top = Math.max(...amounts)
  const step = line.width / amounts.length
  const heightOf = (amount: number) => Math.round((line.height * amount) / top)
  const width = Math.round(step) - line.gap
  const bars = amounts.map((amount, index) => {
    const x = Math.round(index * step)
    return `M${x} ${line.height}v-${heightOf(amount)}h${width}V${line.height}z`
  })
  const level = line.height - heightOf(usual)
  return html`<svg class="spark" viewBox="0 0 ${line.width} ${line.height}"
 preserveAspectRatio="none" aria-hidden="true">
<path d="${bars.slice(0, -1).join('')}"/><path class="now" d="${bars.at(-1)}"/>
<path class="usual" d="M0 ${level}H${line.width}"/></svg>${figureWords[language].usual} ${money(
    usual,
  )}`
}

/** How much more or less it is; nothing to compare with: nothing. */
function changeText(language: Language, now: number, before: number): string {
  if (before <= 0) return ''
  const percent = Math.round((100 * (now - before)) / before)
  if (percent >= 1000) return `(${figureWords[language].times(Math.round(now / before))})`
  const sign = percent > 0 ? '+' : percent < 0 ? '\u2212' : '±'
  return `(${sign}${Math.abs(percent)}\u00a0%)`
}
