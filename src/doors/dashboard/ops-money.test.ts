import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import {
  type SignedIn,
  signedInAs,
  signedInOperator,
  signInWith,
  tokenFor,
} from '#test/dashboard.ts'
import { balances } from '#test/ledger.ts'
import { newLink } from '#test/links.ts'
import { call, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '1000' } })
const { db, url } = gateway
const awa = await signedInOperator(gateway)
const binta = await signedInOperator(gateway, 'finance-operator')
const auditor = await signedInOperator(gateway, 'auditor')
const list = '/dashboard/ops/approvals'
const payload = xssPayloads[0] ?? ''
let refs = 0

const availableOf = async (clientId: number) => (await balances(db, clientId))[0]

/** Types an order, reviews it and sends it; returns where that led. */
async function send(person: SignedIn, fields: Record<string, string>): Promise<string> {
  const review = `${list}/new?${new URLSearchParams({ ...fields, review: 'yes' }).toString()}`
  const { location, visible } = await person.post(`${list}/new`, fields, { from: review })
  assert.ok(location !== null, visible)
  return location
}

function fund(clientId: number, amount: number): Record<string, string> {
  refs += 1
  return { kind: 'fund', client: String(clientId), amount: String(amount), ref: `bank ${refs}` }
}

describe('money by hand, in the dashboard', () => {
  it('is done at once up to the amount, after a review', async () => {
    const { clientId } = await gateway.newMerchant(0)
    const fields = fund(clientId, 1000)
    const query = new URLSearchParams({ ...fields, review: 'yes' }).toString()
    const { visible } = await awa.get(`${list}/new?${query}`)
    assert.match(visible, /Bank − ?1.000 F CFA .*Merchant, available 1.000 F CFA/)
    assert.match(visible, /One person is enough/)
    assert.equal(await send(awa, fields), list)
    assert.equal(await availableOf(clientId), 1000)
  })

  it('above it is proposed by one person and approved by another', async () => {
    const { clientId } = await gateway.newMerchant(0)
    const at = await send(awa, { ...fund(clientId, 5000), ref: payload })
    assert.match((await awa.get(at)).visible, /You proposed it/)
    const own = await awa.post(`${at}/decide`, { verb: 'approve' }, { from: at })
    assert.deepEqual([own.status, /Another person must approve/.test(own.visible)], [422, true])
    const shown = await binta.get(at)
    assert.ok(!shown.text.includes('<script>__xss'))
    assert.match(shown.visible, /What will be written to the ledger .*Bank − ?5.000/)
    assert.equal((await binta.get(list)).text.includes(at), true)
    await eventually('it is shown', async () =>
      /Pending approvals Watch 1 /.test((await binta.get('/dashboard/ops')).visible),
    )
    const done = await binta.post(`${at}/decide`, { verb: 'approve' }, { from: at })
    assert.deepEqual([done.status, done.location], [303, at])
    assert.match((await binta.get(at)).visible, /Approved and carried out.*Approved/)
    assert.equal(await availableOf(clientId), 5000)
    const again = await binta.post(`${at}/decide`, { verb: 'approve' }, { from: list + '/new' })
    assert.match(again.visible, /Already approved by/)
    assert.equal(await availableOf(clientId), 5000)
    assert.equal((await binta.get(list)).text.includes(at), false)
    assert.equal((await binta.get(`${list}?state=all`)).text.includes(at), true)
  })

  it('is proposed once by a form that is sent twice', async () => {
    const { clientId } = await gateway.newMerchant(0)
    const fields = fund(clientId, 3000)
    const query = new URLSearchParams({ ...fields, review: 'yes' }).toString()
    const token = tokenFor((await awa.get(`${list}/new?${query}`)).text, `${list}/new`)
    const sent = [0, 1].map(() => awa.post(`${list}/new`, fields, { token }))
    const locations = new Set((await Promise.all(sent)).map(({ location }) => location))
    locations.delete(null)
    assert.equal(locations.size, 1)
    const rows = await db`select from approvals where client_id = ${clientId}`
    assert.equal(rows.length, 1)
  })

  it('is refused with a reason, which a refusal needs', async () => {
    const { clientId } = await gateway.newMerchant(9000)
    const at = await send(awa, { ...fund(clientId, 2000), kind: 'withdraw' })
    const without = await binta.post(`${at}/decide`, { verb: 'refuse' }, { from: at })
    assert.deepEqual([without.status, /needs a reason/.test(without.visible)], [422, true])
    const refusal = { verb: 'refuse', reason: payload }
    assert.equal((await binta.post(`${at}/decide`, refusal, { from: at })).status, 303)
    const shown = await awa.get(at)
    assert.ok(!shown.text.includes('<script>__xss'))
    assert.match(shown.visible, /Refused .*Reason for refusal/)
    assert.equal(await availableOf(clientId), 9000)
  })

  it('comes back with a sentence for each field that is wrong', async () => {
    const wrong = { kind: 'adjust', client: 'nobody', amount: '1.5', account: 'x' }
    const query = new URLSearchParams({ ...wrong, review: 'yes' }).toString()
    const { visible, text } = await awa.get(`${list}/new?${query}`)
    for (const sentence of [/name of a merchant/, /whole amount/, /Choose an account/])
      assert.match(visible, sentence)
    assert.match(visible, /Enter a reference.*Enter a reason/)
    assert.match(text, /value="nobody"/)
    const poor = { ...fund(gateway.clientId, 9_000_000_000), kind: 'withdraw', review: 'yes' }
    const refused = await awa.get(`${list}/new?${new URLSearchParams(poor).toString()}`)
    assert.match(refused.visible, /Insufficient balance/)
    for (const review of ['kind=resolve&transaction=nobody&as=success&reason=x', 'kind=send_back'])
      assert.match(
        (await awa.get(`${list}/new?${review}&review=yes`)).visible,
        /id of a transaction/,
      )
  })

  it('is seen by an auditor, who decides nothing', async () => {
    const { clientId } = await gateway.newMerchant(0)
    const at = await send(awa, fund(clientId, 2000))
    const { visible, text } = await auditor.get(at)
    assert.match(visible, /Fund an account/)
    assert.ok(!text.includes(`${at}/decide`))
    const refused = await auditor.post(`${at}/decide`, { verb: 'approve' }, { from: list })
    assert.equal(refused.status, 403)
    assert.equal((await awa.get(`${list}/01a1e64a-d0e3-7848-849a-1a011969ef64`)).status, 404)
  })
})

