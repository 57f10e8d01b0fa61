import type { Http } from '#edge/http/http.ts'
import language from './account/language.ts'
import newPasskey from './account/passkeys/new.ts'
import passkeys from './account/passkeys.ts'
import password from './account/password.ts'
import secondFactor from './account/second-factor.ts'
import sessions from './account/sessions.ts'
import account from './account.ts'
import exportAudit from './audit/export.csv.ts'
import audit from './audit.ts'
import balance from './balance.ts'
import decideBatch from './batches/_id/decide.ts'
import prepareBatch from './batches/_id/prepare.ts'
import batchResult from './batches/_id/result.ts'
import batch from './batches/_id.ts'
import batchTemplate from './batches/template.ts'
import batches from './batches.ts'
import clients from './clients.ts'
import type { DashboardContext } from './context.ts'
import design from './design.ts'
import replayEvent from './developers/events/_id/replay.ts'
import event from './developers/events/_id.ts'
import events from './developers/events.ts'
import revokeKey from './developers/keys/_id/revoke.ts'
import rotateKey from './developers/keys/_id/rotate.ts'
import key from './developers/keys/_id.ts'
import newKey from './developers/keys/new.ts'
import resendMail from './developers/mails/_id/resend.ts'
import mail from './developers/mails/_id.ts'
import mails from './developers/mails.ts'
import requests from './developers/requests.ts'
import sandbox from './developers/sandbox.ts'
import delivery from './developers/webhooks/_id.ts'
import webhookAddress from './developers/webhooks/address.ts'
import replayTicked from './developers/webhooks/replay.ts'
import replayRange from './developers/webhooks/replay-range.ts'
import webhookSecret from './developers/webhooks/secret.ts'
import testWebhook from './developers/webhooks/test.ts'
import webhooks from './developers/webhooks.ts'
import developers from './developers.ts'
import forgotten from './forgotten.ts'
import { addPages, type Pages, type PagesParts } from './frame/pages.ts'
import home from './home.ts'
import join from './join/_code.ts'
import expireLink from './links/_id/expire.ts'
import link from './links/_id.ts'
import newLink from './links/new.ts'
import links from './links.ts'
import { marksOf } from './marks.ts'
import { addOperatorPages } from './ops-routes.ts'
import pay from './pay.ts'
import reset from './reset/_code.ts'
import logo from './settings/logo.ts'
import look from './settings/look.ts'
import settings from './settings.ts'
import signInCode from './sign-in/code.ts'
import signInPasskey from './sign-in/passkey.ts'
import signIn from './sign-in.ts'
import signOut from './sign-out.ts'
import statementFile from './statements/file.ts'
import statements from './statements.ts'
import subMerchant from './sub-merchants/_id.ts'
import newSubMerchant from './sub-merchants/new.ts'
import subMerchants from './sub-merchants.ts'
import member from './team/_person.ts'
import invitation from './team/invitations/_id.ts'
import invite from './team/invite.ts'
import team from './team.ts'
import receipt from './transactions/_id/receipt.ts'
import refund from './transactions/_id/refund.ts'
import requery from './transactions/_id/requery.ts'
import resend from './transactions/_id/resend.ts'
import transaction from './transactions/_id.ts'
import exportCsv from './transactions/export.csv.ts'
import exportXlsx from './transactions/export.xlsx.ts'
import transactions from './transactions.ts'

/** Adds every page of the dashboard; each is in the file of its address. */
export async function addDashboard(
  http: Http,
  parts: Omit<PagesParts, 'marks'>,
  context: DashboardContext,
): Promise<void> {
  const all = { ...parts, marks: marksOf(context) }
  await addPages(http, all, (pages) => addEveryPage(pages, context))
}

/** The same for any way to add pages, such as one that only lists them. */
export function addEveryPage(pages: Pages, context: DashboardContext): void {
  addMoneyPages(pages, context)
  addDeveloperPages(pages, context)
  addPeoplePages(pages, context)
  addOperatorPages(pages, context)
}

