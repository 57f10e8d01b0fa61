import { languages } from '#base/kit/language.ts'
import { openPayServer, unlimited } from '../pay-server.ts'
import { scenesOf } from '../scenes.ts'
import { looksIn, looksOf, type Parts, type Picture, takePictures } from './looks.ts'

const allLooks = looksOf([320, 360, 768, 1280])

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
