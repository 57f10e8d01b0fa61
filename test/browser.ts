import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sparticuz, { inflate } from '@sparticuz/chromium'
import axe from 'axe-core'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { atEnd } from './at-end.ts'
import { sized } from './size.ts'

/** A browser that others use too, and which therefore cannot be closed. */
type SharedBrowser = Pick<Browser, 'newContext'>

// Only ends a wait that would never end.
const limitMs = 300_000
// The page of a form's answer takes the place of any other that is asked for meanwhile.
const markSending = `
  const mark = (is) => () => document.documentElement.toggleAttribute('data-sending', is)
  addEventListener('turbo:submit-start', mark(true))
  addEventListener('turbo:render', mark(false))`
const notBusy = 'html:not([aria-busy=true]):not([data-sending])'

// Not as a promise: the runner would take tests that await it for tests of the file that made it.
let shared: Browser | undefined

/**
 * A real browser, the same for all test files of a process: each page is in a context of its own.
 * Where none can run, the tests fail.
 */
export async function testBrowser(): Promise<SharedBrowser> {
  if (shared !== undefined) return shared
  const opened = await openBrowser()
  atEnd(() => opened.close())
  shared = opened
  return opened
}

/**
 * On Linux on x64 the browser of the npm package, so that all machines test with the same one;
 * elsewhere the one that CHROME_PATH names, or Debian's. `own` are options of the start.
 */
export async function openBrowser(own: LaunchOptions = {}): Promise<Browser> {
  const { CHROME_PATH: chromePath, ...environment } = process.env
  const isPackaged = process.platform === 'linux' && process.arch === 'x64'
  const installed = chromePath || (isPackaged ? undefined : debianBrowser())
  if (installed) return chromium.launch({ executablePath: installed, args, ...own })
  const folder = await unpackBrowser()
  const executablePath = join(folder, 'chromium')
  const env = { ...environment, FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  try {
    return await chromium.launch({ executablePath, args, env, ...own })
  } catch (problem) {
    if (!String(problem).includes('shared librar')) throw problem
    // A minimal system lacks shared libraries; the package contains them.
    const LD_LIBRARY_PATH = join(folder, 'al2023', 'lib')
    return chromium.launch({ executablePath, args, env: { ...env, LD_LIBRARY_PATH }, ...own })
  }
}

/** A page in a context of its own; `complaints` collects its uncaught errors. */
export async function openPage(browser: SharedBrowser, options: BrowserContextOptions = {}) {
  const viewport = { width: 360, height: 740 }
  // Without a graphics card each frame of an animation takes processor time.
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...options })
  await context.addInitScript(markSending)
  const page = await context.newPage()
  page.setDefaultTimeout(limitMs)
  waitBeforeClicks(page)
  const complaints: string[] = []
  page.on('pageerror', (problem) => {
    // Turbo gives up a request when another page is asked for before it is answered.
    if (problem.name !== 'AbortError') complaints.push(String(problem))
  })
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** A page of a server whose complaints are also console errors and requests to other hosts. */
export async function openWatchedPage(
  server: { url: string },
  browser: SharedBrowser,
  options: BrowserContextOptions = {},
) {
  const opened = await openPage(browser, options)
  const { page, complaints } = opened
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
      complaints.push(request.url())
  })
  return opened
}

/** Clicks on a page of Turbo only when it is whole, and no other is about to take its place. */
function waitBeforeClicks(page: Page): void {
  const click = page.click.bind(page)
  page.click = async (...order) => {
    await page.waitForSelector(notBusy, { state: 'attached' })
    await click(...order)
    // A click returns when the document that it leads to begins, not when it is read.
    await page.waitForLoadState('domcontentloaded')
  }
}

