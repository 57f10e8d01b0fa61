import type { Side } from '#backoffice/recon/cases/case.ts'
import type { StoredLine } from '#backoffice/recon/import/statement.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { facts, money, phone, statusWord } from '#doors/dashboard/frame/components.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { toldAt } from './parties.ts'
import { reconWords, resultWord } from './words.ts'

/** What one side says of a payment, one fact below the other. */
export function sideFacts(visit: OpsVisit, side: Side, ownReference: Piece = null): Html {
  const { language } = visit
  const say = reconWords[language]
  const { amount, fee, status, at, isDay, reference, kind } = side
  const kinds: Record<string, string> = say.lineKinds
  return facts([
    [say.amount, amount !== undefined && money(amount)],
    [say.fee, fee !== undefined && money(fee)],
    [say.result, status !== undefined && resultOf(visit, status)],
    [say.when, at !== undefined && toldAt(visit, new Date(at), isDay)],
    [say.kind, kind !== undefined && (kinds[kind] ?? kind)],
    [say.reference, (reference ?? '') !== '' && html`<bdi>${reference}</bdi>`],
    [say.ourReference, ownReference],
    [say.number, (side.phone ?? '') !== '' && html`<bdi>${phone(visit, side.phone ?? null)}</bdi>`],
  ])
}

/** Our statuses are in capitals, those of lines are not. */
function resultOf({ language }: OpsVisit, status: string): string {
  return status === status.toUpperCase()
    ? statusWord(language, status)
    : resultWord(language, status)
}

/** What a line says, as a side. */
export function sideOf({ amount, sign, fee, result, at, reference, ...line }: StoredLine): Side {
  const head = { amount: sign * amount, fee, status: result, at: at.toISOString(), reference }
  return { ...head, isDay: line.isDay, phone: line.phone, kind: line.kind }
}

/** A side in few words, for a table: amount, result, moment, references. */
export function sideCell(visit: OpsVisit, side: Side | undefined, more: Piece = null): Html {
  if (side === undefined) return html`<div>–</div>`
  const { amount, fee, status, at, isDay, reference } = side
  const shown = phone(visit, side.phone ?? null)
  const { fee: feeWord } = reconWords[visit.language]
  return html`<div>${amount !== undefined && money(amount)}${
    status !== undefined && html` <small>${resultOf(visit, status)}</small>`
  }${fee !== undefined && fee > 0 && html`<small>${feeWord} ${money(fee)}</small>`}${
    at !== undefined && html`<small>${toldAt(visit, new Date(at), isDay)}</small>`
  }${(reference ?? '') !== '' && html`<small><bdi>${reference}</bdi></small>`}${
    shown !== '' && html`<small><bdi>${shown}</bdi></small>`
  }${more}</div>`
}
