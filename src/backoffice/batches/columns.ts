import type { Language } from '#base/kit/language.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { TableRow } from '#formats/tables/table.ts'

/** What a column of a file can hold. */
export type Field =
  | 'number'
  | 'amount'
  | 'service'
  | 'wallet'
  | 'country'
  | 'name'
  | 'reference'
  | 'externalId'

/** The titles of columns in files that we write, and first among those that we read. */
export const titles: Record<Field, Record<Language, string>> = {
  number: { fr: 'Numéro', en: 'Number' },
  amount: { fr: 'Montant', en: 'Amount' },
  service: { fr: 'Service', en: 'Service' },
  wallet: { fr: 'Portefeuille', en: 'Wallet' },
  country: { fr: 'Pays', en: 'Country' },
  name: { fr: 'Nom', en: 'Name' },
  reference: { fr: 'Référence', en: 'Reference' },
  externalId: { fr: 'Identifiant', en: 'External id' },
}

// Other titles that people use, without accents, spaces and capitals.
const otherTitles: Record<Field, string[]> = {
  number: ['phone', 'phonenumber', 'telephone', 'tel', 'mobile', 'numerodetelephone', 'msisdn'],
  amount: ['montantfcfa', 'somme', 'amountfcfa', 'amountxof', 'montantxof'],
  service: ['servicecode', 'codeservice'],
  wallet: ['operateur', 'operator', 'provider'],
  country: ['countrycode', 'codepays'],
  name: ['beneficiaire', 'nomcomplet', 'fullname', 'beneficiary', 'nometprenom', 'prenometnom'],
  reference: ['ref', 'motif', 'libelle', 'note', 'description'],
  externalId: ['id', 'externaltransactionid', 'identifiantexterne', 'transactionid'],
}

const fields = Object.keys(titles) as Field[]
const fieldByTitle = new Map(
  fields.flatMap((field) =>
    [...Object.values(titles[field]).map(plain), ...otherTitles[field]].map(
      (title): [string, Field] => [title, field],
    ),
  ),
)

/** The letters and digits of a text, without accents and capitals. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
}

/** Where the columns are. */
export type Columns = Map<Field, number>

/** The columns that a row names; undefined: it is no header. */
export function readHeader({ cells }: TableRow): Columns | undefined {
  const named = cells.map((cell) => fieldByTitle.get(plain(cell)))
  if (!named.includes('number') && !named.includes('amount')) return undefined
  const columns: Columns = new Map()
  named.forEach((field, index) => {
    if (field === undefined) return
    if (columns.has(field))
      throw new Refusal(
        'validation_failed',
        reason('Two columns are titled {title}', { title: cells[index] ?? '' }),
      )
    columns.set(field, index)
  })
  refuseMissing(columns)
  return columns
}

function refuseMissing(columns: Columns): void {
  const missing: string[] = []
  if (!columns.has('number')) missing.push('Numéro / Number')
  if (!columns.has('amount')) missing.push('Montant / Amount')
  if (!columns.has('service') && !columns.has('wallet'))
    missing.push('Service, Portefeuille / Wallet')
  if (missing.length > 0)
    throw new Refusal(
      'validation_failed',
      ...missing.map((title) => reason('The file has no column {title}', { title })),
    )
}
