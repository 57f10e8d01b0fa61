import type { Http } from '../http/http.ts'
import language from './account/language.ts'
import balance from './balance.ts'
import clients from './clients.ts'
import type { DashboardContext } from './context.ts'
import type { PagesParts } from './frame/pages.ts'
import { addPages } from './frame/pages.ts'
import home from './home.ts'
import signIn from './sign-in.ts'
import signOut from './sign-out.ts'
import statementFile from './statements/file.ts'
import statements from './statements.ts'
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
  parts: PagesParts,
  context: DashboardContext,
): Promise<void> {
  await addPages(http, parts, (pages) => {
    signIn(pages, context) //   GET, POST /dashboard/sign-in
    signOut(pages, context) //       POST /dashboard/sign-out
    clients(pages, context) //  GET, POST /dashboard/clients
    home(pages, context) //     GET       /dashboard
    transactions(pages, context) // GET   /dashboard/transactions
    exportCsv(pages, context) //    GET   /dashboard/transactions/export.csv
    exportXlsx(pages, context) //   GET   /dashboard/transactions/export.xlsx
    balance(pages, context) //  GET       /dashboard/balance
    statements(pages, context) // GET     /dashboard/statements
    statementFile(pages, context) // GET  /dashboard/statements/file
    transaction(pages, context) //  GET   /dashboard/transactions/:id
    receipt(pages, context) //      GET   /dashboard/transactions/:id/receipt
    refund(pages, context) // GET, POST   /dashboard/transactions/:id/refund
    requery(pages, context) //     POST   /dashboard/transactions/:id/requery
    resend(pages, context) //      POST   /dashboard/transactions/:id/resend
    language(pages, context) //      POST /dashboard/account/language
  })
}
