import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { passkeyForm } from '#doors/dashboard/frame/passkey-form.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Ajouter une clé d'accès`,
    name: 'Nom',
    hint: fr`Pour la reconnaître plus tard, par exemple « téléphone » ou « bureau ».`,
    go: fr`Créer sur cet appareil`,
    added: fr`La clé d'accès est ajoutée.`,
    first: fr`La clé d'accès est ajoutée. Gardez ces codes de secours en lieu sûr : chacun sert une
      fois, si l'appareil est perdu.`,
    back: fr`Retour aux clés d'accès`,
  },
  en: {
    title: 'Add a passkey',
    name: 'Name',
    hint: 'To recognise it later, such as “phone” or “office”.',
    go: 'Create on this device',
    added: 'The passkey is added.',
    first:
      'The passkey is added. Keep these recovery codes in a safe place: each works once, ' +
      'if the device is lost.',
    back: 'Back to the passkeys',
  },
})

const list = '/dashboard/account/passkeys'

/** GET, POST /dashboard/account/passkeys/new */
export default function newPasskey(pages: Pages, { people }: DashboardContext): void {
  async function show(visit: AnyVisit, name: string, problems: Problems) {
    const { personId, email, personName } = visit.session
    const options = await people.passkeys.offerNew({ personId, email, name: personName })
    return options === null ? undefined : screen(visit, { options, name }, problems)
  }

  pages.screen('/dashboard/account/passkeys/new', 'account.change', (visit) => show(visit, '', {}))

  pages.action(
    '/dashboard/account/passkeys/new',
    { action: 'account.change', isSensitive: true, reviewed: null },
    async (visit, form) => {
      const { added, first } = words[visit.language]
      const name = form.get('name')
      const { personId, email: actor, id: keptSession } = visit.session
      const order = { personId, actor, name, credential: form.raw('credential'), keptSession }
      try {
        const codes = await people.passkeys.add(order)
        if (codes === null) return { to: list, text: added }
        return { to: list, text: first, secret: codes.join('\n') }
      } catch (problem) {
        return show(visit, name, problemsOf(problem, visit.language))
      }
    },
  )
}

function screen(
  visit: AnyVisit,
  { options, name }: { options: object; name: string },
  problems: Problems,
): Screen {
  const texts = words[visit.language]
  const look = { hint: texts.hint, maxLength: 60, isRequired: true, autocomplete: 'off' }
  return {
    title: texts.title,
    section: 'account',
    body: html`<div class="head"><h1>${texts.title}</h1></div>
<section class="card">${problemList(visit.language, problems)}
${passkeyForm(visit.language, {
  action: '/dashboard/account/passkeys/new',
  options,
  button: texts.go,
  fields: html`${tokenField(visit)}
${field({ name: 'name', label: texts.name, value: name, ...look }, problems)}`,
})}</section>
<p class="back"><a href="${list}">${texts.back}</a></p>`,
  }
}
