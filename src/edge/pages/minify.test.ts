import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Script } from 'node:vm'
import { testBrowser } from '#test/browser.ts'
import { minifyScript, minifyStyle } from './minify.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const css = read('theme.css') + read('../../doors/pay/page.css')
const js = read('../../doors/pay/page.js')

describe('minifyStyle', async () => {
  const browser = await testBrowser()

  it('keeps every rule of page.css as a browser parses it', async () => {
    const page = await (await browser.newContext()).newPage()
    const rulesOf = async (style: string) => {
      await page.setContent(`<style>${style}</style>`)
      return page.evaluate<string[]>(
        'Array.from(document.styleSheets[0].cssRules, (rule) => rule.cssText)',
      )
    }
    const plain = await rulesOf(css)
    assert.ok(plain.length > 100)
    assert.deepEqual(await rulesOf(minifyStyle(css)), plain)
  })

  it('removes at least 15 % of page.css', () =>
    assert.ok(minifyStyle(css).length < 0.85 * css.length))
})

describe('minifyScript', () => {
  it('keeps every line of page.js that is not a comment, without its indentation', () => {
    const lines = js.split('\n').map((line) => line.trim())
    const code = lines.filter((line) => line !== '' && !line.startsWith('//'))
    assert.deepEqual(minifyScript(js).split('\n'), code)
    assert.ok(new Script(minifyScript(js)))
  })

  it('gets a script without texts that it would damage', () => {
    assert.doesNotMatch(js, /`/, 'a template literal can span lines')
    assert.doesNotMatch(js, /\/\*/, 'a block comment could begin inside a string')
  })
})