/** Tells a page that somebody looks at it, or at another tab. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  const value = `{ value: ${isHidden}, configurable: true }`
  await page.evaluate(`Object.defineProperty(document, 'hidden', ${value})
    document.dispatchEvent(new Event('visibilitychange'))`)
}

/** Loads a payment page anew, and waits until it has asked for its state and opens a stream. */
export async function reloadFollowed(page: Page): Promise<void> {
  const followed = page.waitForRequest('**/events')
  await page.reload()
  await followed
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const axeOptions = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] })

const isStyled =
  '[...document.querySelectorAll("link[rel=stylesheet]")].every(({ sheet }) => sheet !== null)'

/** The rules of WCAG 2.2 AA that a page breaks, with the first element that breaks each. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // A click returns as soon as its page begins.
  await page.waitForLoadState()
  // A page of an error takes the place of the whole document, and its style arrives after it.
  if (!(await page.evaluate<boolean>(isStyled))) await page.waitForFunction(isStyled)
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const run = `axe.run(${axeOptions}).then(({ violations }) => violations)`
  const violations = await page.evaluate<Violation[]>(run)
  return violations.map(({ id, nodes: [one] }) => `${id}: ${one?.html} ${one?.failureSummary}`)
}

/**
 * Fails unless each screen of the dashboard is accessible and no wider than the window. Turbo shows
 * them, as to somebody who follows links; in a document of its own each would load the rules again.
 * In npm test the rules, which take most of the time, are for the first and each fifth screen.
 */
export async function assertScreens(page: Page, paths: string[]): Promise<void> {
  // An open page that follows what happens would read itself again while it is looked at.
  await page.route('**/dashboard/changes?*', (route) => route.fulfill({ status: 204 }))
  for (const [index, path] of paths.entries()) {
    await page.waitForSelector(notBusy, { state: 'attached' })
    await page.evaluate(`new Promise((done, fail) => {
      addEventListener('turbo:load', ({ detail }) => {
        if (detail.url === new URL(${JSON.stringify(path)}, location).href) done()
      })
      setTimeout(() => fail(new Error('no end of the visit')), ${limitMs})
      Turbo.visit(${JSON.stringify(path)})
    })`)
    if (index % sized(5, 1) === 0) assert.deepEqual(await accessibilityViolations(page), [], path)
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - innerWidth',
    )
    assert.ok(overflow <= 0, `${path} is ${overflow} px too wide`)
  }
  await page.unroute('**/dashboard/changes?*')
}

/** The headless shell, as in the package: the full browser would send an Accept-Language. */
function debianBrowser(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = folders.map((folder) => join(folder, 'chromium-headless-shell'))
  const found = paths.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    `Tests of pages need a browser, and none comes as a package for ${process.platform} on ` +
      `${process.arch}: install Debian's chromium-headless-shell, or name one in CHROME_PATH.`,
  )
}

// Not the package's own arguments: those are for AWS Lambda and disable security features.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  // No requests of the browser's own: tests check that a page makes none to other hosts.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

// The browser dies where it finds no font at all. The one of the package is there besides those of
// the system, whose own rules still choose between them.
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

/**
 * Unpacks the browser once for all test files. The package alone would unpack to a fixed path in
 * /tmp, where another version or a half-written one may be.
 */
async function unpackBrowser(): Promise<string> {
  const source = fileURLToPath(new URL('../node_modules/@sparticuz/chromium', import.meta.url))
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(source, '..', '..', '.cache', `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const unpacked = await mkdtemp(`${folder}-`)
  const { TMPDIR: tmpdirBefore } = process.env
  process.env.TMPDIR = unpacked
  try {
    // The first also unpacks its fonts.
    await Promise.all([sparticuz.executablePath(), inflate(join(source, 'bin', 'al2023.tar.br'))])
    await writeFile(join(unpacked, 'fonts.conf'), fontsConf)
  } finally {
    if (tmpdirBefore === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = tmpdirBefore
  }
  // The rename fails if another test file was faster; its copy is used then.
  await rename(unpacked, folder).catch(() => rm(unpacked, { recursive: true }))
  return folder
}
