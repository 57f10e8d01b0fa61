import { after } from 'node:test'
import sparticuz from '@sparticuz/chromium'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

/** A real browser that ends with the test file. Where none can run, the tests fail. */
export async function testBrowser(): Promise<Browser> {
  const browser = await openBrowser()
  after(() => browser.close())
  return browser
}

/** The browser that comes as a package, so that every machine tests with the same one. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await sparticuz.executablePath()
  return chromium.launch({ executablePath, args, headless: true })
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
