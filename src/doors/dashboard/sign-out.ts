import type { DashboardContext } from './context.ts'
import { sessionCookie, setCookie } from './frame/cookies.ts'
import type { Pages } from './frame/pages.ts'

/** POST /dashboard/sign-out */
export default function signOut(pages: Pages, { people }: DashboardContext): void {
  const { isHttps } = pages.parts
  pages.personAction('/dashboard/sign-out', async ({ session }, _form, reply) => {
    await people.sessions.endOne({ personId: session.personId, id: session.id })
    setCookie(reply, { name: sessionCookie(isHttps), value: '', seconds: 0, isHttps })
    return { to: '/dashboard/sign-in' }
  })
}
