import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openPage, testBrowser } from './browser.ts'

it('shows text in scripts for which this machine may have no font', async () => {
  await using opened = await openPage(await testBrowser())
  const { page } = opened
  const texts = ['Reçu', 'العربية', 'ߒߞߏ', '汉字', '😀 👩‍👩‍👧', '\u{10FFFD}']
  const families = ['system-ui', 'serif', 'monospace', 'Nobody’s']
  const lines = texts.flatMap((text) =>
    families.map((family) => `<p><span style="font-family: ${family}">${text}</span></p>`),
  )
  await page.setContent(lines.join(''))
  const widths = await page.evaluate<number[]>(
    `[...document.querySelectorAll('span')].map((one) => one.getBoundingClientRect().width)`,
  )
  assert.equal(widths.length, lines.length)
  for (const [index, width] of widths.entries()) assert.ok(width > 0, lines[index])
  await page.screenshot()
})
