import { formatAmount } from '#base/kit/money.ts'
import type { AuditRow } from '#data/db/audit-log.ts'

type Details = Record<string, unknown>

// What an act was about, by the names that details and fields have for it, the plainest first.
const objects = [
  ['name', 'label', 'email', 'member'],
  ['serviceCode', 'service', 'scope', 'provider', 'number', 'ref', 'file'],
  ['transactionId', 'transaction', 'id', 'batchId', 'keyId'],
]

/**
 * The records of a page, one for each act: a form that was sent has a record of its own, which says
 * no more where the verb that it called has recorded what it did.
 */
export function oneForAct(rows: AuditRow[]): AuditRow[] {
  const done = new Set(rows.filter((row) => !isOfForm(row)).map(({ details }) => details.form))
  return rows.filter((row) => !isOfForm(row) || !done.has(row.details.form ?? row.id))
}

function isOfForm({ details }: AuditRow): boolean {
  return typeof details.path === 'string' && isObject(details.fields)
}

/** All that is recorded of an act, by name. */
export function recordedOf({ details }: AuditRow): [name: string, value: unknown][] {
  const { from: _from, form: _form, fields, ...others } = details
  return Object.entries({ ...others, ...(isObject(fields) ? fields : {}) })
}

/** What an act was about, in one line: a name or an id, and an amount. */
export function aboutOf(row: AuditRow): string {
  const told = Object.fromEntries(recordedOf(row))
  const texts = objects.map((names) => firstText(told, names)).filter((text) => text !== undefined)
  const amount = told.amount === undefined ? Number.NaN : Number(told.amount)
  if (Number.isSafeInteger(amount)) texts.splice(1, texts.length, formatAmount(amount))
  return texts.slice(0, 2).join(' · ')
}

function firstText(told: Details, names: string[]): string | undefined {
  const texts = names.map((name) => told[name])
  return texts.find((text): text is string => typeof text === 'string' && text !== '')
}

function isObject(value: unknown): value is Details {
  return typeof value === 'object' && value !== null
}
