import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { Language } from '../../kit/language.ts'
import { fr } from '../../pages/typography.ts'
import { inBoth } from '../frame/words.ts'

const words = inBoth({
  fr: {
    many: fr`De nombreuses transactions viennent d'arriver.`,
    show: 'Afficher les plus récentes',
  },
  en: { many: 'Many transactions have just come in.', show: 'Show the newest' },
})

const id = 'many-new'

/** The notice above a list that more comes in than is put on top of it. */
export const manyNew = {
  /** Where the notice will be. */
  place: html`<p id="${id}" hidden></p>`,
  /** Shows the notice on a page that is open. */
  update(language: Language): Html {
    const { many, show } = words[language]
    return html`<turbo-stream action="replace" target="${id}"><template><p id="${id}"
 class="notice" role="status">${many} <a href="/dashboard/transactions">${show}</a></p></template>
</turbo-stream>`
  },
}
