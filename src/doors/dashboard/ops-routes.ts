import type { DashboardContext } from './context.ts'
import type { Pages } from './frame/pages.ts'
import alerts from './ops/alerts.ts'
import decideApproval from './ops/approvals/_id/decide.ts'
import approval from './ops/approvals/_id.ts'
import propose from './ops/approvals/new.ts'
import approvals from './ops/approvals.ts'
import exportAudit from './ops/audit/export.csv.ts'
import wholeAudit from './ops/audit.ts'
import anyKey from './ops/clients/_id/keys/_key.ts'
import newAnyKey from './ops/clients/_id/keys/new.ts'
import clientKeys from './ops/clients/_id/keys.ts'
import clientService from './ops/clients/_id/services/_service.ts'
import clientServices from './ops/clients/_id/services.ts'
import clientLook from './ops/clients/_id/settings/look.ts'
import clientSettings from './ops/clients/_id/settings.ts'
import clientStatus from './ops/clients/_id/status.ts'
import anyClient from './ops/clients/_id.ts'
import newClient from './ops/clients/new.ts'
import allClients from './ops/clients.ts'
import anyConflict from './ops/conflicts/_id.ts'
import floats from './ops/float.ts'
import ledger from './ops/ledger.ts'
import removeBlock from './ops/limits/blocks/remove.ts'
import blocks from './ops/limits/blocks.ts'
import removeLimit from './ops/limits/remove.ts'
import limits from './ops/limits.ts'
import keptLink from './ops/mails/_id/link.ts'
import anyMail from './ops/mails/_id.ts'
import allMails from './ops/mails.ts'
import endMaintenance from './ops/maintenance/end.ts'
import maintenance from './ops/maintenance.ts'
import parked from './ops/parked.ts'
import oneProof from './ops/proof/_id.ts'
import proof from './ops/proof.ts'
import pauseProvider from './ops/providers/_provider/pause.ts'
import requeryProvider from './ops/providers/_provider/requery.ts'
import resumeProvider from './ops/providers/_provider/resume.ts'
import provider from './ops/providers/_provider.ts'
import allProviders from './ops/providers.ts'
import reconAssign from './ops/recon/cases/_id/assign.ts'
import reconMend from './ops/recon/cases/_id/mend.ts'
import reconNote from './ops/recon/cases/_id/note.ts'
import reconCase from './ops/recon/cases/_id.ts'
import reconCases from './ops/recon/cases.ts'
import keptStatement from './ops/recon/import/_id.ts'
import importStatement from './ops/recon/import.ts'
import mapping from './ops/recon/mappings/_provider.ts'
import reconReport from './ops/recon/report.ts'
import withdrawStatement from './ops/recon/statements/_id/withdraw.ts'
import statement from './ops/recon/statements/_id.ts'
import recon from './ops/recon.ts'
import exportNumber from './ops/retention/export.csv.ts'
import forgetNumber from './ops/retention/forget.ts'
import number from './ops/retention/number.ts'
import retention from './ops/retention.ts'
import runbook from './ops/runbooks/_name.ts'
import suspense from './ops/suspense.ts'
import anyTransaction from './ops/transactions/_id.ts'
import allTransactions from './ops/transactions.ts'
import operator from './ops/users/_person.ts'
import inviteOperator from './ops/users/invite.ts'
import operators from './ops/users.ts'
import replayTickedOf from './ops/webhooks/_client/replay.ts'
import replayRangeOf from './ops/webhooks/_client/replay-range.ts'
import deliveriesOf from './ops/webhooks/_client.ts'
import backlogs from './ops/webhooks.ts'
import operations from './ops.ts'

