import type { Balance, PartName } from '#backoffice/recon/balance/balance.ts'
import type { Case } from '#backoffice/recon/cases/case.ts'
import { caseWords } from '#backoffice/recon/cases/words.ts'
import type { Statement } from '#backoffice/recon/import/statement.ts'
import { counted, francs, tableOf } from './terminal.ts'

/** What was found in a statement, as lines to print. */
export function importLines(one: Statement): string[] {
  const { lines, known, matched, oursOnly, theirsOnly, different, ended, cases } = one
  const { opening, closing, net } = one
  const isUnexplained = opening !== null && closing !== null && opening + net !== closing
  return [
    `${one.id} (${one.name}): ${counted(lines, 'line')} of ${one.provider} ${one.country}`,
    `${matched} agree, ${oursOnly} only ours, ${theirsOnly} only theirs, ${different} differ, ` +
      `${known} known before`,
    `${counted(ended, 'transaction')} ended by it, ${counted(cases, 'difference')} to look into`,
    ...(isUnexplained
      ? [`its lines do not come to its balances: ${francs(closing - opening - net)}`]
      : []),
    ...(cases > 0 ? [`passerelle recon cases --statement ${one.id}`] : []),
  ]
}

export function statementTable(statements: Statement[]): string[] {
  return tableOf(statements, {
    Imported: (one) => one.importedAt.toISOString(),
    Statement: (one) => one.id,
    Provider: (one) => `${one.provider} ${one.country}`,
    File: (one) => one.name,
    State: (one) => one.state,
    From: (one) => one.fromAt?.toISOString() ?? '',
    To: (one) => one.toAt?.toISOString() ?? '',
    Lines: (one) => one.lines,
    Agree: (one) => one.matched,
    'Only ours': (one) => one.oursOnly,
    'Only theirs': (one) => one.theirsOnly,
    Differ: (one) => one.different,
    Ended: (one) => one.ended,
  })
}

const partWords: Record<PartName, string> = {
  opening: 'before its first line',
  lines: 'its lines do not add up to its balances',
  theirs_only: 'only theirs',
  different: 'lines that differ',
  ours_only: 'only ours',
  fees: 'fees and transfers that are not booked',
  overlap: 'lines that another statement has too',
  by_hand: 'booked by hand, or in suspense',
}

/** A statement with its balance and its open differences, as lines to print. */
export function showLines(shown: {
  statement: Statement
  balance: Balance | null
  cases: Case[]
}): string[] {
  const { statement, balance, cases } = shown
  return [
    ...importLines(statement),
    ...(balance === null ? [`state: ${statement.state}`] : balanceLines(balance)),
    ...(cases.length === 0 ? [] : ['', ...caseTable(cases)]),
  ]
}

function balanceLines({ statement, ledger, difference, parts, source }: Balance): string[] {
  const from = { file: 'the file', statement_before: 'the file before', ledger: 'our ledger' }
  return [
    `held at its end: ${francs(statement)} by the statement (from ${from[source]}), ` +
      `${francs(ledger)} by our ledger`,
    difference === 0 ? 'they agree to the franc' : `difference: ${francs(difference)}`,
    ...parts.map(({ name, amount }) => `  ${francs(amount)}: ${partWords[name]}`),
  ]
}

export function caseTable(cases: Case[]): string[] {
  return tableOf(cases, {
    Difference: (one) => one.id,
    What: (one) => caseWords.en.kinds[one.kind],
    State: (one) => one.state,
    Provider: (one) => `${one.provider} ${one.country}`,
    File: (one) => one.statementName,
    Line: (one) => one.line ?? '',
    Amount: (one) => one.amount,
    Theirs: ({ details: { theirs } }) => sideOf(theirs),
    Ours: ({ details: { ours } }) => sideOf(ours),
    At: ({ details: { theirs, ours } }) => momentOf(theirs ?? ours),
    Reference: ({ details: { theirs, ours } }) => theirs?.reference ?? ours?.reference ?? '',
    Number: ({ details: { theirs, ours } }) => theirs?.phone ?? ours?.phone ?? '',
    Client: (one) => one.clientId ?? '',
    Transaction: (one) => one.transactionId ?? '',
    Person: (one) => one.person ?? '',
    Closed: (one) =>
      one.closedAt === null ? '' : `${one.closing} by ${one.closedBy}: ${one.reason}`,
  })
}

function momentOf({ at = '', isDay = false }: NonNullable<Case['details']['ours']> = {}): string {
  // The day begins at midnight in the country.
  return isDay ? `day from ${at}` : at
}

function sideOf(side: Case['details']['ours']): string {
  return side === undefined ? '' : `${side.status ?? ''} ${side.amount ?? ''}`.trim()
}
