/**
 * What can be wrong with a statement, as texts of reasons. Each names the line, what is wrong and,
 * where it helps, what would be right; `wire/french-statements.ts` has them in French.
 */
export const sentences = {
  empty: 'Line {line}, column {column}: the cell is empty; it must hold a value such as {example}',
  noDate: 'Line {line}, column {column}: {value} is not a date as {formats}, such as {example}',
  noKind:
    'Line {line}, column {column}: {value} is no known kind of line; the mapping knows {known}',
  noStatus: 'Line {line}, column {column}: {value} is no known status; the mapping knows {known}',
  noSign: 'Line {line}, column {column}: {value} is no known direction; the mapping knows {known}',
  noBoolean: 'Line {line}, column {column}: {value} is neither true nor false',
  zero: 'Line {line}, column {column}: the amount is zero; it must be one such as 15000',
  againstSign:
    'Line {line}, column {column}: {value} is negative, but the line says that money came in',
  negative: 'Line {line}, column {column}: {value} is negative; it must be one such as 15000',
  notNegative: 'Line {line}, column {column}: {value} is not negative; it must be one such as -150',
  twoSides: 'Line {line}, column {column}: the line has a debit and a credit; one must be empty',
  noSide: 'Line {line}, column {column}: the line has neither a debit nor a credit, such as 15000',
  cents: 'Line {line}, column {column}: {value} is not whole francs, such as 15000',
  ambiguous:
    'Line {line}, column {column}: {value} may be thousands or a fraction; the mapping must say' +
    ' what stands before cents ("decimal": "." or ",")',
  unreadable: 'Line {line}, column {column}: {value} is not an amount in francs, such as 15000',
  feesAbove:
    'Line {line}, column {column}: {value} is not more than the fees of the line, {fee} francs',
  shortened:
    'Line {line}, column {column}: a spreadsheet program took {value} for a number and cut its' +
    ' digits; take the file from the provider again and do not save it with such a program',
  noReference:
    'Line {line}, column {column}: a reference is one line of at most {lengthMax} characters,' +
    ' such as MP261116.1030.A12345',
  otherCurrency:
    'Line {line}, column {column}: {value} is not the currency of this account, {known}',
  tooWide: 'Line {line} has {count} cells, but there are only {titles} titles',
  outOfOrder: 'Line {line} stands after line {before}: the rows of the file are not in order',
  wrongOrder:
    'Line {line}: the lines run from {first} to {last}; the mapping must say "order": "{order}"',
  twoTitles: 'Line {line}: {count} columns are titled {title}; name one of them as {title}#1',
  noTitle: 'The file has no column {title}; line {line} has {titles}',
  noTitles: 'The first {rows} rows have none of the titles that the mapping names, such as {title}',
  noMapping:
    'The titles of this file are not known: a mapping for this provider must say what its' +
    ' columns are',
  noBalance: 'Line {line}: {label} is followed by no amount in francs, such as 15000',
  skippedRule: 'Line {line} was left out, as the mapping says: {text}',
  skippedTitles: 'Line {line} was left out: it has the titles again',
  skippedInformation: 'Line {line}: {column} was left out: it is for information and not booked',
  otherSum:
    'Line {line}, column {column}: the amount is {value}, but its transactions make {sum} francs',
  otherCount: 'Line {line}: the statement tells of {told} entries, but has {count}',
  manyAccounts: 'Line {line}: the file has more than {accountsMax} accounts',
  notFollowing:
    'Line {line}: the statement opens with {opening} francs, but the one before it closed with' +
    ' {closing}; send them as files of their own',
  noStatement: 'This XML file has no statement: send camt.053, CSV or XLSX',
  otherDocument:
    'Line {line}: {name} is not a statement that can be read: send camt.053.001.02 to 001.13, CSV' +
    ' or XLSX',
  tooMuch: 'The amounts of the file are more than can be counted, all together',
  malformed: 'Line {line}: the XML cannot be read: {reason}',
  longElement: 'Line {line}: an element has more than {lengthMax} characters',
} as const
