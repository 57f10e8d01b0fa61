import type { Asker, Requested } from '#backoffice/approvals/propose.ts'
import { isUuid, lastId, newId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import { balanceOf } from './balance/balance.ts'
import type { Case, CaseFilter, Mending, Note } from './cases/case.ts'
import {
  countUnclosed,
  findCase,
  findCasesAbout,
  findCasesOf,
  insertNote,
  readAges,
  readNotes,
  updatePerson,
} from './cases/case-store.ts'
import { closeOpen, listCases, sumOpen } from './cases/filter-store.ts'
import { findWays, mendCase, previewMending, reasonOf } from './cases/mend.ts'
import { lockKnownCase, noCase } from './cases/move-case.ts'
import { reportTable } from './cases/report.ts'
import type { ReconContext } from './context.ts'
import { proveApproved } from './import/evidence.ts'
import type { KeptFile } from './import/file.ts'
import { findFile, moveFile, readFileProblems, readFileVersions } from './import/file-store.ts'
import { pseudonymIn } from './import/identities.ts'
import { type ImportOrder, importStatement } from './import/import.ts'
import { startFileSweeper } from './import/import-file.ts'
import { judgeAgain } from './import/judge-again.ts'
import { type KeepOrder, keepFile, readKeptFile } from './import/keep-file.ts'
import { findLine, findLinesOf, type LineRange, readLines } from './import/line-store.ts'
import { findMapping, listMappings } from './import/mapping-store.ts'
import {
  type MappingOrder,
  type PreviewOrder,
  preview,
  readable,
  saveMapping,
  survey,
} from './import/mappings.ts'
import { readOurs } from './import/match-store.ts'
import { codesOf } from './import/party.ts'
import { readHeld } from './import/proof-store.ts'
import { resumeImports, startReconSweeper } from './import/resume.ts'
import type { Party, Statement } from './import/statement.ts'
import {
  findStatement,
  listStatements,
  readNewest,
  readVersions,
} from './import/statement-store.ts'
import { surveyKept } from './import/survey.ts'
import type { Withdrawal } from './import/withdraw.ts'

interface Page {
  below?: string | undefined
  limit: number
}

/** Everything that can be done with statements of providers. */
export type Recon = ReturnType<typeof openRecon>

/** Opens the room. */
export function openRecon(context: ReconContext) {
  const { db } = context
  return {
    // Statements
    /** Reads a file, compares it and records what it proves; resolves when all is done. */
    import: (order: ImportOrder) => importStatement(context, order),
    /** What would be understood of a file; stores nothing. */
    preview: (order: PreviewOrder) => preview(context, order),
    /** What the import of a file would be; stores nothing. */
    survey: (order: PreviewOrder) => survey(context, order),
    /** Newest first. */
    list: ({ below = lastId, limit, provider, country }: Page & Partial<Party>) =>
      listStatements(db, { provider: provider ?? null, country: country ?? null, below, limit }),
    get: (id: string) => getStatement(context, id),
    /** Takes back all that a statement told, once a second person agrees. */
    withdraw: (id: string, why: string, asker: Asker, form?: string) =>
      withdraw(context, { id, reason: why }, asker, form),
    /** In the order of the file. */
    lines: (id: string, range: LineSearch) => findLines(context, id, range),
    /** Lines that wait for a proposal. */
    held: (approvalId: string, range: { after: number; limit: number }) =>
      readHeld(db, approvalId, range),
    /** What we have of the transactions of lines. */
    ours: (party: Party, ids: { clientId: number; id: string }[]) =>
      readOurs(db, ids, codesOf(party)),
    /** What statements say of a transaction, and how that differs. */
    about: async (id: { clientId: number; id: string }) => ({
      lines: await findLinesOf(db, [id]),
      cases: await findCasesAbout(db, id),
    }),
    /** What the provider holds at the end of a statement, by it and by our ledger. */
    balance: (statement: Statement) => balanceOf(context, statement),
    /** The end of the newest statement of each provider that ever had one. */
    newest: () => readNewest(db),
    /** What differs whenever statements have changed. */
    marks: (ids: string[]) => readVersions(db, ids),

    ...fileVerbs(context),

    ...caseVerbs(context),

    /** Records what lines prove that second people have let pass. */
    proveApproved: () => proveApproved(context),
    /** Goes on with imports whose processes have died. */
    resume: () => resumeImports(context),
    /** Judges differences again that our books have changed about. */
    judgeAgain: () => judgeAgain(context),
    startSweeper: () => startReconSweeper(context),
  }
}

/** Differences, and what is done about them. */
function caseVerbs(context: ReconContext) {
  const { db, clock } = context
  return {
    /** Newest first. */
    cases: (filter: CaseFilter, { below = lastId, limit }: Page) =>
      listCases(db, withPseudonym(context, filter), { below, limit }),
    /** How many open ones pass a filter, and what they add up to. */
    sumOpen: (filter: CaseFilter) => sumOpen(db, withPseudonym(context, filter)),
    /** Leaves all open ones that pass a filter as they are, if they are as many as were seen. */
    closeAll: (filter: CaseFilter, closing: ClosingAll) =>
      closeAll(context, withPseudonym(context, filter), closing),
    /** Those of some lines of a statement. */
    casesOf: (statementId: string, lines: number[]) => findCasesOf(db, statementId, lines),
    /** How many of each provider are not closed, by kind. */
    unclosed: () => countUnclosed(db),
    /** A difference with its notes and its line. */
    case: (id: string) => getCase(context, id),
    /** Who looks into a difference; null: nobody. */
    assign: (id: string, person: string | null, actor: string) =>
      assign(context, { id, person, actor }),
    note: (id: string, text: string, person: string) => addNote(context, { id, text, person }),
    /** What a mending would do; null: nothing moves. Refuses what cannot be done. */
    previewMend: (one: Case, mending: Mending) => previewMending(context, one, mending),
    /** The ways that are possible now. */
    ways: (one: Case) => findWays(context, one),
    mend: (id: string, mending: Mending, asker: Asker, form?: string) =>
      mendCase(context, id, mending, asker, form),
    /** How many are not closed, by age and kind. */
    ages: (party: Partial<Party> = {}) => readAges(db, clock.now(), party),
    /** As a file, for src/tables. */
    report: (filter: CaseFilter, language: Language, form: 'csv' | 'xlsx' | 'pdf') =>
      reportTable(context, filter, language, form),
  }
}

type LineSearch = Omit<LineRange, 'pseudonym'>

/** A number is looked for by what stands for it too. */
function findLines({ db, pseudonymOf }: ReconContext, id: string, range: LineSearch) {
  const pseudonym = range.text && pseudonymIn(range.text, pseudonymOf)
  return readLines(db, id, { ...range, pseudonym })
}

/** Files that come through a browser, and how files are read. */
function fileVerbs(context: ReconContext) {
  const { db, clock } = context
  return {
    // How files are read
    mapping: (party: Party) => findMapping(db, party),
    mappings: () => listMappings(db),
    saveMapping: (order: MappingOrder) => saveMapping(context, order),

    /** Stores a file as it arrives, for people to look at before it is imported. */
    keep: (order: KeepOrder) => keepFile(context, order),
    /** Undefined: there is none, or it was removed. */
    file: async (id: string) => (isUuid(id) ? findFile(db, id) : undefined),
    /** What would be understood of a file that is kept. */
    previewKept: (file: KeptFile) => preview(context, { ...file, file: readKeptFile(db, file) }),
    /** What it would import: its lines, time and sums, and how many of its payments are ours. */
    surveyKept: (file: KeptFile) => readable(surveyKept(context, file)),
    /** Lets a file be imported by a worker; undefined: it is imported, or was. */
    importKept: (id: string, actor: string) => {
      const to = { state: 'waiting', dueAt: clock.now(), importedBy: actor } as const
      return moveFile(db, id, ['ready', 'failed'], to)
    },
    /** What is wrong with a file that was refused, in its order. */
    problems: (id: string, range: { after: number; limit: number }) =>
      readFileProblems(db, id, range),
    marksOfFiles: (ids: string[]) => readFileVersions(db, ids),
    startFileSweeper: () => startFileSweeper(context),
  }
}

async function getStatement({ db }: ReconContext, id: string): Promise<Statement> {
  const found = isUuid(id) ? await findStatement(db, id) : undefined
  if (found === undefined) throw new Refusal('not_found', 'No statement found')
  return found
}

function withPseudonym({ pseudonymOf }: ReconContext, filter: CaseFilter): CaseFilter {
  return filter.text ? { ...filter, pseudonym: pseudonymIn(filter.text, pseudonymOf) } : filter
}

interface ClosingAll {
  reason: string
  person: string
  /** How many were seen. */
  count: number
}

function closeAll(
  { db, clock }: ReconContext,
  filter: CaseFilter,
  { reason: given, person, count }: ClosingAll,
): Promise<number> {
  const why = reasonOf(given)
  return db.transaction(async (tx) => {
    const at = clock.now()
    const closed = await closeOpen(tx, filter, { at, by: person, reason: why })
    if (closed !== count)
      throw new Refusal('conflict', 'This has changed since you saw it: check it again')
    // A search may be somebody's number.
    const { text: _text, pseudonym: _pseudonym, ...asked } = filter
    const details = { ...asked, count, reason: why }
    await recordAudit(tx, { at, actor: person, action: 'recon.close', details })
    return closed
  })
}

async function withdraw(
  context: ReconContext,
  order: Withdrawal,
  asker: Asker,
  form?: string,
): Promise<Requested> {
  const { name, id } = await getStatement(context, order.id)
  const why = reasonOf(order.reason)
  const kind = 'statement_withdrawal'
  return context.approvals.request({ kind, clientId: null, id, name, reason: why }, asker, form)
}

async function getCase({ db }: ReconContext, id: string) {
  const one = isUuid(id) ? await findCase(db, id) : undefined
  if (one === undefined) throw noCase()
  const line = one.line === null ? undefined : await findLine(db, one.statementId, one.line)
  return { case: one, line, notes: await readNotes(db, id) }
}

function assign(
  { db, clock }: ReconContext,
  order: { id: string; person: string | null; actor: string },
): Promise<Case> {
  return db.transaction(async (tx) => {
    const one = await lockKnownCase(tx, order.id)
    const person = order.person?.trim().toLowerCase() || null
    await updatePerson(tx, one.id, person)
    const details = { id: one.id, person }
    const at = clock.now()
    await recordAudit(tx, { at, actor: order.actor, action: 'recon.assign', details })
    return { ...one, person, version: one.version + 1 }
  })
}

const noteLengthMax = 2000

async function addNote(
  { db, clock }: ReconContext,
  order: { id: string; text: string; person: string },
): Promise<Note> {
  const text = order.text.trim()
  if (text === '' || text.length > noteLengthMax)
    throw new Refusal(
      'validation_failed',
      reason('A note has 1 to {max} characters', { max: noteLengthMax }, 'text'),
    )
  return db.transaction(async (tx) => {
    const { id } = await lockKnownCase(tx, order.id)
    const at = clock.now()
    const note = { id: newId(at), at, person: order.person, text }
    await insertNote(tx, id, note)
    await recordAudit(tx, { at, actor: order.person, action: 'recon.note', details: { id } })
    return note
  })
}
