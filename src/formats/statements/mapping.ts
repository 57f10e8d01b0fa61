import { type Static, Type } from 'typebox'
import { lineKinds, lineStatuses } from './statement.ts'

const lengthMax = 200
const wordsMax = 200

/** A column by its title, or its letter in a file without titles; `Title#2`: the second of two. */
const Column = Type.String({ minLength: 1, maxLength: lengthMax })

const Columns = Type.Object(
  {
    at: Column,
    time: Type.Optional(Column),
    reference: Type.Optional(Column),
    ourReference: Type.Optional(Column),
    kind: Type.Optional(Column),
    phone: Type.Optional(Column),
    amount: Type.Optional(Column),
    debit: Type.Optional(Column),
    credit: Type.Optional(Column),
    sign: Type.Optional(Column),
    fees: Type.Optional(Type.Array(Column, { maxItems: 10 })),
    status: Type.Optional(Column),
    balance: Type.Optional(Column),
    currency: Type.Optional(Column),
  },
  { additionalProperties: false },
)

const signs = ['+', '-'] as const
const Kind = Type.Enum([...lineKinds])
/** A kind, and its direction where that is not the usual one of the kind: `reverse-`. */
const SignedKind = Type.Enum([
  ...lineKinds,
  ...lineKinds.flatMap((kind) =>
    signs.map((sign): `${typeof kind}${typeof sign}` => `${kind}${sign}`),
  ),
])
const Status = Type.Enum([...lineStatuses])

function words<T extends Parameters<typeof Type.Record>[1]>(meaning: T) {
  return Type.Record(Type.String({ minLength: 1, maxLength: lengthMax }), meaning, {
    maxProperties: wordsMax,
  })
}

const Label = Type.String({ minLength: 1, maxLength: lengthMax })

/** Lines that are no lines of the statement: all that is said of them must be so. */
const SkipRule = Type.Object(
  {
    column: Type.Optional(Column),
    is: Type.Optional(Type.Array(Label, { minItems: 1, maxItems: 50 })),
    begins: Type.Optional(Type.Array(Label, { minItems: 1, maxItems: 50 })),
    isEmpty: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

/** How the statements of a provider are written. Plain data, kept and shown as JSON. */
export const Mapping = Type.Object(
  {
    version: Type.Literal(1),
    separator: Type.Optional(Type.Enum([';', ',', '\t', '|'])),
    /** Whether a line has the titles of the columns; it may come after others. */
    titles: Type.Optional(Type.Boolean()),
    columns: Columns,
    dates: Type.Optional(Type.Array(Label, { minItems: 1, maxItems: 10 })),
    timeZone: Type.Optional(Label),
    decimal: Type.Optional(Type.Enum(['.', ','])),
    /** Where the direction comes from, if no columns of debits and credits or of signs tell. */
    sign: Type.Optional(Type.Enum(['kind', 'amount'])),
    signs: Type.Optional(words(Type.Enum([...signs]))),
    kinds: Type.Optional(words(SignedKind)),
    statuses: Type.Optional(words(Status)),
    /** What lines are where no column tells. */
    always: Type.Optional(
      Type.Object(
        { in: Type.Optional(Kind), out: Type.Optional(Kind), status: Type.Optional(Status) },
        { additionalProperties: false },
      ),
    ),
    feeSign: Type.Optional(Type.Enum([...signs])),
    debitSign: Type.Optional(Type.Enum([...signs])),
    /** Whether amounts are what is left after fees, or what was taken with them. */
    isNet: Type.Optional(Type.Boolean()),
    /** How lines with running balances are sorted. */
    order: Type.Optional(Type.Enum(['oldest_first', 'newest_first'])),
    /** What begins the lines that tell these balances. */
    balances: Type.Optional(
      Type.Object(
        { opening: Type.Optional(Label), closing: Type.Optional(Label) },
        { additionalProperties: false },
      ),
    ),
    skip: Type.Optional(Type.Array(SkipRule, { maxItems: 50 })),
    mayBeEmpty: Type.Optional(Type.Array(Type.Enum(['reference', 'ourReference', 'fees']))),
  },
  { additionalProperties: false },
)
export type Mapping = Static<typeof Mapping>
export type SkipRule = Static<typeof SkipRule>
export type ColumnField = keyof Mapping['columns']

/** The columns that a mapping names, with what each holds. */
export function columnsOf({ columns }: Mapping): [field: ColumnField, name: string][] {
  return (Object.entries(columns) as [ColumnField, string | string[]][]).flatMap(([field, names]) =>
    [names].flat().map((name): [ColumnField, string] => [field, name]),
  )
}

/** The direction that a kind has unless the file says it; undefined: it must. */
export function usualSign(kind: (typeof lineKinds)[number]): 1 | -1 | undefined {
  if (kind === 'collect') return 1
  return ['disburse', 'top_up', 'bill', 'fee'].includes(kind) ? -1 : undefined
}
