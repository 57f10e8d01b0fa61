import { languages } from '#base/kit/language.ts'
import { guideNames } from '#doors/guides/contents.ts'
import { looksIn, looksOf, type Parts, type Picture, takePictures } from './looks.ts'

const allLooks = looksOf([360, 1280])
const pages = new Map([
  ['guide-contents', ''],
  ['guide-search', '/search?q=webhook'],
  ['guide-search-nothing', '/search?q=zzz'],
  ...guideNames.map((name) => [`guide-${name}`, `/${name}`] as const),
])

/** Takes pictures of every page of the guides. */
export async function takeGuides(parts: Parts, url: string): Promise<Picture[]> {
  const { browser, folder, isWanted, isQuick } = parts
  const context = await browser.newContext()
  const page = await context.newPage()
  const pictures: Picture[] = []
  for (const language of languages)
    for (const [screen, path] of [...pages].filter(([name]) => isWanted(name))) {
      await page.goto(`${url}/docs/${language}${path}`)
      const looks = looksIn(language, allLooks, isQuick)
      pictures.push(...(await takePictures(page, { folder, screen, language, looks })))
      process.stdout.write(`${screen} ${language}\n`)
    }
  await context.close()
  return pictures
}
