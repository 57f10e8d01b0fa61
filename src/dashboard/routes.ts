import type { Http } from '../http/http.ts'
import language from './account/language.ts'
import clients from './clients.ts'
import type { DashboardContext } from './context.ts'
import type { PagesParts } from './frame/pages.ts'
import { addPages } from './frame/pages.ts'
import home from './home.ts'
import signIn from './sign-in.ts'
import signOut from './sign-out.ts'

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
    language(pages, context) //      POST /dashboard/account/language
  })
}
