import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import type { SavedView } from '../../people/view-store.ts'
import type { NotSaved } from '../../people/views.ts'
import { viewsMax } from '../../people/views.ts'
import type { DashboardContext } from '../context.ts'
import { empty } from '../frame/components.ts'
import type { Problems } from '../frame/fields.ts'
import { field, problemList } from '../frame/fields.ts'
import type { Screen } from '../frame/layout.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { readFields } from '../frame/read-fields.ts'
import { table } from '../frame/table.ts'
import type { Visit } from '../frame/visit.ts'
import { frameWords, inBoth } from '../frame/words.ts'
import { filtersInWords } from './filter-form.ts'
import { readFilters, viewQuery } from './filters.ts'
import { shopNames } from './read-shops.ts'
import { columnWords } from './rows.ts'
import { nameMax } from './view-bar.ts'

/** What the pages of views say. */
export const viewWords = inBoth({
  fr: {
    title: fr`Vues enregistrées`,
    none: fr`Aucune vue. Filtrez la liste des transactions, puis enregistrez-la sous un nom.`,
    list: 'Voir les transactions',
    name: 'Nom de la vue',
    shows: fr`Ce qu'elle montre`,
    all: 'Toutes les transactions',
    hidden: fr`Sans les colonnes`,
    change: 'Modifier',
    changeGo: 'Renommer ou supprimer',
    save: 'Enregistrer la vue',
    saved: fr`La vue est enregistrée.`,
    taken: fr`Vous avez déjà une vue de ce nom.`,
    full: fr`Vous avez déjà ${viewsMax} vues. Supprimez-en une d'abord.`,
  },
  en: {
    title: 'Saved views',
    none: 'No views. Filter the list of transactions, then save it under a name.',
    list: 'Show the transactions',
    name: 'Name of the view',
    shows: 'What it shows',
    all: 'All transactions',
    hidden: 'Without the columns',
    change: 'Change',
    changeGo: 'Rename or remove',
    save: 'Save the view',
    saved: 'The view is saved.',
    taken: 'You have a view of this name.',
    full: `You have ${viewsMax} views. Remove one first.`,
  },
})

const path = '/dashboard/transactions/views'

/** Whose views a visit reads and changes. */
export function ownerOf({ session, client }: Visit): { personId: string; clientId: number } {
  return { personId: session.personId, clientId: client.id }
}

/** Reads the name of a view from a form; what is wrong has a sentence. */
export function readName(visit: Visit, get: (name: string) => string) {
  const fields = readFields(visit.language, get)
  const name = fields.line('name', viewWords[visit.language].name, nameMax, true)
  return { name, problems: fields.problems, isRight: fields.isRight() }
}

/** GET, POST /dashboard/transactions/views */
export default function views(pages: Pages, context: DashboardContext): void {
  const own = context.people.views

  pages.screen('/dashboard/transactions/views', 'transaction.read', (visit) => show(visit))

  pages.action(
    '/dashboard/transactions/views',
    { action: 'view.save', reviewed: null },
    async (visit, { get }) => {
      const query = viewQuery(Object.fromEntries(new URLSearchParams(get('query'))))
      const { name, problems, isRight } = readName(visit, get)
      const typed = { name, query }
      if (!isRight) return show(visit, { ...typed, problems })
      const result = await own.save(ownerOf(visit), typed)
      if (result !== 'saved') return show(visit, { ...typed, problems: refused(visit, result) })
      const to = `/dashboard/transactions${query === '' ? '' : `?${query}`}`
      return { to, text: viewWords[visit.language].saved }
    },
  )

  async function show(
    visit: Visit,
    form?: { name: string; query: string; problems: Problems },
  ): Promise<Screen> {
    const { client, language } = visit
    const say = viewWords[language]
    const [saved, services, shops] = await Promise.all([
      own.list(ownerOf(visit)),
      context.clients.servicesOf(client.id),
      shopNames(context, client.id),
    ])
    const { colon } = frameWords[language]
    const inWords = ({ query }: Pick<SavedView, 'query'>) => {
      const asked = readFilters({ ...visit, query: Object.fromEntries(new URLSearchParams(query)) })
      const set = filtersInWords(visit, asked, { services, shops })
      const names: Record<string, string> = columnWords[language]
      const hidden = asked.hidden.map((key) => names[key]).join(', ')
      return html`<div>${set.length === 0 && say.all}${set.map(
        ([, label, text]) => html`<div>${label}${colon} <b><bdi>${text}</bdi></b></div>`,
      )}${hidden !== '' && html`<small>${say.hidden}${colon} ${hidden}</small>`}</div>`
    }
    return {
      title: say.title,
      section: 'transactions',
      body: html`<div class="head"><h1>${say.title}</h1><p class="ways"><a class="button second"
 href="/dashboard/transactions">${say.list}</a></p></div>
${form !== undefined && saveForm(visit, form, inWords(form))}
${saved.length === 0 ? empty(say.none) : list(visit, saved, inWords)}`,
    }
  }
}

function refused({ language }: Visit, why: NotSaved): Problems {
  return { name: viewWords[language][why] }
}

/** A view that was not saved, as it was typed. */
function saveForm(
  visit: Visit,
  { name, query, problems }: { name: string; query: string; problems: Problems },
  shows: Html,
): Html {
  const say = viewWords[visit.language]
  return html`<form class="card" method="post" action="${path}">${tokenField(visit)}
${problemList(visit.language, problems)}
<input type="hidden" name="query" value="${query}">${shows}
${field({ name: 'name', label: say.name, value: name, maxLength: nameMax }, problems)}
<p class="ways"><button>${say.save}</button></p></form>`
}

function list({ language }: Visit, saved: SavedView[], inWords: (one: SavedView) => Html): Html {
  const say = viewWords[language]
  return table(
    saved,
    [
      {
        name: say.name,
        cell: (one) =>
          html`<a href="/dashboard/transactions?${one.query}"><bdi>${one.name}</bdi></a>`,
        isTitle: true,
      },
      { name: say.shows, cell: inWords },
      { name: say.change, cell: ({ id }) => html`<a href="${path}/${id}">${say.changeGo}</a>` },
    ],
    { caption: say.title },
  )
}
