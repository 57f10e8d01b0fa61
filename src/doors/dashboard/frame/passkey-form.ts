import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'

const words = inBoth({
  fr: { refused: fr`L'appareil n'a pas confirmé. Essayez encore, ou prenez un autre chemin.` },
  en: { refused: 'The device did not confirm. Try again, or use another way.' },
})

interface PasskeyForm {
  action: string
  /** What the browser's own interface for passkeys is given. */
  options: object
  button: string
  fields?: Piece
  /** The field in which the device's answer is sent. */
  name?: string
}

/** A form that the device confirms before it is sent; hidden where the browser cannot do that. */
export function passkeyForm(language: Language, one: PasskeyForm): Html {
  return html`<form method="post" action="${one.action}" data-passkey="${JSON.stringify(
    one.options,
  )}" hidden>${one.fields}
<input type="hidden" name="${one.name ?? 'credential'}" data-credential>
<button>${one.button}</button>
<p class="wrong" role="alert" data-refused hidden>${words[language].refused}</p></form>`
}
