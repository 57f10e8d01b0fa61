import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import { addPerson, liveSettings, signedInAs, signInWith } from '#test/dashboard.ts'
import { newLink } from '#test/links.ts'
import { collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const path = '/dashboard/design'
const gateway = await liveGateway()

it('every component of the pages is accessible, narrow and wide, light and dark', async () => {
  const { url, clientId } = gateway
  await using opened = await openPage(await testBrowser())
  const { page, complaints } = opened
  await signInWith(page, url, await addPerson(gateway, { clientId, role: 'developer' }))
  for (const width of [180, 360, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.goto(`${url}${path}`)
      assert.deepEqual(await accessibilityViolations(page), [], `${width} ${colorScheme}`)
      const overflow = 'document.documentElement.scrollWidth - innerWidth'
      assert.ok(Number(await page.evaluate(overflow)) <= 0, `${width} px is too narrow`)
    }
  assert.deepEqual(complaints, [])
})

it('a row is a link wherever it is pressed, and a menu ends with Escape', async () => {
  const { url, clientId } = gateway
  await using opened = await openPage(await testBrowser(), {
    viewport: { width: 1280, height: 800 },
  })
  const { page } = opened
  await signInWith(page, url, await addPerson(gateway, { clientId, role: 'developer' }))
  await page.goto(`${url}${path}#here`)
  await page.click('.person summary')
  assert.ok(await page.isVisible('.person form[action$=sign-out] button'))
  await page.keyboard.press('Escape')
  assert.ok(!(await page.isVisible('.person form[action$=sign-out] button')))
  // Forced: what is pressed there is the link, which lies over the whole row.
  await page.locator('tbody td.is-amount').first().click({ force: true })
  await page.waitForURL(`${url}${path}`)
})

it('lists begin high on the screen, with rows that are not', async () => {
  const { url, clientId } = gateway
  await collected(gateway)
  await newLink(gateway)
  await using opened = await openPage(await testBrowser())
  const { page } = opened
  await signInWith(page, url, await addPerson(gateway, { clientId, role: 'owner' }))
  for (const [width, topMax, heightMax] of [
    [1280, 280, 52],
    [360, 320, 96],
  ] as const)
    for (const list of ['transactions?status=SUCCESS&kind=CASHOUT', 'links?status=PENDING']) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${url}/dashboard/${list}`)
      const row = await page.locator('tbody tr').first().boundingBox()
      const { y = Infinity, height = Infinity } = row ?? {}
      assert.ok(y <= topMax && height <= heightMax, `${list} at ${width}: ${y}, ${height}`)
    }
})

it('is no page in live mode', async () => {
  const live = await liveGateway({ environment: liveSettings })
  const developer = await signedInAs(live, 'developer')
  assert.equal((await developer.get(path)).status, 404)
  await assertMoney(live)
})

it('looking moves no money', () => assertMoney(gateway))
