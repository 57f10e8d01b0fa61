import type { Browser, Page } from 'playwright-core'
import type { Language } from '#base/kit/language.ts'
import { accessibilityViolations } from '../browser.ts'

/** How a screen is seen: a width and a colour scheme. */
export interface Look {
  width: number
  colorScheme: 'light' | 'dark'
}

/** What pictures are taken with, and of which screens. */
export interface Parts {
  browser: Browser
  folder: string
  isWanted(name: string): boolean
  /** Two pictures of each screen instead of all. */
  isQuick: boolean
}

/** Every width in both colour schemes. */
export function looksOf(widths: number[]): Look[] {
  return widths.flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  )
}

/** A picture that was taken, and what is wrong with it. */
export interface Picture {
  /** Of the screen, the same in every look and language. */
  screen: string
  file: string
  problems: string[]
}

export interface Taking {
  folder: string
  screen: string
  language: Language
  looks: Look[]
}

/** Which looks a screen is taken in: all of them, or of each language one. */
export function looksIn(language: Language, all: Look[], isQuick: boolean): Look[] {
  if (!isQuick) return all
  return language === 'fr'
    ? [{ width: 360, colorScheme: 'light' }]
    : [{ width: 1280, colorScheme: 'dark' }]
}

/**
 * Takes a picture of an open page in each look and checks it: no rule of accessibility is broken,
 * and nothing is wider than the window.
 */
export async function takePictures(page: Page, taking: Taking): Promise<Picture[]> {
  const { folder, screen, language, looks } = taking
  const pictures: Picture[] = []
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: width > 400 ? 800 : 740 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // As high as the page, or the bar at the bottom would hide a part of its middle.
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    await page.setViewportSize({ width, height: Math.min(height, 10_000) })
    const file = `${screen}-${width}-${language}-${colorScheme}.png`
    await page.screenshot({ path: `${folder}/${file}`, fullPage: true })
    const problems = [...(await tooWide(page)), ...(await accessibilityViolations(page))]
    pictures.push({ screen, file, problems })
  }
  return pictures
}

/** What makes a page scroll sideways: the elements that reach beyond the window. */
async function tooWide(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth
    // On a phone rows are cards: those have no sideways scroll of their own.
    const cut = width < 640 ? [...document.querySelectorAll('.rows')] : []
    const hidden = cut.filter((one) => one.scrollWidth > one.clientWidth + 1)
    if (hidden.length > 0) return hidden.map((one) => one.outerHTML.slice(0, 120))
    if (document.documentElement.scrollWidth <= width) return []
    const wide = [...document.body.querySelectorAll('*')]
      .filter((one) => one.getBoundingClientRect().right > width + 1)
    return wide.map((one) => one.outerHTML.slice(0, 120))
  })()`)
  return beyond.slice(0, 1).map((element) => `wider than the window: ${element}`)
}
