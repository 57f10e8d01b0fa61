import { readFileSync } from 'node:fs'
import { contrastOf, mixColours } from '#base/kit/colour.ts'

/** The smallest contrast of text (WCAG 2.2, AA). */
export const contrastMin = 4.5

const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

/** The colours of our pages in each scheme, by name, as theme.css has them. */
export const theme: Record<Scheme, Record<string, string>> = readTheme()

/** The colours that a merchant's one colour gives a payment page. */
export interface BrandColours {
  /** The order and the main button, on the merchant's own colour. */
  own: { background: string; text: string }
  /** Edges, marks and links, and what stands on them; the ground of what is selected. */
  marks: Record<Scheme, { main: string; onMain: string; tint: string }>
}

// Where the colour itself is hard to read on the page it is made darker or lighter in small steps.
const stepShare = 0.02
const tintShares = { light: 0.1, dark: 0.15 }

/**
 * Derives them so that every text can be read, whatever the colour: on the colour itself the text
 * is white, or black where white could not be read; marks are a shade of it.
 */
export function brandColours(colour: string): BrandColours {
  return {
    own: { background: colour, text: textOn(colour) },
    marks: { light: marksOf(colour, 'light'), dark: marksOf(colour, 'dark') },
  }
}

/** The same as a style, which comes after the one of the page. */
export function brandStyle(colour: string): string {
  const { own, marks } = brandColours(colour)
  const { background, text } = own
  const order = { deep: background, deeper: background, 'on-deep': text, 'on-deep-soft': text }
  const button = { fill: background, 'on-fill': text }
  const veils = { veil: `${text}24`, rule: `${text}2e` }
  const [light, dark] = schemes.map((scheme) => {
    const { main, onMain, tint } = marks[scheme]
    return { main, 'on-main': onMain, tint }
  })
  return (
    `:root{${declare({ ...order, ...button, ...veils, ...light })}}` +
    `@media (prefers-color-scheme:dark){:root{${declare({ ...dark })}}}`
  )
}

function declare(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

function marksOf(colour: string, scheme: Scheme) {
  const { card = '', paper = '' } = theme[scheme]
  const tint = mixColours(card, colour, tintShares[scheme])
  const towards = scheme === 'light' ? '#000000' : '#ffffff'
  const isReadable = (shade: string) =>
    [card, paper, tint].every((ground) => contrastOf(shade, ground) >= contrastMin)
  let main = colour
  for (let share = stepShare; !isReadable(main); share += stepShare)
    main = mixColours(colour, towards, Math.min(share, 1))
  return { main, onMain: textOn(main), tint }
}

/** One of the two can always be read: where white has less than 4.5, black has more. */
function textOn(ground: string): string {
  return contrastOf('#ffffff', ground) >= contrastMin ? '#ffffff' : '#000000'
}

function readTheme(): Record<Scheme, Record<string, string>> {
  const css = readFileSync(new URL('theme.css', import.meta.url), 'utf8')
  const blocks = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) => block)
  const [light, dark] = blocks.map((block) =>
    Object.fromEntries(
      [...block.matchAll(/--([a-z-]+): (#[0-9a-f]+);/g)].map(([, name = '', value = '']) => [
        name,
        value.length === 4 ? value.replaceAll(/[0-9a-f]/g, '$&$&') : value,
      ]),
    ),
  )
  if (light === undefined || dark === undefined) throw new Error('theme.css has no two schemes')
  return { light, dark }
}
