import type { Piece } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import type { SavedView } from '../../people/view-store.ts'
import { field } from '../frame/fields.ts'
import { tokenField } from '../frame/layout.ts'
import type { Visit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { viewQuery } from './filters.ts'

export const nameMax = 60

const words = inBoth({
  fr: {
    views: fr`Vues enregistrées`,
    manage: fr`Gérer les vues`,
    save: fr`Enregistrer cette vue`,
    name: 'Nom de la vue',
    hint: fr`Pour retrouver ces filtres et ces colonnes. Vous seul voyez vos vues.`,
    go: 'Enregistrer',
  },
  en: {
    views: 'Saved views',
    manage: 'Manage views',
    save: 'Save this view',
    name: 'Name of the view',
    hint: 'To find these filters and columns again. Only you see your views.',
    go: 'Save',
  },
})

/** The views that a person has saved, and a form that saves the list as it is shown. */
export function viewBar(visit: Visit, views: SavedView[]): Piece {
  const { language, query, path } = visit
  const say = words[language]
  const shown = viewQuery(query)
  const isSaved = views.some((one) => one.query === shown)
  return [
    views.length > 0 &&
      html`<nav aria-label="${say.views}"><ul class="chips">${views.map(
        (one) =>
          html`<li><a href="${path}?${one.query}"${
            one.query === shown && html` aria-current="true"`
          }><bdi>${one.name}</bdi></a></li>`,
      )}<li><a href="/dashboard/transactions/views">${say.manage}</a></li></ul></nav>`,
    shown !== '' &&
      !isSaved &&
      html`<details class="fold"><summary>${say.save}</summary>
<form class="filters" method="post" action="/dashboard/transactions/views">${tokenField(visit)}
<input type="hidden" name="query" value="${shown}">
${field({ name: 'name', label: say.name, hint: say.hint, maxLength: nameMax, isRequired: true })}
<button class="second">${say.go}</button></form></details>`,
  ]
}
