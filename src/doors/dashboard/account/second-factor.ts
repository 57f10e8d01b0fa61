import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { drawQr } from '#edge/pages/qr.ts'
import type { OfferedFactor } from '#merchants/people/factors/setup.ts'
import type { DashboardContext } from '../context.ts'
import type { Done } from '../frame/actions.ts'
import { copyButton } from '../frame/components.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import { problemsOf } from '../frame/problems.ts'
import type { AnyVisit } from '../frame/visit.ts'

const words = inBoth({
  fr: {
    title: fr`Validation en deux étapes`,
    lead: fr`Après le mot de passe, Passerelle demande un code de votre téléphone. Un mot de passe
      volé ne suffit alors plus.`,
    scan: fr`1. Lisez ce code avec une application comme Google Authenticator, Aegis ou 2FAS.`,
    orType: fr`Ou saisissez cette clé dans l'application :`,
    enter: fr`2. Saisissez le code que l'application affiche.`,
    code: fr`Code à six chiffres`,
    begin: 'Commencer',
    on: 'Activer',
    isOn: fr`La validation en deux étapes est activée.`,
    left: (count: number) => fr`Codes de secours restants : ${count}.`,
    renew: fr`Nouveaux codes de secours`,
    off: fr`Désactiver`,
    turnedOn: fr`C'est activé. Gardez ces codes de secours en lieu sûr : chacun sert une fois, si
      votre téléphone est perdu.`,
    renewed: fr`Vos nouveaux codes de secours. Les anciens ne servent plus.`,
    turnedOff: fr`La validation en deux étapes est désactivée.`,
    needed: fr`Les opérateurs en ont besoin : rien d'autre ne s'ouvre avant qu'elle soit activée.`,
    orPasskey: fr`Ou ajouter une clé d'accès`,
    back: fr`Retour au compte`,
  },
  en: {
    title: 'Two-step verification',
    lead:
      'After the password, Passerelle asks for a code from your phone. ' +
      'A stolen password alone is then not enough.',
    scan: '1. Scan this code with an app such as Google Authenticator, Aegis or 2FAS.',
    orType: 'Or type this key into the app:',
    enter: '2. Enter the code that the app shows.',
    code: 'Six-digit code',
    begin: 'Set up',
    on: 'Turn on',
    isOn: 'Two-step verification is on.',
    left: (count: number) => `Recovery codes left: ${count}.`,
    renew: 'New recovery codes',
    off: 'Turn off',
    turnedOn:
      'It is on. Keep these recovery codes in a safe place: each works once, ' +
      'if your phone is lost.',
    renewed: 'Your new recovery codes. The old ones no longer work.',
    turnedOff: 'Two-step verification is off.',
    needed: 'Operators need it: nothing else opens until it is on.',
    orPasskey: 'Or add a passkey',
    back: 'Back to the account',
  },
})

/** GET, POST /dashboard/account/second-factor */
export default function secondFactor(pages: Pages, { people }: DashboardContext): void {
  const { factors, sessions } = people

  async function show(visit: AnyVisit, problems: Problems, sealed = ''): Promise<Screen> {
    const { hasApp, recoveryCodes } = await factors.stateOf(visit.session.personId)
    if (hasApp) return onScreen(visit, recoveryCodes)
    const { email, id: sessionId } = visit.session
    // Sent back with a code, by who has proved who they are with that form at the latest.
    const known = factors.offered({ email, sessionId, sealed })
    if (known === undefined && !sessions.isConfirmed(visit.session)) return askScreen(visit)
    return offScreen(visit, known ?? factors.offer({ email, sessionId }), problems)
  }

  pages.screen('/dashboard/account/second-factor', 'account.change', (visit) => show(visit, {}))

  pages.action(
    '/dashboard/account/second-factor',
    { action: 'account.change', isSensitive: true, reviewed: null },
    async (visit, form): Promise<Done | Screen> => {
      const { turnedOn, turnedOff, renewed } = words[visit.language]
      const to = '/dashboard/account/second-factor'
      const what = form.get('what')
      const { personId, email: actor, id: sessionId } = visit.session
      if (what === 'begin') return { to }
      if (what === 'off') {
        await factors.switchOff({ personId, actor })
        return { to, text: turnedOff }
      }
      const sent = { code: form.get('code'), sealed: form.get('sealed') }
      try {
        const codes =
          what === 'renew'
            ? await factors.renewRecoveryCodes({ personId, actor })
            : await factors.confirm({ personId, actor, sessionId, ...sent })
        const text = what === 'renew' ? renewed : turnedOn
        return { to, text, secret: codes.join('\n') }
      } catch (problem) {
        return show(visit, problemsOf(problem, visit.language), sent.sealed)
      }
    },
  )
}

const action = '/dashboard/account/second-factor'

/** The secret is shown to who has proved who they are a moment ago. */
function askScreen(visit: AnyVisit): Screen {
  const texts = words[visit.language]
  return frame(
    visit,
    html`<form class="card" method="post" action="${action}">${tokenField(visit)}
<p>${texts.lead}</p><button name="what" value="begin">${texts.begin}</button></form>`,
  )
}

function offScreen(
  visit: AnyVisit,
  { secret, uri, sealed }: OfferedFactor,
  problems: Problems,
): Screen {
  const texts = words[visit.language]
  const look = { autocomplete: 'one-time-code', inputmode: 'numeric', maxLength: 7 }
  const { operatorRole, hasSecondFactor } = visit.session
  const isNeeded = operatorRole !== null && !hasSecondFactor && !visit.isSandbox
  return frame(
    visit,
    html`<form class="card" method="post" action="${action}">${tokenField(visit)}
<input type="hidden" name="sealed" value="${sealed}">
${problemList(visit.language, problems)}
${isNeeded && html`<p class="notice">${texts.needed}</p>`}
<p>${texts.lead}</p>
<p>${texts.scan}</p>
<div class="qr">${drawQr(uri)}</div>
<p>${texts.orType} <code>${secret}</code>${copyButton(visit.language, secret)}</p>
<p>${texts.enter}</p>
${field({ name: 'code', label: texts.code, isRequired: true, ...look }, problems)}
<button>${texts.on}</button></form>
${isNeeded && html`<p><a href="/dashboard/account/passkeys">${texts.orPasskey}</a></p>`}`,
  )
}

function onScreen(visit: AnyVisit, left: number): Screen {
  const texts = words[visit.language]
  return frame(
    visit,
    html`<section class="card"><p><b>${texts.isOn}</b> ${texts.left(left)}</p>
<form class="ways" method="post" action="${action}">${tokenField(visit)}
<button class="second" name="what" value="renew">${texts.renew}</button>
<button class="danger" name="what" value="off">${texts.off}</button></form></section>`,
  )
}

function frame(visit: AnyVisit, body: Screen['body']): Screen {
  const { title, back } = words[visit.language]
  return {
    title,
    section: 'account',
    body: html`<div class="head"><h1>${title}</h1></div>
${body}
<p class="back"><a href="/dashboard/account">${back}</a></p>`,
  }
}
