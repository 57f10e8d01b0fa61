import { html } from '../../../kit/html.ts'
import { fr } from '../../../pages/typography.ts'
import type { SavedView } from '../../../people/view-store.ts'
import type { DashboardContext } from '../../context.ts'
import type { Problems } from '../../frame/fields.ts'
import { field, problemList } from '../../frame/fields.ts'
import type { Screen } from '../../frame/layout.ts'
import { tokenField } from '../../frame/layout.ts'
import type { Pages } from '../../frame/pages.ts'
import type { Visit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import { nameMax } from '../view-bar.ts'
import { ownerOf, readName, viewWords } from '../views.ts'

const words = inBoth({
  fr: {
    rename: 'Renommer',
    remove: 'Supprimer la vue',
    removed: fr`La vue est supprimée. Les transactions n'ont pas changé.`,
    back: 'Toutes les vues',
  },
  en: {
    rename: 'Rename',
    remove: 'Remove the view',
    removed: 'The view is removed. The transactions have not changed.',
    back: 'All views',
  },
})

const list = '/dashboard/transactions/views'

/** GET, POST /dashboard/transactions/views/:id */
export default function view(pages: Pages, { people }: DashboardContext): void {
  const own = people.views
  const findOwn = async (visit: Visit) =>
    (await own.list(ownerOf(visit))).find(({ id }) => id === visit.part('id'))

  pages.screen('/dashboard/transactions/views/:id', 'transaction.read', async (visit) => {
    const found = await findOwn(visit)
    return found && show(visit, found, {})
  })

  pages.action(
    '/dashboard/transactions/views/:id',
    { action: 'view.save', reviewed: null },
    async (visit, { get }) => {
      const found = await findOwn(visit)
      if (found === undefined) return undefined
      const { language } = visit
      if (get('verb') === 'remove') {
        await own.remove(ownerOf(visit), found.id)
        return { to: list, text: words[language].removed }
      }
      const { name, problems, isRight } = readName(visit, get)
      const typed = { ...found, name }
      if (!isRight) return show(visit, typed, problems)
      const result = await own.rename(ownerOf(visit), typed)
      const { saved, taken } = viewWords[language]
      return result === 'taken' ? show(visit, typed, { name: taken }) : { to: list, text: saved }
    },
  )
}

function show(visit: Visit, { id, name }: SavedView, problems: Problems): Screen {
  const { language } = visit
  const say = words[language]
  return {
    title: name,
    section: 'transactions',
    body: html`<div class="head"><h1><bdi>${name}</bdi></h1></div>
<form class="card" method="post" action="${list}/${id}">${tokenField(visit)}
${problemList(language, problems)}
${field(
  { name: 'name', label: viewWords[language].name, value: name, maxLength: nameMax },
  problems,
)}
<p class="ways"><button name="verb" value="rename">${say.rename}</button>
<button class="danger" name="verb" value="remove">${say.remove}</button>
<a class="button second" href="${list}">${say.back}</a></p></form>`,
  }
}
