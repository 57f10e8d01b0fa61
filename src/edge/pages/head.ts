import { html, raw } from '#base/kit/html.ts'

export const iconSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">' +
  '<rect width="8" height="8" rx="2" fill="#0b6b4f"/>' +
  '<path d="M2 5.5a2 2 0 0 1 4 0" fill="none" stroke="#fff"/></svg>'

/**
 * What the head of every page begins with: its encoding, how it fits a phone, its icon. Pages of a
 * description are for everybody, so that search engines may list them.
 */
export function headTagsOf(description?: string) {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
${
  description === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<meta name="description" content="${description}">`
}
<meta name="format-detection" content="telephone=no">
<link rel="icon" href="data:image/svg+xml,${raw(encodeURIComponent(iconSvg))}">`
}

export const headTags = headTagsOf()
