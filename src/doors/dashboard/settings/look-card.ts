import { type Html, html } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { brandColours, theme } from '#edge/pages/brand-colours.ts'
import type { Brand } from '#merchants/clients/brand-store.ts'
import { type Logo, logoLimits, readLogo } from '#merchants/clients/logo.ts'
import type { Form } from '../frame/actions.ts'
import { checkbox, field, type Problems, problemList } from '../frame/fields.ts'
import { tokenField } from '../frame/layout.ts'
import { type Fact, fieldFact } from '../frame/reviewed.ts'
import { refuseTooLarge } from '../frame/uploads.ts'
import type { AnyVisit } from '../frame/visit.ts'

// Many times what a logo may have: whatever is larger is not looked into.
export const lookBytesMax = 1_000_000

/** The colour that stands for none: the pages have it anyway. */
const ownColour = theme.light.deep ?? ''

const { sideMax, bytesMax } = logoLimits
const size = `${sideMax}\u00a0×\u00a0${sideMax} pixels`
const kilobytes = bytesMax / 1024

const words = inBoth({
  fr: {
    title: 'Page de paiement',
    lead: fr`Ce que vos clients voient quand ils paient par lien.`,
    logo: 'Logo',
    logoHint: fr`Image PNG, JPEG ou WebP, de ${size} et ${kilobytes} Ko au plus.`,
    present: 'Votre logo',
    removeLogo: 'Supprimer le logo',
    colour: 'Couleur',
    colourHint: fr`Là où elle serait difficile à lire, elle est rendue plus foncée ou plus claire.`,
    resetColour: fr`Rétablir la couleur d'origine`,
    sample: fr`Votre couleur sous la commande, sur un bouton clair et sur un bouton sombre`,
    pay: 'Payer',
    save: 'Enregistrer la page de paiement',
  },
  en: {
    title: 'Payment page',
    lead: 'What your customers see when they pay by link.',
    logo: 'Logo',
    logoHint: `A PNG, JPEG or WebP image of at most ${size} and ${kilobytes} KB.`,
    present: 'Your logo',
    removeLogo: 'Remove the logo',
    colour: 'Colour',
    colourHint: 'Where it would be hard to read, it is made darker or lighter.',
    resetColour: 'Restore the original colour',
    sample: 'Your colour behind the order, on a light button and on a dark one',
    pay: 'Pay',
    save: 'Save the payment page',
  },
})

/** The address of the settings, under which `/look` and `/logo` are. */
interface LookPlace {
  path: string
  mayChange: boolean
}

/** Logo and colour of the payment pages: as they are, and a form to change them. */
export function lookCard(
  visit: AnyVisit,
  { path, mayChange }: LookPlace,
  brand: Brand,
  problems: Problems,
): Html {
  const { colour, logo } = brand
  const say = words[visit.language]
  const shown = html`${
    logo !== null &&
    html`<p><img class="logo" src="${path}/logo?${logo.hash.slice(0, 8)}" alt="${
      say.present
    }" width="${logo.width}" height="${logo.height}"></p>`
  }${colour !== null && sample(say, colour)}`
  if (!mayChange) return html`<section class="card"><h2>${say.title}</h2>${shown}</section>`
  const limits = html` accept="image/png,image/jpeg,image/webp" data-bytes-max="${bytesMax}"
 data-side-max="${sideMax}"`
  return html`<form class="card" method="post" action="${path}/look"
 enctype="multipart/form-data">${tokenField(visit, lookFacts(visit, brand))}
<h2>${say.title}</h2><p class="hint">${say.lead}</p>
${problemList(visit.language, problems)}
${shown}
${field(
  { name: 'logo', label: say.logo, hint: say.logoHint, type: 'file', attributes: limits },
  problems,
)}
${logo !== null && checkbox('removeLogo', say.removeLogo, false)}
${field(
  {
    name: 'colour',
    label: say.colour,
    hint: say.colourHint,
    type: 'color',
    value: colour ?? ownColour,
  },
  problems,
)}
${colour !== null && checkbox('resetColour', say.resetColour, false)}
<button>${say.save}</button></form>`
}

/** What the form shows of the look; a logo counts where it is replaced or removed. */
export function lookFacts({ language }: AnyVisit, { colour, logo }: Brand, form?: Form): Fact[] {
  const say = words[language]
  const ofLogo = { name: 'logoHash', label: say.logo, value: logo?.hash ?? null }
  const isOfLogo = form === undefined || form.has('removeLogo') || form.file('logo') !== undefined
  return [fieldFact('colour', say.colour, colour ?? ownColour), ...(isOfLogo ? [ofLogo] : [])]
}

/** What the form asks to change; a picture that cannot be used is refused. */
export function readLook(
  form: Form,
  before: Brand,
): { colour?: string | null; logo?: Logo | null } {
  const file = form.file('logo')
  if (file !== undefined) refuseTooLarge(file, lookBytesMax, 'logo')
  const typed = form.get('colour').toLowerCase()
  const colour = form.has('resetColour') || typed === ownColour ? null : typed
  return {
    ...(form.has('colour') && colour !== before.colour ? { colour } : {}),
    ...(form.has('removeLogo') ? { logo: null } : {}),
    ...(file === undefined ? {} : { logo: readLogo(file.bytes) }),
  }
}

/** Drawn, since a page may not carry styles of its own. */
function sample(say: { sample: string; pay: string }, colour: string): Html {
  const { own, marks } = brandColours(colour)
  const buttons = (['light', 'dark'] as const).map((scheme, index) => {
    const left = 140 + index * 84
    return html`<rect x="${left}" width="80" height="48" rx="8" fill="${theme[scheme].card}"/>
<rect x="${left + 8}" y="8" width="64" height="32" rx="8" fill="${own.background}"
 stroke="${marks[scheme].main}" stroke-width="2"/>
<text x="${left + 40}" y="29" text-anchor="middle" fill="${own.text}">${say.pay}</text>`
  })
  return html`<svg class="sample" viewBox="0 0 304 48" role="img" aria-label="${say.sample}">
<rect width="136" height="48" rx="8" fill="${own.background}"/>
<text x="12" y="29" fill="${own.text}">${formatAmount(5000)}</text>${buttons}</svg>`
}
