import { type Html, html, raw } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { oneLine } from '#base/kit/one-line.ts'

/** The content of a mail with one link, which all our mails have. */
export interface Letter {
  language: Language
  greeting: string
  opening: string
  /** Labels and values. */
  rows: [label: string, value: string][]
  url: string
  button: string
  /** What stands before the address itself. */
  copy: string
  /** Why the reader gets it, and what to do if it surprises. */
  reason: string
}

const valueMax = 500

/** A letter as text and as HTML, each value without line breaks: none can imitate a line of it. */
export function writeLetter(letter: Letter): { text: string; html: string } {
  const rows = letter.rows.map(
    ([label, value]) => [label, oneLine(value, valueMax)] satisfies [string, string],
  )
  const written = { ...letter, greeting: oneLine(letter.greeting, valueMax), rows }
  return { text: textOf(written), html: htmlOf(written).text }
}

function textOf({ language, greeting, opening, rows, copy, url, reason }: Letter): string {
  // French sets a no-break space before its colons.
  const colon = language === 'fr' ? '\u00a0:' : ':'
  const lines = rows.map(([label, value]) => `${label}${colon} ${value}`)
  return [greeting, '', opening, '', ...lines, '', copy, url, '', reason, ''].join('\n')
}

// Only the button sets colours, of text and background both: the rest follows light or dark mode.
const style = {
  body: raw(
    'margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,Roboto,Arial,sans-serif',
  ),
  box: raw('max-width:560px;margin:0 auto'),
  list: raw('margin:24px 0;padding:0'),
  label: raw('margin:12px 0 0;font-size:14px'),
  value: raw('margin:0;font-weight:600;overflow-wrap:anywhere'),
  button: raw(
    'display:inline-block;padding:14px 24px;border-radius:8px;background:#0b5cad;color:#ffffff;' +
      'font-weight:600;text-decoration:none',
  ),
  link: raw('margin:24px 0;overflow-wrap:anywhere'),
  reason: raw('margin:32px 0 0;font-size:14px'),
}

function htmlOf({ language, greeting, opening, rows, copy, url, button, reason }: Letter): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${opening}</title>
<style>:root { color-scheme: light dark }</style>
</head>
<body style="${style.body}">
<div style="${style.box}">
<p>${greeting}</p>
<p>${opening}</p>
<dl style="${style.list}">
${rows.map(
  ([label, value]) =>
    html`<dt style="${style.label}">${label}</dt><dd style="${style.value}">${value}</dd>
`,
)}</dl>
<p><a href="${url}" style="${style.button}">${button}</a></p>
<p style="${style.link}">${copy}<br><a href="${url}">${url}</a></p>
<p style="${style.reason}">${reason}</p>
</div>
</body>
</html>
`
}
