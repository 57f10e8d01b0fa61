import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openBrowser } from './browser.ts'
import { writeAlbum } from './screenshots/album.ts'
import { takeDashboard } from './screenshots/dashboard.ts'
import { takePaymentPage } from './screenshots/payment-page.ts'
import { measureSlowNetwork } from './screenshots/slow-network.ts'

/*
 * npm run screenshots -- [FOLDER] [--only PATTERN] [--quick] [--docs] [--slow-network]
 *
 * Takes a picture of every screen of the payment page, of the dashboard and of the guides in every
 * width, language and colour scheme, with an index.html, into a folder (by default in the system's
 * temporary one).
 * Fails when a screen breaks a rule of accessibility, is wider than its window, or has no picture.
 *
 *   --only PATTERN   only screens whose name matches, such as '^owner-batch' or '^pay-'
 *   --quick          only French at 360 px in light colours, and English at 1280 px in dark ones
 *   --docs           also writes those that a document shows, to docs/screenshots
 *   --slow-network   instead: measures when first visits on a slow line show their first content
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
    'slow-network': { type: 'boolean', default: false },
  },
})
// The library would end this process at Ctrl-C, before the gateway has stopped its PostgreSQL.
const browser = await openBrowser({ handleSIGINT: false, handleSIGTERM: false })
const problems = values['slow-network'] ? await measureSlowNetwork(browser) : await takeAll()
await browser.close()
for (const text of problems) process.stdout.write(`${text}\n`)
process.exitCode = problems.length > 0 ? 1 : 0

/** Takes all pictures that are wanted; returns what is wrong with them. */
async function takeAll(): Promise<string[]> {
  const folder = positionals[0] ?? join(tmpdir(), 'passerelle-screenshots')
  await mkdir(folder, { recursive: true })
  const pattern = new RegExp(values.only)
  const isWanted = (name: string) => pattern.test(name)
  const isOfPayers = /^\^?pay-/.test(values.only)
  const parts = { browser, folder, isWanted, isQuick: values.quick }
  const pictures = [
    ...(await takePaymentPage(parts)),
    ...(isOfPayers ? [] : await takeDashboard(parts)),
  ]
  await writeAlbum(folder, pictures)
  if (values.docs)
    for (const { file } of pictures) {
      const name = file.replace(/^pay-/, '')
      if (documented().has(name)) await copyFile(join(folder, file), join('docs/screenshots', name))
    }
  process.stdout.write(`${pictures.length} pictures: ${join(folder, 'index.html')}\n`)
  return pictures.flatMap(({ screen, file, problems: own }) =>
    own.map((text) => `${file || screen}: ${text}`),
  )
}

/** The pictures that documents show. */
function documented(): Set<string | undefined> {
  const texts = globSync(['README.md', 'docs/*.md']).map((file) => readFileSync(file, 'utf8'))
  const links = [...texts.join('\n').matchAll(/screenshots\/([\w-]+\.png)/g)]
  return new Set(links.map(([, name]) => name))
}
