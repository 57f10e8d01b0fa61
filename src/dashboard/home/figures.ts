import type { Html, Piece } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { Language } from '../../kit/language.ts'
import { formatCount } from '../../kit/money.ts'
import { fr } from '../../pages/typography.ts'
import type { Home } from '../../reports/figures.ts'
import { money, percentText } from '../frame/components.ts'
import type { Visit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'

export const figureWords = inBoth({
  fr: {
    available: 'Solde disponible',
    held: fr`dont retenu`,
    today: fr`Aujourd'hui`,
    last: fr`30 derniers jours`,
    rate: fr`Réussite`,
    ticket: 'Panier moyen',
    payments: (count: number) =>
      count === 1 ? fr`1 opération` : fr`${formatCount(count)} opérations`,
    before: (change: string) => fr`${change} par rapport aux 30 jours d'avant`,
    times: (times: number) => fr`${formatCount(times)} fois les 30 jours d'avant`,
    ofAll: (succeeded: number, ended: number) =>
      fr`${formatCount(succeeded)} sur ${formatCount(ended)}`,
    behind: fr`Ces chiffres sont en cours de calcul : les totaux sont encore trop bas.`,
  },
  en: {
    available: 'Available balance',
    held: 'of which held',
    today: 'Today',
    last: 'Last 30 days',
    rate: 'Success rate',
    ticket: 'Average ticket',
    payments: (count: number) => (count === 1 ? '1 payment' : `${formatCount(count)} payments`),
    before: (change: string) => `${change} against the 30 days before`,
    times: (times: number) => `${formatCount(times)} times the 30 days before`,
    ofAll: (succeeded: number, ended: number) =>
      `${formatCount(succeeded)} of ${formatCount(ended)}`,
    behind: 'These figures are still being summed up: the totals are too low.',
  },
})

/** Balance, today and the last 30 days. */
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
  { available, held, today: { all: today }, last: { all: last }, before: { all: before } }: Home,
): Html {
  const say = figureWords[language]
  const balance =
    may('balance.read') && tile(say.available, money(available), html`${say.held} ${money(held)}`)
  return html`<dl class="tiles">${balance}
${tile(say.today, money(today.amount), say.payments(today.succeeded))}
${tile(say.last, money(last.amount), changeText(language, last.amount, before.amount))}
${tile(say.rate, percentText(language, last.successRate), say.ofAll(last.succeeded, last.ended))}
${tile(
  say.ticket,
  last.averageAmount === null ? '–' : money(last.averageAmount),
  changeText(language, last.averageAmount ?? 0, before.averageAmount ?? 0),
)}</dl>`
}

function changeText(language: Language, now: number, before: number): string {
  if (before === 0) return ''
  const percent = Math.round((100 * (now - before)) / before)
  if (percent >= 1000) return figureWords[language].times(Math.round(now / before))
  const sign = percent > 0 ? '+' : percent < 0 ? '\u2212' : '±'
  return figureWords[language].before(`${sign}${Math.abs(percent)}\u00a0%`)
}
