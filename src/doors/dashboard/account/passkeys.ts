import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { Passkey } from '#merchants/people/passkeys/store.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment } from '../frame/components.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { table } from '../frame/table.ts'
import type { AnyVisit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Clés d'accès`,
    lead: fr`Une clé d'accès remplace le mot de passe : votre téléphone ou votre ordinateur vous
      reconnaît par une empreinte, le visage ou son code. Personne ne peut la voler avec une fausse
      page.`,
    add: fr`Ajouter une clé d'accès`,
    name: 'Nom',
    made: fr`Ajoutée`,
    used: fr`Dernière connexion`,
    never: 'jamais',
    remove: 'Retirer',
    removed: fr`La clé d'accès est retirée : elle n'ouvre plus rien.`,
    none: fr`Vous n'en avez pas encore.`,
    unnamed: fr`Les navigateurs n'en font pas à une adresse sans nom : ouvrez cette page à une
      adresse en https://, ou localhost.`,
    back: fr`Retour au compte`,
  },
  en: {
    title: 'Passkeys',
    lead:
      'A passkey replaces the password: your phone or computer recognises you by your ' +
      'fingerprint, your face or its PIN. Nobody can steal it with a fake page.',
    add: 'Add a passkey',
    name: 'Name',
    made: 'Added',
    used: 'Last sign-in',
    never: 'never',
    remove: 'Remove',
    removed: 'The passkey is removed: it can no longer be used to sign in.',
    none: 'You have none yet.',
    unnamed:
      'Browsers cannot create one at an address without a name: open this page at an address ' +
      'with https://, or at localhost.',
    back: 'Back to the account',
  },
})

const path = '/dashboard/account/passkeys'

/** GET, POST /dashboard/account/passkeys: those of the person, and removing one */
export default function passkeys(pages: Pages, { people }: DashboardContext): void {
  pages.screen('/dashboard/account/passkeys', 'account.change', async (visit) =>
    screen(visit, await people.passkeys.list(visit.session.personId), people.passkeys.isOffered()),
  )

  pages.action(
    '/dashboard/account/passkeys',
    { action: 'account.change', isSensitive: true, reviewed: null },
    async (visit, form) => {
      const { personId, email: actor } = visit.session
      const id = form.get('passkey')
      if (!(await people.passkeys.remove({ personId, id, actor }))) return undefined
      return { to: path, text: words[visit.language].removed }
    },
  )
}

function screen(visit: AnyVisit, list: Passkey[], isOffered: boolean): Screen {
  const texts = words[visit.language]
  const remove = ({ id, name }: Passkey) =>
    html`<form method="post" action="${path}">${tokenField(visit)}
<button class="link" name="passkey" value="${id}">${texts.remove}<span class="unseen"> ${
      name
    }</span></button></form>`
  const rows = table(
    list,
    [
      { name: texts.name, isTitle: true, cell: ({ name }) => html`<bdi>${name}</bdi>` },
      { name: texts.made, cell: ({ createdAt }) => moment(visit, createdAt) },
      {
        name: texts.used,
        cell: ({ lastUsedAt: at }) => (at === null ? texts.never : moment(visit, at)),
      },
      { name: '', cell: remove },
    ],
    { caption: texts.title },
  )
  return {
    title: texts.title,
    section: 'account',
    body: html`<div class="head"><h1>${texts.title}</h1>
${
  isOffered &&
  html`<p class="with-passkeys" hidden><a class="button" href="${path}/new"
 data-turbo-prefetch="false">${texts.add}</a></p>`
}</div>
<p class="hint">${texts.lead}${!isOffered && html` ${texts.unnamed}`}</p>
${list.length === 0 ? empty(texts.none) : rows}
<p class="back"><a href="/dashboard/account">${texts.back}</a></p>`,
  }
}
