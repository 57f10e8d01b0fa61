import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage, testBrowser } from '#test/browser.ts'
import { cookiesOf, signedInOperator, testPassword } from '#test/dashboard.ts'
import { collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, recon } = gateway
const awa = await signedInOperator(gateway)
const root = '/dashboard/ops/recon'
const party = { provider: 'WALLETE', country: 'ML' }

test('a corrected statement closes what it corrects and opens nothing, in a browser', async () => {
  const fees = { collect: { basisPoints: 100, fixed: 0 } }
  await recon.saveMapping({ ...party, content: null, fees, actor: awa.email })
  const serviceCode = 'WALLETE_ML_CASHOUT'
  const right: MadeLine[] = []
  for (let count = 0; count < 3; count += 1)
    right.push(
      await lineOf(db, await collected(gateway, { serviceCode, amount: 5000 }), { fee: 50 }),
    )
  const changes = [{ amount: 10_000, fee: 100 }, { status: 'failed', fee: 0 }, { fee: 0 }]
  const wrong = right.map((line, index) => ({ ...line, ...changes[index] }))
  await using opened = await openPage(await testBrowser())
  const { page } = opened
  await page.context().addCookies(cookiesOf(awa, url))

  /** Imports a file by the screens; returns what its page says. */
  async function importFile(name: string, lines: MadeLine[]): Promise<string> {
    await page.goto(`${url}${root}/import`)
    await page.selectOption('#provider', 'WALLETE_ML')
    const buffer = Buffer.from(csvOf(lines))
    await page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer })
    await page.click('main form button')
    await page.waitForSelector('text=What is understood')
    const sure = page.locator('#sure')
    if ((await sure.count()) > 0) await sure.check()
    await page.click('text=Import it now')
    await page.fill('#confirm-password', testPassword)
    await page.click('main form[method=post] button')
    await page.click('text=See the result')
    await page.waitForSelector(`h1:has-text("${name}")`)
    return page.innerText('main')
  }
  const differences = async (filter: string) => {
    await page.goto(`${url}${root}/cases?provider=WALLETE_ML${filter}`)
    return (await page.innerText('main')).replaceAll(/\s+/g, ' ')
  }
  const kinds = ['Other amount', 'Other fee', 'Other result']

  await importFile('wrong.csv', wrong)
  const before = await differences('')
  for (const kind of kinds) assert.match(before, new RegExp(`${kind} \\S+ Open`), kind)
  await importFile('right.csv', right)
  const after = await differences('')
  for (const kind of kinds) assert.doesNotMatch(after, new RegExp(`${kind} \\S+ Open`), kind)
  const closed = await differences('&state=closed')
  for (const kind of kinds) assert.match(closed, new RegExp(`${kind} \\S+ Closed`), kind)
  const all = await recon.cases(party, { limit: 9 })
  assert.deepEqual(
    all.map(({ kind, state, closing }) => `${kind} ${state} ${closing}`).toSorted(),
    ['amount closed explained', 'fee closed explained', 'status closed explained'],
  )
})

test('the money holds', () => assertMoney({ db }))
