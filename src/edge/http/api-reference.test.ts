import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testGateway } from '#test/app.ts'
import { openPage, testBrowser } from '#test/browser.ts'

const gateway = await testGateway()
const app = await gateway.start()
const browser = await testBrowser()

it('the reference of the interface is shown under its own policy, with its styles', async () => {
  const { page, complaints } = await openPage(browser)
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(`http://127.0.0.1:${app.port}/docs/try/`)
  await page.getByText('Initialise a transaction').first().waitFor({ state: 'attached' })
  // A text, since programs have no types of a browser.
  const styles = await page.evaluate<number[]>(
    '[...document.querySelectorAll("style")].map(({ sheet }) => sheet?.cssRules.length ?? 0)',
  )
  assert.deepEqual(complaints, [])
  assert.ok(styles.length > 0 && styles.every((rules) => rules > 0), String(styles))
})
