import { html, raw } from '../kit/html.ts'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E" +
  "%3Crect width='8' height='8' rx='2' fill='%230b6b4f'/%3E" +
  "%3Cpath d='M2 5.5a2 2 0 0 1 4 0' fill='none' stroke='%23fff'/%3E%3C/svg%3E"

/** What the head of every page begins with: its encoding, how it fits a phone, its icon. */
export const headTags = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<link rel="icon" href="${raw(icon)}">`
