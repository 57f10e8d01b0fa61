import type pg from 'pg'

/** An index that is built or dropped while payments go on. */
export interface IndexStep {
  name: string
  sql: string
  isDrop: boolean
}

const mark = /^-- concurrently\b/
const create = /^create (?:unique )?index concurrently ([a-z_0-9]+)\s+on ([a-z_0-9]+)\b[^;]*$/
const drop = /^drop index concurrently if exists ([a-z_0-9]+)$/

/**
 * The steps of a migration that begins with `-- concurrently`; undefined: it is another one. Such a
 * file has nothing but named indexes to build and to drop, each in a statement of its own: a
 * failure in the middle leaves no transaction to roll back, and the file is run again from its
 * beginning.
 */
export function concurrentIndexes(sql: string): IndexStep[] | undefined {
  if (!mark.test(sql)) return undefined
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return statements.map((one) => {
    const [, created] = create.exec(one) ?? []
    const [, dropped] = drop.exec(one) ?? []
    const name = created ?? dropped
    if (name === undefined)
      throw new Error(`not an index to build or to drop concurrently: ${one.slice(0, 80)}`)
    return { name, sql: one, isDrop: created === undefined }
  })
}

/**
 * Takes a step unless it was taken. What an interrupted build left is an index that is not valid:
 * it costs each payment and serves no search, and is dropped first.
 */
export async function buildIndex(client: pg.Client, step: IndexStep): Promise<void> {
  // It waits for older transactions, and nothing queues behind it meanwhile.
  await client.query(`set lock_timeout = 0; set statement_timeout = 0`)
  const { rows } = await client.query(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [step.name],
  )
  const isValid: boolean | undefined = rows[0]?.valid
  if (!step.isDrop && isValid === true) return
  if (!step.isDrop && isValid === false) await client.query(`drop index concurrently ${step.name}`)
  await client.query(step.sql)
}
