import { languages } from '#base/kit/language.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { ownAddress } from '../frame/signed-in.ts'

/** POST /dashboard/account/language */
export default function language(pages: Pages, { people }: DashboardContext): void {
  pages.action(
    '/dashboard/account/language',
    { action: 'account.change', reviewed: null },
    async ({ session }, form) => {
      const chosen = languages.find((one) => one === form.get('language')) ?? session.language
      await people.setLanguage({ personId: session.personId, language: chosen })
      await people.sessions.tellAgain({ sessionId: session.id, sealed: form.get('told') })
      return { to: ownAddress(form.get('back')) }
    },
  )
}
