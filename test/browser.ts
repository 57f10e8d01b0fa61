import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import sparticuz, { inflate } from '@sparticuz/chromium'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

/** A real browser that ends with the test file. Where none can run, the tests fail. */
export async function testBrowser(): Promise<Browser> {
  const browser = await openBrowser()
  after(() => browser.close())
  return browser
}

/**
 * The browser that comes as a package for Linux on x64, so that every machine tests with the same
 * one; elsewhere the one that CHROME_PATH names, or Debian's.
 */
export async function openBrowser(): Promise<Browser> {
  const { CHROME_PATH: named, ...environment } = process.env
  const isPackaged = process.platform === 'linux' && process.arch === 'x64'
  const own = named || (isPackaged ? undefined : installedBrowser())
  if (own) return chromium.launch({ executablePath: own, args })
  const folder = await unpackBrowser()
  const executablePath = join(folder, 'chromium')
  try {
    return await chromium.launch({ executablePath, args })
  } catch (problem) {
    if (!String(problem).includes('shared librar')) throw problem
    // A bare machine lacks some that the package brings along.
    const env = { ...environment, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }
    return chromium.launch({ executablePath, args, env })
  }
}

/** Without a window of its own, as the package's is: the other kind asks for pages in a language. */
function installedBrowser(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = folders.map((folder) => join(folder, 'chromium-headless-shell'))
  const found = paths.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    `Tests of pages need a browser, and none comes as a package for ${process.platform} on ` +
      `${process.arch}: install Debian's chromium-headless-shell, or name one in CHROME_PATH.`,
  )
}

// The package's own are for a place without processes, and switch off what a browser protects.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  // It must not speak to its makers while it is tested what a page asks of others.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/**
 * Unpacks once for all test files. By itself the package unpacks to a name that everybody shares,
 * where another version may stand, or one that is just being written.
 */
async function unpackBrowser(): Promise<string> {
  const source = fileURLToPath(new URL('../node_modules/@sparticuz/chromium', import.meta.url))
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(source, '..', '..', '.cache', `browser-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const fresh = await mkdtemp(`${folder}-`)
  const { TMPDIR: before } = process.env
  process.env.TMPDIR = fresh
  try {
    await Promise.all([sparticuz.executablePath(), inflate(join(source, 'bin', 'al2023.tar.br'))])
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  // Whoever comes second finds it done.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }))
  return folder
}