/** What is paid, owed and kept. */
function addMoneyPages(pages: Pages, context: DashboardContext): void {
  home(pages, context) //          GET       /dashboard
  balance(pages, context) //       GET       /dashboard/balance
  batches(pages, context) //       GET, POST /dashboard/batches
  batch(pages, context) //         GET       /dashboard/batches/:id
  decideBatch(pages, context) //   POST      /dashboard/batches/:id/decide
  prepareBatch(pages, context) //  POST      /dashboard/batches/:id/prepare
  batchResult(pages, context) //   GET       /dashboard/batches/:id/result
  batchTemplate(pages, context) // GET       /dashboard/batches/template
  links(pages, context) //         GET       /dashboard/links
  link(pages, context) //          GET       /dashboard/links/:id
  expireLink(pages, context) //    GET, POST /dashboard/links/:id/expire
  newLink(pages, context) //       GET, POST /dashboard/links/new
  pay(pages, context) //           GET, POST /dashboard/pay
  statements(pages, context) //    GET       /dashboard/statements
  statementFile(pages, context) // GET       /dashboard/statements/file
  subMerchants(pages, context) //  GET       /dashboard/sub-merchants
  newSubMerchant(pages, context) // GET, POST /dashboard/sub-merchants/new
  subMerchant(pages, context) //   GET, POST /dashboard/sub-merchants/:id
  transactions(pages, context) //  GET       /dashboard/transactions
  transaction(pages, context) //   GET       /dashboard/transactions/:id
  receipt(pages, context) //       GET       /dashboard/transactions/:id/receipt, receipt.pdf
  refund(pages, context) //        GET, POST /dashboard/transactions/:id/refund
  requery(pages, context) //       POST      /dashboard/transactions/:id/requery
  resend(pages, context) //        POST      /dashboard/transactions/:id/resend
  exportCsv(pages, context) //     GET       /dashboard/transactions/export.csv
  exportXlsx(pages, context) //    GET       /dashboard/transactions/export.xlsx
}

/** Keys, webhooks, requests. */
function addDeveloperPages(pages: Pages, context: DashboardContext): void {
  design(pages) //                  GET       /dashboard/design
  developers(pages, context) //     GET       /dashboard/developers
  events(pages, context) //         GET       /dashboard/developers/events
  event(pages, context) //          GET       /dashboard/developers/events/:id
  replayEvent(pages, context) //    POST      /dashboard/developers/events/:id/replay
  key(pages, context) //            GET       /dashboard/developers/keys/:id
  revokeKey(pages, context) //      POST      /dashboard/developers/keys/:id/revoke
  rotateKey(pages, context) //      POST      /dashboard/developers/keys/:id/rotate
  newKey(pages, context) //         GET, POST /dashboard/developers/keys/new
  mails(pages, context) //          GET       /dashboard/developers/mails
  mail(pages, context) //           GET       /dashboard/developers/mails/:id
  resendMail(pages, context) //     POST      /dashboard/developers/mails/:id/resend
  requests(pages, context) //       GET       /dashboard/developers/requests
  sandbox(pages, context) //        GET       /dashboard/developers/sandbox
  webhooks(pages, context) //       GET       /dashboard/developers/webhooks
  delivery(pages, context) //       GET       /dashboard/developers/webhooks/:id
  webhookAddress(pages, context) // POST      /dashboard/developers/webhooks/address
  replayTicked(pages, context) //   POST      /dashboard/developers/webhooks/replay
  replayRange(pages, context) //    POST      /dashboard/developers/webhooks/replay-range
  webhookSecret(pages, context) //  POST      /dashboard/developers/webhooks/secret
  testWebhook(pages, context) //    POST      /dashboard/developers/webhooks/test
}

/** Signing in, people, settings. */
function addPeoplePages(pages: Pages, context: DashboardContext): void {
  account(pages, context) //      GET, POST /dashboard/account
  language(pages, context) //     POST      /dashboard/account/language
  passkeys(pages, context) //     GET, POST /dashboard/account/passkeys
  newPasskey(pages, context) //   GET, POST /dashboard/account/passkeys/new
  password(pages, context) //     GET, POST /dashboard/account/password
  secondFactor(pages, context) // GET, POST /dashboard/account/second-factor
  sessions(pages, context) //     GET, POST /dashboard/account/sessions
  audit(pages, context) //        GET       /dashboard/audit
  exportAudit(pages, context) //  GET       /dashboard/audit/export.csv
  clients(pages, context) //      GET, POST /dashboard/clients
  forgotten(pages, context) //    GET, POST /dashboard/forgotten
  join(pages, context) //         GET, POST /dashboard/join/:code
  reset(pages, context) //        GET, POST /dashboard/reset/:code
  settings(pages, context) //     GET, POST /dashboard/settings
  logo(pages, context) //         GET       /dashboard/settings/logo
  look(pages, context) //         POST      /dashboard/settings/look
  signIn(pages, context) //       GET, POST /dashboard/sign-in
  signInCode(pages, context) //   GET, POST /dashboard/sign-in/code
  signInPasskey(pages, context) // GET, POST /dashboard/sign-in/passkey
  signOut(pages, context) //      POST      /dashboard/sign-out
  team(pages, context) //         GET       /dashboard/team
  member(pages, context) //       GET, POST /dashboard/team/:person
  invitation(pages, context) //   POST      /dashboard/team/invitations/:id
  invite(pages, context) //       GET, POST /dashboard/team/invite
}
