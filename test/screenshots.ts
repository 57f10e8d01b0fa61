import { mkdir } from 'node:fs/promises'
import { languages } from '../src/kit/language.ts'
import { openBrowser } from './browser.ts'
import { states } from './fake-checkout.ts'
import { openPayServer, unlimited } from './pay-server.ts'
import { scenesOf } from './scenes.ts'

/*
 * npm run screenshots   takes a screenshot of every screen of the payment page in every width,
 *                       language and colour scheme: into screenshots/, and those that the
 *                       documentation shows also into docs/screenshots/
 */
const allFolder = 'screenshots'
const docsFolder = 'docs/screenshots'

// Documented besides every state at 360 px in French with light colours.
const alsoDocumented = new Set([
  'review-360-fr-light',
  'branded-choose-360-fr-light',
  'unknown-360-fr-light',
  'choose-1280-fr-light',
  'redirect-1280-fr-light',
  'push-360-fr-dark',
])

await mkdir(allFolder, { recursive: true })
await mkdir(docsFolder, { recursive: true })
const server = await openPayServer({ limits: unlimited })
const browser = await openBrowser()
const scenes = scenesOf(server)
let count = 0
for (const width of [320, 360, 768, 1280])
  for (const lang of languages)
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width, height: width > 400 ? 800 : 640 }
      for (const scene of scenes) {
        const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
        const page = await context.newPage()
        await scene.open(page, lang)
        const name = `${scene.name}-${width}-${lang}-${colorScheme}`
        const folders = isDocumented(name, scene.name) ? [allFolder, docsFolder] : [allFolder]
        for (const folder of folders)
          await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
        await context.close()
        count += 1
      }
      process.stdout.write(`${count} of ${scenes.length * 16}\n`)
    }
await browser.close()
await server.close()

function isDocumented(name: string, scene: string): boolean {
  const isState = scene in states && !/^choose-[rt]/.test(scene)
  return (isState && name.endsWith('-360-fr-light')) || alsoDocumented.has(name)
}
