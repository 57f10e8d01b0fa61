import { columns, type Db, json, type Tx } from '#data/db/db.ts'
import type { FileState, KeptFile, Survey } from './file.ts'
import type { LineProblem } from './import.ts'

const fileColumns = columns([
  'id',
  'provider',
  'country',
  'name',
  'from_at',
  'to_at',
  'state',
  'bytes',
  'share',
  'problems',
  'statement_id',
  'uploaded_by',
  'uploaded_at',
  'imported_by',
  'attempt',
  'version',
  'survey',
])

export async function insertFile(
  db: Db,
  one: Pick<
    KeptFile,
    'id' | 'provider' | 'country' | 'name' | 'fromAt' | 'toAt' | 'uploadedBy' | 'uploadedAt'
  >,
  dueAt: Date,
): Promise<void> {
  await db`
    insert into statement_files (id, provider, country, name, from_at, to_at, state, uploaded_by,
      uploaded_at, due_at)
    values (${one.id}, ${one.provider}, ${one.country}, ${one.name}, ${one.fromAt}, ${one.toAt},
      'arriving', ${one.uploadedBy}, ${one.uploadedAt}, ${dueAt})`
}

/** Adds bytes to a file that is arriving, and prolongs its time. */
export async function insertFileChunk(
  tx: Tx,
  id: string,
  chunk: { number: number; content: Buffer; dueAt: Date },
): Promise<void> {
  await tx`
    insert into statement_file_chunks (file_id, number, content)
    values (${id}, ${chunk.number}, ${chunk.content})`
  await tx`
    update statement_files set bytes = bytes + ${chunk.content.length}, due_at = ${chunk.dueAt}
    where id = ${id}`
}

export async function readFileChunk(
  db: Db,
  id: string,
  number: number,
): Promise<Buffer | undefined> {
  const [row] = await db<{ content: Buffer }>`
    select content from statement_file_chunks where (file_id, number) = (${id}, ${number})`
  return row?.content
}

export async function findFile(db: Db, id: string): Promise<KeptFile | undefined> {
  const [found] = await db<KeptFile>`
    select ${fileColumns} from statement_files where id = ${id}`
  return found
}

/** Moves a file from one of these states on; undefined: it is in none of them. */
export async function moveFile(
  db: Db,
  id: string,
  from: FileState[],
  to: {
    state: FileState
    dueAt: Date
    importedBy?: string
    statementId?: string
    problems?: number
  },
): Promise<KeptFile | undefined> {
  const { importedBy = null, statementId = null, problems = 0 } = to
  const [moved] = await db<KeptFile>`
    update statement_files
    set state = ${to.state}, due_at = ${to.dueAt}, version = version + 1,
      imported_by = coalesce(${importedBy}, imported_by), statement_id = ${statementId},
      problems = ${problems}
    where id = ${id} and state = any(${from}::text[])
    returning ${fileColumns}`
  return moved
}

export async function writeSurvey(db: Db, id: string, survey: Survey): Promise<void> {
  await db`update statement_files set survey = ${json(survey)} where id = ${id}`
}

/** Claims one file that is due: to be imported, or to be removed. */
export async function claimFile(
  db: Db,
  now: Date,
  leaseUntil: Date,
): Promise<KeptFile | undefined> {
  const [claimed] = await db<KeptFile>`
    with due as materialized (
      select id as due_id from statement_files
      where due_at <= ${now}
      order by due_at
      limit 1
      for update skip locked
    )
    update statement_files
    set due_at = ${leaseUntil}, attempt = attempt + case when state = 'waiting' then 1 else 0 end
    from due where id = due_id
    returning ${fileColumns}`
  return claimed
}

/** Records how far an import is, and prolongs its lease. */
export async function writeFileShare(
  db: Db,
  id: string,
  share: number,
  leaseUntil: Date,
): Promise<void> {
  await db`
    update statement_files
    set share = greatest(share, ${share}), due_at = ${leaseUntil}, version = version + 1
    where id = ${id} and state = 'waiting'`
}

/** Lets a file that waits be tried again later. */
export async function postponeFile(db: Db, id: string, dueAt: Date): Promise<void> {
  await db`
    update statement_files set due_at = ${dueAt}, attempt = attempt - 1
    where id = ${id} and state = 'waiting'`
}

/** Removes a file with its bytes and its problems. */
export async function deleteFile(db: Db, id: string): Promise<void> {
  await db`delete from statement_files where id = ${id}`
}

export async function deleteFileChunks(db: Db, id: string): Promise<void> {
  await db`delete from statement_file_chunks where file_id = ${id}`
}

/** Keeps problems of a file, from a number on. */
export async function insertFileProblems(
  db: Db,
  id: string,
  first: number,
  problems: LineProblem[],
): Promise<void> {
  const rows = problems.map(({ line, reason }, index) => ({ number: first + index, line, reason }))
  await db`
    insert into statement_file_problems (file_id, number, line, reason)
    select ${id}, number, line, reason
    from jsonb_to_recordset(${json(rows)}::jsonb) as p (number integer, line integer, reason jsonb)`
}

export async function deleteFileProblems(db: Db, id: string): Promise<void> {
  await db`delete from statement_file_problems where file_id = ${id}`
}

/** Problems of a file after one, in the order of its lines. */
export function readFileProblems(
  db: Db,
  id: string,
  { after, limit }: { after: number; limit: number },
): Promise<(LineProblem & { number: number })[]> {
  return db<LineProblem & { number: number }>`
    select number, line, reason from statement_file_problems
    where file_id = ${id} and number > ${after}
    order by number
    limit ${limit}`
}

/** The versions of files that pages follow. */
export async function readFileVersions(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; version: string }>`
    select id, version::text as version from statement_files where id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, version }) => [id, version]))
}
