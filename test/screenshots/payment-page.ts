import { languages } from '#base/kit/language.ts'
import { states } from '../fake-checkout.ts'
import { openPayServer, unlimited } from '../pay-server.ts'
import { scenesOf } from '../scenes.ts'
import { looksIn, looksOf, type Parts, type Picture, takePictures } from './looks.ts'

const allLooks = looksOf([320, 360, 768, 1280])

// Documented besides every state at 360 px in French with light colours.
const alsoDocumented = new Set([
  'review-360-fr-light',
  'branded-choose-360-fr-light',
  'unknown-360-fr-light',
  'choose-1280-fr-light',
  'redirect-1280-fr-light',
  'push-360-fr-dark',
])

/** Takes pictures of every screen of the payment page. */
export async function takePaymentPage({
  browser,
  folder,
  isWanted,
  isQuick,
}: Parts): Promise<Picture[]> {
  const server = await openPayServer({ limits: unlimited })
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  const pictures: Picture[] = []
  for (const language of languages)
    for (const scene of scenesOf(server)) {
      const looks = looksIn(language, allLooks, isQuick)
      const screen = `pay-${scene.name}`
      if (!isWanted(screen)) continue
      await scene.open(page, language)
      pictures.push(...(await takePictures(page, { folder, screen, language, looks })))
      process.stdout.write(`${screen} ${language}\n`)
    }
  await context.close()
  await server.close()
  return pictures
}

/** The names of the pictures that the guide of the payment page shows. */
export function isDocumented(file: string): boolean {
  const name = file.replace(/^pay-/, '').replace(/\.png$/, '')
  const [, scene = ''] = /^(.+)-360-fr-light$/.exec(name) ?? []
  const isState = scene in states && !/^choose-[rt]/.test(scene)
  return file.startsWith('pay-') && (isState || alsoDocumented.has(name))
}
