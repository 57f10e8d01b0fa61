/** A statement of a migration that would hinder a gateway that runs, and why. */
export interface BrokenRule {
  rule: string
  statement: string
}

// Free in a file that says which programs its schema needs: others do not start on it.
const takenAway: [rule: string, pattern: RegExp][] = [
  ['takes away what running processes use', /\bdrop (column|table|view|function|type|schema)\b/],
  ['renames what running processes use', /\brename\b/],
  ['takes a right away that running processes need', /^revoke\b/],
  ['refuses rows that running processes write', /\badd .*\bcheck \(\w+ is not null\) not valid\b/],
]
// What each pattern does to processes that run while it is applied, or that do not know it yet.
const rules: [rule: string, pattern: RegExp][] = [
  ['refuses rows that running processes write', /\bset not null\b/],
  ['refuses rows that running processes write', /\badd column (?!.*\bdefault\b).*\bnot null\b/],
  ['rewrites the table under a lock', /\balter column \w+ (set data )?type\b/],
  ['rewrites the table under a lock', /\badd column .*\bdefault [^,]*\w\(/],
  [
    'reads the whole table under a lock: add it not valid, and validate it in a later file',
    /\badd (constraint \w+ )?(check|foreign key)\b(?!.*\bnot valid\b)/,
  ],
  [
    'builds an index under a lock: build it concurrently',
    /\badd (constraint \w+ )?(unique|primary key|exclude)\b(?! using index)/,
  ],
  ['builds an index under a lock: build it concurrently', /^create (unique )?index (?!concurr)/],
  ['waits for all who use the table: drop it concurrently', /^drop index (?!concurrently)/],
  ['changes many rows in one transaction', /^(update|delete from)\b/],
  ['lets rows pass unchecked meanwhile', /\bdisable trigger\b/],
  ['names a schema, and must work in any', /\bpublic\b(?=\.)|\bschema public\b/],
]

// Only imports of statements, people of the dashboard and a note a minute of the last use write
// them: nothing of a payment waits.
const besidePayments = /^update (statement_lines|people|api_keys)\b/

/** The statements of a migration that break a rule; tables that it creates itself are free. */
export function brokenRules({ sql, needs }: { sql: string; needs: number }): BrokenRule[] {
  const statements = statementsOf(sql)
  const created = new Set(
    statements.flatMap((one) => /^create table (if not exists )?(\w+)/.exec(one)?.[2] ?? []),
  )
  return statements
    .filter((one) => !created.has(tableOf(one) ?? '') && !besidePayments.test(one))
    .flatMap((statement) =>
      [...rules, ...(needs > 0 ? [] : takenAway)]
        .filter(([, pattern]) => pattern.test(statement))
        .map(([rule]) => ({ rule, statement: statement.slice(0, 100) })),
    )
}

/** The statements without comments and bodies of functions, each on one line. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .split(';')
    .map((one) => one.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((one) => one !== '')
}

function tableOf(statement: string): string | undefined {
  const named = /^(?:alter table (?:only )?|update |delete from )(\w+)/.exec(statement)
  return (named ?? /^create (?:unique )?index\b.*? on (?:only )?(\w+)/.exec(statement))?.[1]
}
