import { html } from '#base/kit/html.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isTemporary } from '#data/db/unreachable.ts'
import { statusOf } from '#edge/http/errors.ts'
import { queueFullAsRefusal } from '#edge/http/overload.ts'
import type { Screen } from './layout.ts'
import type { Guest } from './visit.ts'
import { frameWords, sentenceOf } from './words.ts'

const words = inBoth({
  fr: {
    unknown: fr`Page introuvable`,
    unknownText: fr`Il n'y a rien à cette adresse, ou ce n'est pas à vous de le voir.`,
    home: fr`Retour à l'accueil`,
    forbidden: fr`Accès refusé`,
    forbiddenText: fr`Votre rôle ne permet pas cette action, ou cette page est restée ouverte trop
      longtemps. Demandez à un administrateur, ou rechargez la page et recommencez.`,
    failed: fr`Cela n'a pas marché`,
    failedText: fr`Une erreur de notre côté. Rien n'a été perdu : vérifiez l'état avant de
      recommencer.`,
    busy: fr`Le service ne répond pas en ce moment. Réessayez dans un instant.`,
    underWay: fr`Déjà en cours`,
    underWayText: fr`Ce formulaire a déjà été envoyé. Vérifiez le résultat dans la liste avant d'en
      envoyer un autre.`,
    request: fr`Numéro de la demande`,
  },
  en: {
    unknown: 'Page not found',
    unknownText: 'There is nothing at this address, or it is not yours to see.',
    home: 'Back to home',
    forbidden: 'Not allowed',
    forbiddenText:
      'Your role does not allow this, or the page was open for too long. ' +
      'Ask an administrator, or reload the page and try again.',
    failed: 'That did not work',
    failedText: 'An error on our side. Nothing was lost: check the state before you try again.',
    busy: 'The service cannot answer right now. Please try again shortly.',
    underWay: 'Already under way',
    underWayText:
      'This form was sent before. Check the result in the list before you send another.',
    request: 'Request number',
  },
})

function card(guest: Guest, title: string, text: string, status: number): Screen {
  const { language, request } = guest
  const { home, request: requestWord } = words[language]
  return {
    title,
    status,
    body: html`<section class="card"><h1>${title}</h1><p>${text}</p>
<p><a class="button" href="/dashboard">${home}</a></p>
<details><summary>${frameWords[language].technical}</summary>
<p>${requestWord} <code>${request.id}</code></p></details></section>`,
  }
}

/** What is at no address, and what belongs to another merchant: the same. */
export function unknownScreen(guest: Guest): Screen {
  const { unknown, unknownText } = words[guest.language]
  return card(guest, unknown, unknownText, 404)
}

export function forbiddenScreen(guest: Guest): Screen {
  const { forbidden, forbiddenText } = words[guest.language]
  return card(guest, forbidden, forbiddenText, 403)
}

export function underWayScreen(guest: Guest): Screen {
  const { underWay, underWayText } = words[guest.language]
  return card(guest, underWay, underWayText, 409)
}

/** A refusal in its own words; anything else as an error of ours. */
export function errorScreen(guest: Guest, thrown: unknown): Screen {
  const problem = queueFullAsRefusal(thrown)
  const { failed, failedText, busy } = words[guest.language]
  const status = statusFor(problem)
  if (problem instanceof Refusal) {
    const sentences = problem.reasons.map((one) => sentenceOf(one, guest.language))
    return card(guest, failed, sentences.join(' · '), status)
  }
  return card(guest, failed, status === 503 ? busy : failedText, status)
}

export function statusFor(thrown: unknown): number {
  const problem = queueFullAsRefusal(thrown)
  if (problem instanceof Refusal) return statusOf[problem.kind]
  return isTemporary(problem) ? 503 : 500
}
