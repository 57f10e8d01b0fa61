import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { ensureDemoData } from '#program/sandbox/demo.ts'
import { openPage, testBrowser } from '#test/browser.ts'
import { cookiesOf, signedInOperator, testPassword } from '#test/dashboard.ts'
import { testDatabase } from '#test/database.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { reconOrders } from '#test/recon-orders.ts'
import { csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'

/*
 * The month of the demo merchant, reconciled by operators: one of French screens and one of English
 * ones have half of the providers each, with a file of each, and go on until nothing is open.
 */

const database = await testDatabase()
await ensureDemoData(database.db, clock, readConfig({}))
const gateway = await liveGateway({ database, pace: 20, environment: { APPROVAL_ABOVE: 'off' } })
const { db, url, recon } = gateway
const browser = await testBrowser()
const root = `${url}/dashboard/ops/recon`
const { started } = reconOrders(gateway, { actor: 'test', numbersFrom: 778_500_000 })
const fee = 10

// The providers of the month, the one with most payments first.
const providers = await db<{ name: string; ids: string[] }>`
  select substring(service_code from '^[^_]+_[^_]+') as name,
    array_agg(id order by completed_at) as ids
  from transactions where status = 'SUCCESS'
  group by 1 order by count(*) desc, 1`

/** What a provider tells of the month, and what an operator asks it for afterwards. */
interface Told {
  lines: MadeLine[]
  late: MadeLine[]
}

/** A statement with all that goes wrong with providers: late, lost, other and unknown payments. */
async function troubled(name: string, right: MadeLine[], ids: string[]): Promise<Told> {
  const middle = Math.floor(ids.length / 2)
  const [failed] = await db<{ id: string }>`
    select id from transactions
    where service_code = ${`${name}_CASHOUT`} and status = 'FAILED' and operation = 'CASHOUT'
      and client_id = 1
    order by completed_at desc limit 1`
  const open = await started(`${name}_CASHOUT`, [])
  const lost = right[middle] ?? assert.fail(name)
  const lines = right
    .filter((line) => line !== lost)
    .map((line) => (line === right[middle + 1] ? { ...line, amount: line.amount + 100 } : line))
  const moment = right[middle - 3]?.moment ?? lost.moment
  const unknown = { ...lost, our_reference: '', reference: `unknown-${name}`, amount: 700 }
  lines.push({ ...unknown, kind: 'collect', moment }, await lineOf(db, open))
  // The lab never had the payments of the month: of this wallet it declines their refunds.
  if (name.startsWith('WALLETA'))
    lines.push(await lineOf(db, failed?.id ?? '', { reference: `late-${name}` }))
  return { lines, late: [lost] }
}

/** What each provider holds by all lines of its files, and by our ledger. */
function heldNow(): Promise<{ name: string; told: number; held: number }[]> {
  return db`
    select name, told, (
      select coalesce(-sum(amount), 0)::bigint from ledger_entries where account = name) as held
    from (
      select 'provider:' || s.provider || ':' || s.country as name,
        -- All of them were paid.
        sum(l.sign * l.amount - l.fee)::bigint as told
      from statements s join statement_lines l on l.statement_id = s.id and l.bucket <> 'known'
      group by 1
    ) t`
}

for (const [turn, language] of (['fr', 'en'] as const).entries())
  describe(`the month of the demo merchant, in ${language}`, () => {
    const own = providers.filter((_, index) => index % 2 === turn)
    const say = {
      fr: { import: 'Importer maintenant', ours: 'Paiements retrouvés chez nous', equal: 'égal' },
      en: { import: 'Import it now', ours: 'Payments found among ours', equal: 'equal' },
    }[language]

    it('is reconciled until nothing is open', async () => {
      const person = await signedInOperator(gateway, 'operator', language)
      await using opened = await openPage(browser, { viewport: { width: 1280, height: 900 } })
      const { page, context, complaints } = opened
      await context.addCookies(cookiesOf(person, url))

      const send = async (name: string, file: string, lines: MadeLine[]) => {
        await page.goto(`${root}/import`)
        await page.selectOption('#provider', name)
        const buffer = Buffer.from(csvOf(lines))
        await page.setInputFiles('#file', { name: file, mimeType: 'text/csv', buffer })
        await page.click('main form button')
        await page.waitForSelector(`text=${say.ours}`)
        // Of a provider with a few payments in the month each seems far from all others.
        const isDoubted = await page.isVisible('#sure')
        assert.ok(!isDoubted || lines.length < 20, `${name} is doubted`)
        if (isDoubted) await page.check('#sure')
        await page.click(`text=${say.import}`)
        await page.fill('#confirm-password', testPassword)
        await page.click('main form[method=post] button')
        await page.click('main a[href*="/statements/"]')
        await page.waitForURL(/statements\/[0-9a-f-]{36}/)
      }
      const openCases = async () => {
        await page.goto(`${root}/cases`)
        const hrefs = await page.$$eval('td a[href*="/recon/cases/"]', (found) =>
          found.map((one) => one.getAttribute('href') ?? ''),
        )
        return [...new Set(hrefs)]
      }

      const lateLines: [string, MadeLine[]][] = []
      for (const [index, { name, ids }] of own.entries()) {
        const right = await Promise.all(ids.map((id) => lineOf(db, id, { fee })))
        const told = index === 0 ? await troubled(name, right, ids) : { lines: right, late: [] }
        await send(name, `${name}.csv`, told.lines)
        if (told.late.length > 0) lateLines.push([name, told.late])
      }
      const found = await recon.cases({ isUnclosed: true }, { limit: 100 })
      const kinds = found.map(({ kind, amount }) => `${kind} ${amount}`).toSorted()
      assert.equal(kinds.length, 4 - turn, kinds.join(', '))
      // What was lost is in the file that the provider sends when it is asked.
      for (const [name, lines] of lateLines) await send(name, `${name}-late.csv`, lines)
      const ways = { theirs_only: 'suspend', amount: 'adjust', status: 'send_back' }
      const hrefs = await openCases()
      assert.equal(hrefs.length, 3 - turn)
      for (const href of hrefs) {
        const one = found.find(({ id }) => href.endsWith(id)) ?? assert.fail(href)
        const how = ways[one.kind as keyof typeof ways]
        await page.goto(`${url}${href}`)
        await page.click(`main a[href$="how=${how}"]`)
        await page.fill('#reason', 'demo')
        if (how === 'adjust') {
          await page.click('main form button')
          await page.waitForSelector('main form[method=post] #reason')
        }
        await page.click('main form[method=post] button')
        await page.waitForURL(/cases\/[0-9a-f-]{36}$/)
      }
      assert.deepEqual(await openCases(), [])
      // What was sent back has an answer of the provider.
      await eventually('nothing is open', async () => {
        const rows = await db`select from transactions where completed_at is null`
        return rows.length === 0
      })
      await page.goto(root)
      const table = await page.innerText('main table')
      assert.equal(
        table.split(say.equal).length - 1,
        turn === 0 ? own.length : providers.length,
        table,
      )
      for (const { name, told, held } of await heldNow()) assert.equal(held, told, name)
      assert.deepEqual(complaints, [])
    })
  })

test('the money holds, and every check of the verification', async () => {
  assert.deepEqual(await recon.cases({ isUnclosed: true }, { limit: 5 }), [])
  assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
  await assertMoney({ db })
})
