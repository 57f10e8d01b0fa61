import type { Asker } from '#backoffice/approvals/propose.ts'
import { isUuid, lastId } from '#base/kit/ids.ts'
import type { Language } from '#base/kit/language.ts'
import { balanceOf } from './balance/balance.ts'
import type { Case, CaseFilter, Mending } from './cases/case.ts'
import { countUnclosed, findCasesAbout, findCasesOf, readAges } from './cases/case-store.ts'
import { listCases, sumOpen } from './cases/filter-store.ts'
import {
  addNote,
  assign,
  type ClosingAll,
  closeAll,
  getCase,
  withPseudonym,
} from './cases/look-into.ts'
import { findWays, mendCase, previewMending } from './cases/mend.ts'
import { reportTable } from './cases/report.ts'
import type { ReconContext } from './context.ts'
import { proveApproved } from './import/evidence.ts'
import type { KeptFile } from './import/file.ts'
import { findFile, moveFile, readFileProblems, readFileVersions } from './import/file-store.ts'
import { type ImportOrder, importStatement } from './import/import.ts'
import { startFileSweeper } from './import/import-file.ts'
import { judgeAgain } from './import/judge-again.ts'
import { type KeepOrder, keepFile, readKeptFile } from './import/keep-file.ts'
import { findLinesOf, type LineRange } from './import/line-store.ts'
import { findMapping, listMappings } from './import/mapping-store.ts'
import {
  type MappingOrder,
  type PreviewOrder,
  preview,
  readable,
  type SurveyOrder,
  saveMapping,
  survey,
} from './import/mappings.ts'
import { readOurs } from './import/match-store.ts'
import { codesOf } from './import/party.ts'
import { readHeld } from './import/proof-store.ts'
import { resumeImports, startReconSweeper } from './import/resume.ts'
import type { Party, Statement } from './import/statement.ts'
import { listStatements, readNewest, readVersions } from './import/statement-store.ts'
import { findLines, getStatement } from './import/statements.ts'
import { surveyKept } from './import/survey.ts'
import { proposeWithdrawal } from './import/withdraw.ts'

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
    survey: (order: SurveyOrder) => survey(context, order),
    /** Newest first. */
    list: ({ below = lastId, limit, provider, country }: Page & Partial<Party>) =>
      listStatements(db, { provider: provider ?? null, country: country ?? null, below, limit }),
    get: (id: string) => getStatement(context, id),
    /** Takes back all that a statement told, once a second person agrees. */
    withdraw: (id: string, why: string, asker: Asker, form?: string) =>
      proposeWithdrawal(context, { id, reason: why }, asker, form),
    /** In the order of the file. */
    lines: (id: string, range: Omit<LineRange, 'pseudonym'>) => findLines(context, id, range),
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
    surveyKept: (file: KeptFile, left: AbortSignal) => readable(surveyKept(context, file, left)),
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
