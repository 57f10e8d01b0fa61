import type { Language } from '#base/kit/language.ts'
import type { Db } from '#data/db/db.ts'
import { sentence } from '#edge/wire/error.ts'
import { failureCodeOf } from '#edge/wire/failure.ts'
import type { OutputColumn, OutputTable, Value } from '#formats/tables/output.ts'
import { plainPhone } from '#merchants/catalog/phone.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { type Batch, externalIdOf } from './batch.ts'
import { type Field, titles } from './columns.ts'
import { type ResultLine, readResults } from './line-store.ts'

const templateFields: [Field, number][] = [
  ['number', 16],
  ['amount', 12],
  ['wallet', 14],
  ['country', 8],
  ['name', 28],
  ['reference', 28],
  ['externalId', 20],
]

/** The header of a file of payouts, to be filled in. It has no example, which could be paid. */
export function templateTable(language: Language): OutputTable {
  const columns = templateFields.map(
    ([field, width]): OutputColumn => ({ title: titles[field][language], kind: 'text', width }),
  )
  return { title: { fr: 'Paiements', en: 'Payouts' }[language], columns, rows: [] }
}

const resultColumns: [en: string, fr: string, kind: OutputColumn['kind'], width: number][] = [
  ['Line', 'Ligne', 'whole', 6],
  [titles.number.en, titles.number.fr, 'text', 12],
  [titles.service.en, titles.service.fr, 'text', 20],
  [titles.amount.en, titles.amount.fr, 'money', 14],
  ['Fee', 'Frais', 'money', 10],
  [titles.name.en, titles.name.fr, 'text', 24],
  [titles.reference.en, titles.reference.fr, 'text', 24],
  ['Status', 'Statut', 'text', 12],
  ['Failure code', "Code d'échec", 'text', 22],
  ['Remark', 'Remarque', 'text', 30],
  ['Attempts', 'Tentatives', 'whole', 8],
  ['Transaction', 'Transaction', 'text', 36],
  [titles.externalId.en, titles.externalId.fr, 'text', 48],
  ['Ended', 'Terminé', 'moment', 20],
]

/** Every line of a batch with what has become of it. Rows are read while they are written. */
export function resultTable(db: Db, batch: Batch, language: Language): OutputTable {
  const columns = resultColumns.map(
    ([en, fr, kind, width]): OutputColumn => ({ title: { en, fr }[language], kind, width }),
  )
  return { title: batch.name, columns, rows: resultRows(db, batch, language) }
}

const readAtOnce = 500

async function* resultRows(db: Db, batch: Batch, language: Language): AsyncGenerator<Value[]> {
  let after = 0
  for (;;) {
    const lines = await readResults(db, batch, { after, limit: readAtOnce })
    for (const line of lines) yield resultRow(batch, line, language)
    if (lines.length < readAtOnce) return
    after = lines.at(-1)?.line ?? after
  }
}

function resultRow({ id }: Batch, line: ResultLine, language: Language): Value[] {
  const { status } = line
  const remarks = [...line.errors, ...(line.refusal ?? [])]
  return [
    line.line,
    line.phone === null
      ? (line.given?.number ?? '')
      : plainPhone(line.phone, line.serviceCode ?? ''),
    line.serviceCode ?? '',
    line.amount,
    status === 'SUCCESS' ? 0 - (line.charged ?? 0) : null,
    line.name,
    line.reference,
    status ?? unsent[line.state] ?? 'WAITING',
    failureCodeOf({ ...line, operation: 'CASHIN' } as unknown as Transaction) ?? '',
    remarks.map((one) => sentence(one, language)).join('; '),
    line.attempt,
    line.transactionId ?? '',
    externalIdOf(id, line),
    line.completedAt,
  ]
}

const unsent: Partial<Record<ResultLine['state'], string>> = {
  faulty: 'FAULTY',
  refused: 'REFUSED',
}