describe('maintenance, in the dashboard', () => {
  const path = '/dashboard/ops/maintenance'

  it('closes payments with a notice and an end, and opens them again', async () => {
    const { secret } = await gateway.newMerchant()
    const caller = { url, secret }
    const running = await call(caller, 'POST /api/v1/transaction/init', initBody())
    const id = running.body.transaction.transactionId
    const link = await newLink(gateway)
    const owner = await signedInAs(gateway, 'owner')
    const until = '2030-01-01T03:00'
    const fields = { scope: 'WALLETA_SN', until, notice: `New disks ${payload}`, reason: 'disks' }
    const reviewOf = (typed: Record<string, string>) =>
      `${path}?${new URLSearchParams({ ...typed, review: 'yes' }).toString()}`
    const nothing = await awa.get(reviewOf({ ...fields, scope: '' }))
    assert.deepEqual([nothing.status, /Choose what to close/.test(nothing.visible)], [422, true])
    for (const scope of ['WALLETA_SN', 'payments']) {
      const typed = { ...fields, scope }
      const { visible } = await awa.get(reviewOf(typed))
      assert.match(visible, /Services closed \d+ .* are refused for all merchants, until somebody/)
      const closed = await awa.post(path, typed, { from: reviewOf(typed) })
      assert.equal(closed.location, path)
    }
    const shown = await awa.get(path)
    assert.ok(!shown.text.includes('<script>__xss'))
    assert.match(shown.visible, /All payments .*New disks .*Wallet A · SN/)

    const refused = await eventually('payments are refused', async () => {
      const answer = await call(caller, 'POST /api/v1/transaction/init', initBody())
      return answer.status === 403 && answer
    })
    assert.match(refused.text, /UNDER_MAINTENANCE/)
    assert.deepEqual(refused.body.message.slice(0, 1), [
      'The service WALLETA_SN_CASHOUT is under maintenance',
    ])
    assert.match(refused.body.message[1], /^New disks/)
    assert.equal(refused.body.message[2], 'It is planned until 2030-01-01T03:00:00Z')
    assert.ok(Number(refused.headers.get('retry-after')) > 1_000_000)
    // What is under way goes on.
    await untilEnded(caller, id)
    assert.equal((await call(caller, `GET /api/v1/transaction/${id}`)).status, 200)
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    const page = await (await fetch(`${url}/pay/process/${link}?lang=en`)).text()
    assert.match(page, /Payments are closed for maintenance/)
    assert.match(page, /New disks/)
    assert.ok(!page.includes('<script>__xss'))
    assert.match(
      (await owner.get('/dashboard')).visible,
      /Under maintenance: all payments · planned/,
    )

    for (const scope of ['WALLETA_SN', 'payments'])
      assert.equal((await awa.post(`${path}/end`, { scope }, { from: path })).location, path)
    assert.match((await awa.get(path)).visible, /Everything is open/)
    await eventually('payments are taken again', async () => {
      const answer = await call(caller, 'POST /api/v1/transaction/init', initBody())
      return answer.status === 201
    })
  })

  it('closes nothing that was not reviewed', async () => {
    const refused = await awa.post(path, { scope: 'payments' })
    assert.equal(refused.status, 409)
    assert.match(refused.visible, /Check before you close .*All payments/)
    assert.match((await awa.get(path)).visible, /Everything is open/)
  })

  const untilEnded = (caller: { url: string; secret: string }, id: string) =>
    until(caller, id, isEnd)

  it('tells what is wrong, and refuses those who may not', async () => {
    const over = await awa.post(path, { scope: 'SN', until: '2020-01-01T00:00', notice: 'kept' })
    assert.equal(over.status, 422)
    assert.match(over.visible, /must be in the future/)
    assert.match(over.text, /value="kept"/)
    for (const until of ['soon', '2030-02-30T10:00', '2030-01-01T25:00']) {
      const wrong = await awa.post(path, { scope: 'XX', until })
      assert.match(wrong.visible, /Enter a date and a time/)
    }
    assert.match((await awa.post(path, { scope: 'XX' })).visible, /no service XX/)
    assert.equal((await awa.post(`${path}/end`, { scope: 'SN' }, { from: path })).status, 422)
    assert.equal((await binta.post(path, { scope: 'SN' }, { from: list })).status, 403)
    assert.ok(!(await auditor.get(path)).text.includes('<select'))
  })
})

describe('in a browser', async () => {
  const browser = await testBrowser()

  slowTest('one person proposes, without scripts, and another approves, with them', async () => {
    const { clientId } = await gateway.newMerchant(0)
    let at = ''
    {
      await using opened = await openPage(browser, { javaScriptEnabled: false })
      const { page } = opened
      await signInWith(page, url, awa.email)
      await page.goto(`${url}${list}/new?kind=fund&client=${clientId}`)
      await page.fill('#amount', '25 000')
      await page.fill('#ref', 'virement 12')
      await page.click('main button')
      await page.click('main form[method=post] button')
      at = new URL(page.url()).pathname
      assert.match(await page.innerText('main'), /Proposed/)
    }
    await using opened = await openPage(browser)
    const { page } = opened
    await signInWith(page, url, binta.email)
    const screens = [list, `${list}/new?kind=adjust`, `${list}/new?kind=resolve`, at]
    await assertScreens(page, [...screens, '/dashboard/ops/maintenance'])
    await page.goto(`${url}${at}`)
    await page.click('button[value=approve]')
    await page.waitForSelector('text=Approved and carried out')
    assert.equal(await availableOf(clientId), 25_000)
  })
})

test('the money holds', () => assertMoney({ db }))