/** The gateway itself, for operators. What merchants do too is added with theirs. */
export function addOperatorPages(pages: Pages, context: DashboardContext): void {
  operations(pages, context) //         GET       /dashboard/ops
  alerts(pages, context) //             GET       /dashboard/ops/alerts, and its forms
  approvals(pages, context) //          GET       /dashboard/ops/approvals
  approval(pages, context) //           GET       /dashboard/ops/approvals/:id
  decideApproval(pages, context) //     POST      /dashboard/ops/approvals/:id/decide
  propose(pages, context) //            GET, POST /dashboard/ops/approvals/new
  maintenance(pages, context) //        GET, POST /dashboard/ops/maintenance
  endMaintenance(pages, context) //     POST      /dashboard/ops/maintenance/end
  wholeAudit(pages, context) //         GET       /dashboard/ops/audit
  exportAudit(pages, context) //        GET       /dashboard/ops/audit/export.csv
  limits(pages, context) //             GET, POST /dashboard/ops/limits
  removeLimit(pages, context) //        POST      /dashboard/ops/limits/remove
  blocks(pages, context) //             GET, POST /dashboard/ops/limits/blocks
  removeBlock(pages, context) //        POST      /dashboard/ops/limits/blocks/remove
  floats(pages, context) //             GET, POST /dashboard/ops/float
  allMails(pages, context) //           GET       /dashboard/ops/mails
  anyMail(pages, context) //            GET       /dashboard/ops/mails/:id
  keptLink(pages, context) //           POST      /dashboard/ops/mails/:id/link
  runbook(pages) //                     GET       /dashboard/ops/runbooks/:name
  anyConflict(pages, context) //        GET, POST /dashboard/ops/conflicts/:id
  ledger(pages, context) //             GET       /dashboard/ops/ledger
  parked(pages, context) //             GET       /dashboard/ops/parked
  proof(pages, context) //              GET       /dashboard/ops/proof
  oneProof(pages, context) //           GET       /dashboard/ops/proof/:id
  retention(pages, context) //          GET       /dashboard/ops/retention
  number(pages, context) //             GET       /dashboard/ops/retention/number
  exportNumber(pages, context) //       GET       /dashboard/ops/retention/export.csv
  forgetNumber(pages, context) //       POST      /dashboard/ops/retention/forget
  addReconPages(pages, context)
  suspense(pages, context) //           GET       /dashboard/ops/suspense
  allTransactions(pages, context) //    GET       /dashboard/ops/transactions
  anyTransaction(pages, context) //     GET       /dashboard/ops/transactions/:id
  allClients(pages, context) //         GET       /dashboard/ops/clients
  newClient(pages, context) //          GET, POST /dashboard/ops/clients/new
  anyClient(pages, context) //          GET       /dashboard/ops/clients/:id
  clientKeys(pages, context) //         GET       /dashboard/ops/clients/:id/keys
  newAnyKey(pages, context) //          GET, POST /dashboard/ops/clients/:id/keys/new
  anyKey(pages, context) //             GET       /dashboard/ops/clients/:id/keys/:key
  clientServices(pages, context) //     GET       /dashboard/ops/clients/:id/services
  clientService(pages, context) //      GET, POST /dashboard/ops/clients/:id/services/:service
  clientSettings(pages, context) //     GET, POST /dashboard/ops/clients/:id/settings
  clientLook(pages, context) //         POST      /dashboard/ops/clients/:id/settings/look
  clientStatus(pages, context) //       GET, POST /dashboard/ops/clients/:id/status
  allProviders(pages, context) //       GET       /dashboard/ops/providers
  provider(pages, context) //           GET       /dashboard/ops/providers/:provider
  pauseProvider(pages, context) //      GET, POST /dashboard/ops/providers/:provider/pause
  requeryProvider(pages, context) //    GET, POST /dashboard/ops/providers/:provider/requery
  resumeProvider(pages, context) //     GET, POST /dashboard/ops/providers/:provider/resume
  operators(pages, context) //          GET       /dashboard/ops/users
  operator(pages, context) //           GET, POST /dashboard/ops/users/:person
  inviteOperator(pages, context) //     GET, POST /dashboard/ops/users/invite
  backlogs(pages, context) //           GET       /dashboard/ops/webhooks
  deliveriesOf(pages, context) //       GET       /dashboard/ops/webhooks/:client
  replayTickedOf(pages, context) //     POST      /dashboard/ops/webhooks/:client/replay
  replayRangeOf(pages, context) //      POST      /dashboard/ops/webhooks/:client/replay-range
}

/** Statements of providers, and how they differ from our records. */
function addReconPages(pages: Pages, context: DashboardContext): void {
  recon(pages, context) //              GET       /dashboard/ops/recon
  reconCases(pages, context) //         GET, POST /dashboard/ops/recon/cases
  reconCase(pages, context) //          GET       /dashboard/ops/recon/cases/:id
  reconAssign(pages, context) //        POST      /dashboard/ops/recon/cases/:id/assign
  reconMend(pages, context) //          GET, POST /dashboard/ops/recon/cases/:id/mend
  reconNote(pages, context) //          POST      /dashboard/ops/recon/cases/:id/note
  importStatement(pages, context) //    GET, POST /dashboard/ops/recon/import
  keptStatement(pages, context) //      GET, POST /dashboard/ops/recon/import/:id
  mapping(pages, context) //            GET, POST /dashboard/ops/recon/mappings/:provider
  reconReport(pages, context) //        GET       /dashboard/ops/recon/report
  statement(pages, context) //          GET       /dashboard/ops/recon/statements/:id
  withdrawStatement(pages, context) //  POST      /dashboard/ops/recon/statements/:id/withdraw
}
