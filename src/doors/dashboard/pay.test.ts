import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { readKeys } from '#merchants/clients/key-store.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { blockNumber } from '#money/limits/change.ts'
import { pauseProvider, resumeProvider } from '#money/providers/pauses.ts'
import { listedBill, openBiller } from '#test/bills.ts'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import { type SignedIn, signedInAs, signInWith, testPassword, tokenIn } from '#test/dashboard.ts'
import { balance, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { statement } from '#test/statement.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

// A biller of this test's own for electricity; the others are the lab's.
const biller = await openBiller(() => [200, [listedBill()]])
const gateway = await liveGateway({
  pace: 20,
  bind: (one) => (one.provider === 'ELEC' ? { ...one, baseUrl: biller.url } : one),
})
const { db, url, clientId } = gateway
const owner = await signedInAs(gateway, 'owner')
const path = '/dashboard/pay'

type Fields = Record<string, string>
const payout = { kind: 'payout', service: 'WALLETA_SN_CASHIN', to: '77 123 45 67', amount: '5 000' }
const meter = { kind: 'meter', service: 'PREPAID_SN_BILL', to: '200000001', amount: '5000' }
const water = { kind: 'bill', service: 'WATER_SN_BILL', to: '100000001' }

const review = (fields: Fields, person: SignedIn = owner) =>
  person.get(`${path}?${new URLSearchParams({ ...fields, step: 'review' }).toString()}`)

/** The hidden fields of the review, as a browser sends them. */
function hiddenIn(text: string): Fields {
  const form = text.slice(text.indexOf(`method="post" action="${path}"`))
  const inputs = form.slice(0, form.indexOf('</form>')).matchAll(/name="([\w-]+)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}

async function reviewed(fields: Fields, person: SignedIn = owner): Promise<Fields> {
  const { status, visible, text } = await review(fields, person)
  assert.equal(status, 200, visible)
  return hiddenIn(text)
}

const send = (fields: Fields, person: SignedIn = owner) =>
  person.post(path, fields, { token: fields.token ?? '' })

/** Reviews and pays; returns the id of the transaction. */
async function paid(fields: Fields, person: SignedIn = owner): Promise<string> {
  const { status, location, visible } = await send(await reviewed(fields, person), person)
  assert.equal(status, 303, visible)
  assert.match(location ?? '', /^\/dashboard\/transactions\/[\w-]{36}$/)
  return location?.split('/').at(-1) ?? ''
}

const rowOf = async (id: string) => {
  const one = await gateway.transactions.findById({ clientId, id })
  assert.ok(one !== undefined)
  return one
}
const ended = (id: string) =>
  eventually('it ends', async () => {
    const { completedAt, status } = await rowOf(id)
    return completedAt !== null && status
  })
const countAll = async () => {
  const [row] = await db<{ count: number }>`
    select count(*) as count from transactions where client_id = ${clientId}`
  return row?.count
}

describe('a payout by hand', () => {
  it('is reviewed with number, wallet, fee and balance after, then paid so', async () => {
    const before = await balance(gateway)
    const { visible } = await review(payout)
    const left = (before - 5100).toLocaleString('fr-FR').replaceAll(/\s/g, ' ')
    const seen = `Wallet A · SN Recipient’s number 77 123 45 67 Amount 5 000 F CFA Fee 100 F CFA `
    assert.ok(visible.includes(seen), visible)
    assert.ok(visible.includes(`Available balance after ${left} F CFA`), visible)
    const id = await paid(payout)
    const one = await rowOf(id)
    const keys = await readKeys(db, clientId)
    assert.equal(one.keyId, keys.find(({ isDashboard }) => isDashboard)?.id)
    assert.match(one.externalId ?? '', /^dash-[\w-]{16}$/)
    assert.deepEqual(
      [one.operation, one.serviceCode, one.phone, one.amount, one.fee],
      ['CASHIN', 'WALLETA_SN_CASHIN', '771234567', 5000, 100],
    )
    assert.equal(await ended(id), 'SUCCESS')
    assert.equal(await balance(gateway), before - 5100)
  })

  it('takes numbers as people write them, in the country of the wallet', async () => {
    for (const to of ['+221 77 123 45 67', '771234567', '00221771234567', '77.123.45.67'])
      assert.equal((await reviewed({ ...payout, to })).to, '771234567', to)
    const abidjan = { ...payout, service: 'WALLETA_CI_CASHIN', to: '07 01 02 03 04' }
    assert.equal((await reviewed(abidjan)).to, '701020304')
    assert.match((await review(abidjan)).visible, /07 01 02 03 04/)
  })

  it('shows a name that the merchant’s own files have for the number', async () => {
    const file = 'numero;service;montant;nom\n776543210;WALLETA_SN_CASHIN;1500;Awa <b>Ndiaye'
    const source = (async function* () {
      yield Buffer.from(file)
    })()
    const order = { clientId, actor: 'test', fileName: 'a.csv', file: source }
    await gateway.batches.upload(order)
    const { visible, text } = await review({ ...payout, to: '776543210' })
    assert.match(visible, /Name \(in your files\) Awa &lt;b&gt;Ndiaye/)
    assert.doesNotMatch(text, /<b>Ndiaye/)
  })

  it('warns of the same payment made before', async () => {
    const fields = { ...payout, to: '771230000', amount: '4321' }
    assert.doesNotMatch((await review(fields)).visible, /paid the same amount/)
    const id = await paid(fields)
    const { text, visible } = await review(fields)
    assert.match(visible, /You have paid the same amount to this number before/)
    assert.ok(text.includes(`href="/dashboard/transactions/${id}"`))
  })

  it('that fails, or whose outcome is unknown, says so on its page', async () => {
    const failing = await paid({ ...payout, to: '770000001' })
    assert.equal(await ended(failing), 'FAILED')
    const { visible } = await owner.get(`/dashboard/transactions/${failing}`)
    assert.match(visible, /Reason for failure/)
    const lost = await paid({ ...payout, to: '770000004', amount: '777' })
    await db`update transactions set attempt_state = 'unknown' where id = ${lost}`
    const page = await owner.get(`/dashboard/transactions/${lost}`)
    assert.match(page.visible, /You do not need to do anything\. Do not pay again/)
    await db`update transactions set attempt_state = 'taken' where id = ${lost}`
  })
})

describe('airtime, bills and meters by hand', () => {
  it('recharge a phone for one percent', async () => {
    const fields = { kind: 'airtime', service: 'OPERATOR1_SN_AIRTIME', to: '771234567' }
    const id = await paid({ ...fields, amount: '1000' })
    const { operation, amount, fee } = await rowOf(id)
    assert.deepEqual([operation, amount, fee], ['AIRTIME', 1000, 10])
  })

  it('pay a bill after an inquiry: customer, what is due, and the other bills', async () => {
    const { visible, text } = await review({ ...water, to: '100 000 002' })
    assert.match(visible, /Customer number 100000002 Customer \w+/)
    assert.match(visible, /Bill reference W\d+ Due on \d+ \w+ \d{4} Amount [\d ]+ F CFA/)
    const others = [...text.matchAll(/href="([^"]*bill=W\d+[^"]*)"/g)].map(([, one = '']) =>
      one.replaceAll('&amp;', '&'),
    )
    assert.equal(others.length, 2)
    const second = await owner.get(others[0] ?? '')
    const chosen = hiddenIn(second.text)
    assert.ok(others[0]?.includes(`bill=${chosen.bill}`))
    const { location } = await send(chosen)
    const one = await rowOf(location?.split('/').at(-1) ?? '')
    assert.deepEqual(
      [one.operation, one.billReference, String(one.amount), one.status],
      ['BILL', chosen.bill, chosen.amount, 'SUCCESS'],
    )
  })

  it('top a meter up, and show the codes large, to copy and to send', async () => {
    const fields = { ...meter, to: '200000007' }
    const { visible } = await review(fields)
    assert.match(visible, /Meter number 200000007 Customer [\w ]+ Address .* Meter status/)
    const id = await paid(fields)
    const page = `/dashboard/transactions/${id}`
    const { text } = await owner.get(page)
    const codes = [...text.matchAll(/class="token">([\d-]+)</g)].map(([, one]) => one)
    assert.equal(codes.length, 3)
    const [, sms = ''] = /href="(sms:[^"]*)"/.exec(text) ?? []
    for (const code of codes) assert.ok(decodeURIComponent(sms).includes(String(code)))
    assert.ok(text.includes(`data-copy="${codes.join(' ')}"`))
    const viewer = await signedInAs(gateway, 'viewer')
    assert.doesNotMatch((await viewer.get(page)).text, /class="token"/)
  })

  it('refuse a bill whose amount has changed since the review, and show it anew', async () => {
    const electricity = { kind: 'bill', service: 'ELEC_SN_BILL', to: '42' }
    const seen = await reviewed(electricity)
    assert.equal(seen.amount, '7500')
    biller.answer = () => [200, [listedBill({ amountDue: '9500' })]]
    const before = await countAll()
    const { status, visible } = await send(seen)
    assert.equal(status, 422)
    assert.match(visible, /The price has changed since you checked\. Nothing was paid/)
    assert.match(visible, /9 500 F CFA/)
    assert.equal(await countAll(), before)
  })

  it('escape what a biller says of its customer', async () => {
    for (const payload of xssPayloads.slice(0, 6)) {
      const customData = [{ key: 'customerLastName', value: payload }]
      biller.answer = () => [200, [listedBill({ customData })]]
      const { text } = await review({ kind: 'bill', service: 'ELEC_SN_BILL', to: '42' })
      assert.doesNotMatch(text.slice(text.indexOf('<main')), /<script|<img/i)
    }
    biller.answer = () => [200, [listedBill()]]
  })
})

describe('a form that is sent twice', () => {
  it('pays once: at once, again, and when the process had died in between', async () => {
    const fields = await reviewed({ ...payout, to: '771239999', amount: '6000' })
    const before = await countAll()
    const answers = await Promise.all([send(fields), send(fields), send(fields)])
    const places = new Set(answers.flatMap(({ location }) => location ?? []))
    assert.equal(places.size, 1)
    assert.ok(answers.every(({ status }) => status === 303 || status === 409))
    assert.equal((await send(fields)).location, [...places][0])
    // Nobody noted that the form was done, and by now the provider takes no orders.
    await db`delete from form_submissions`
    const pause = { provider: 'WALLETA', country: 'SN', actor: 'test' }
    await pauseProvider({ db, clock }, { ...pause, reason: 'test' })
    await eventually('it is paused', () => gateway.pauses.isPaused('WALLETA_SN'))
    assert.equal((await send(fields)).location, [...places][0])
    assert.equal(await countAll(), Number(before) + 1)
    const down = await review(payout)
    assert.equal(down.status, 422)
    assert.match(down.visible, /is not responding right now\. Nothing was paid/)
    await resumeProvider({ db, clock }, pause)
    await eventually('it goes on', () => !gateway.pauses.isPaused('WALLETA_SN'))
  })

  it('pays once after an error of ours, by the same form', async () => {
    const asOwner = gateway.connect({ asOwner: true })
    const fields = await reviewed({ ...payout, to: '771238888', amount: '6100' })
    const before = await countAll()
    await asOwner(statement('alter table external_ids rename to gone'))
    const { status, visible, text } = await send(fields)
    await asOwner(statement('alter table gone rename to external_ids'))
    assert.equal(status, 500)
    assert.match(
      visible,
      /We do not know whether this payment was sent .*Do not pay again: press here/,
    )
    const again = hiddenIn(text)
    assert.deepEqual(again, fields)
    assert.equal((await send(again)).status, 303)
    assert.equal((await send(again)).status, 303)
    assert.equal(await countAll(), Number(before) + 1)
  })
})

describe('what cannot be paid comes back filled in, with a sentence for its field', () => {
  // fields, the sentence, the field it belongs to
  const wrong: [Fields, RegExp, string][] = [
    [{ ...payout, to: '' }, /Recipient’s number: please fill in/, 'to'],
    [{ ...payout, to: '12' }, /12 is not a phone number/, 'to'],
    [{ ...payout, to: '+33612345678' }, /not a number in this country \(SN\)/, 'to'],
    [{ ...payout, amount: '199' }, /a whole number from 200 F CFA to 1 000 000 F CFA/, 'amount'],
    [{ ...payout, amount: '1000001' }, /a whole number from 200 F CFA/, 'amount'],
    [{ ...payout, amount: '10.5' }, /a whole number from 200 F CFA/, 'amount'],
    [{ ...payout, service: 'WALLETA_SN_CASHOUT' }, /Wallet: choose one/, 'service'],
    [{ ...payout, service: '<script>' }, /Wallet: choose one/, 'service'],
    [{ ...meter, to: '999999999' }, /Unknown number/, 'to'],
    [{ ...meter, to: 'a/b' }, /1 to 64 letters and digits/, 'to'],
    [{ ...water, to: '100000003' }, /There is nothing left to pay for this number/, 'to'],
    [{ ...water, bill: 'W0' }, /This bill is no longer due/, 'to'],
  ]
  for (const [fields, sentence, field] of wrong)
    it(`${sentence.source} (${JSON.stringify(fields)})`, async () => {
      const { status, visible, text } = await review(fields)
      assert.equal(status, 422, visible)
      assert.match(visible, sentence)
      assert.match(text, new RegExp(`id="${field}-problem"`))
      if (fields.to !== '') assert.ok(text.includes(`value="${fields.to}"`), text)
    })

  it('a balance that does not suffice, before the review and after it', async () => {
    const poor = await gateway.newMerchant(10_000)
    const person = await signedInAs({ ...gateway, ...poor }, 'finance')
    const large = await review({ ...payout, amount: '10000' }, person)
    assert.equal(large.status, 422)
    assert.match(large.visible, /you need 10 200 F CFA with the fee, and have 10 000 F CFA/)
    const [one, other] = [
      await reviewed({ ...payout, amount: '9000' }, person),
      await reviewed({ ...meter, amount: '9000' }, person),
    ]
    assert.equal((await send(one, person)).status, 303)
    const second = await send(other, person)
    assert.equal(second.status, 422)
    assert.match(second.visible, /Your balance is too low/)
    assert.match(second.text, /value="200000001"/)
  })

  it('a number that is blocked', async () => {
    const fields = await reviewed({ ...payout, to: '771235555' })
    const order = { number: '+221771235555', reason: 'fraud', expiresAt: null, actor: 'test' }
    await db.transaction((tx) => blockNumber(tx, { ...order, now: clock.now() }))
    const { rules } = gateway.transactions.context.limits
    await eventually('it is known', async () => (await rules()).blocked.size > 0)
    const { status, visible, text } = await send(fields)
    assert.equal(status, 422, visible)
    assert.match(visible, /Nothing was paid/)
    assert.match(text, /id="to-problem"/)
  })

  it('a price of the contract that has changed since the review', async () => {
    const other = await gateway.newMerchant()
    const person = await signedInAs({ ...gateway, ...other }, 'owner')
    const fields = await reviewed(payout, person)
    const change = { change: { basisPoints: 300 }, actor: 'test' }
    const order = { clientId: other.clientId, serviceCode: 'WALLETA_SN_CASHIN', ...change }
    await db.transaction((tx) => changeTerms(tx, { clock }, order))
    await eventually('the contract is read again', async () =>
      /Fee 150 F CFA/.test((await review(payout, person)).visible),
    )
    const again = await send(fields, person)
    assert.equal(again.status, 409)
    assert.match(again.visible, /This has changed since .* Fee 100 F CFA 150 F CFA .*Fee 150 F CFA/)
    const [row] = await db<{ count: number }>`
      select count(*) as count from transactions where client_id = ${other.clientId}`
    assert.equal(row?.count, 0)
  })

  it('services that are not enabled: they are not offered, and what to do is said', async () => {
    const other = await gateway.newMerchant()
    const person = await signedInAs({ ...gateway, ...other }, 'owner', 'fr')
    const only = async (serviceCode: string, isEnabled: boolean) =>
      db.transaction((tx) =>
        changeTerms(
          tx,
          { clock },
          {
            clientId: other.clientId,
            serviceCode,
            change: { isEnabled },
            actor: 'test',
          },
        ),
      )
    await only('all', false)
    const none = await eventually('the contract is read again', async () => {
      const { visible } = await person.get(path)
      return /Aucun service de paiement/.test(visible) && visible
    })
    assert.match(none, /Demandez à votre interlocuteur/)
    await only('WATER_SN_BILL', true)
    const one = await eventually('one is offered', async () => {
      const { visible } = await person.get(path)
      return /Numéro de client/.test(visible) && visible
    })
    assert.doesNotMatch(one, /Versement|Compteur prépayé/)
    assert.match((await person.get(`${path}?kind=payout`)).visible, /n’est pas activé/)
    const forced = await review(payout, person)
    assert.equal(forced.status, 200)
    assert.match(forced.visible, /n’est pas activé/)
  })
})

describe('who may pay by hand', () => {
  for (const role of ['developer', 'support', 'viewer'] as const)
    it(`not ${role}`, async () => {
      const person = await signedInAs(gateway, role)
      assert.equal((await person.get(path)).status, 403)
      const { text } = await person.get('/dashboard')
      assert.doesNotMatch(text, /href="\/dashboard\/pay"/)
      const before = await countAll()
      const fields = await reviewed(payout)
      const { status } = await send({ ...fields, token: tokenIn(text) }, person)
      assert.equal(status, 403)
      assert.equal(await countAll(), before)
    })

  it('admin and finance, who are asked for the password again after 15 minutes', async () => {
    const finance = await signedInAs(gateway, 'finance')
    await paid({ ...payout, to: '771237777' }, finance)
    const fields = await reviewed({ ...payout, to: '771236666' }, finance)
    await db`update sessions set confirmed_at = now() - interval '16 minutes'`
    const asked = await send(fields, finance)
    assert.equal(asked.status, 403)
    assert.match(asked.visible, /enter your password/)
    const before = await countAll()
    const wrong = await send({ ...fields, 'confirm-password': 'wrong' }, finance)
    assert.equal(wrong.status, 422)
    assert.equal(await countAll(), before)
    const right = await send({ ...fields, 'confirm-password': testPassword }, finance)
    assert.equal(right.status, 303)
    const admin = await signedInAs(gateway, 'admin')
    assert.equal((await review(payout, admin)).status, 200)
    const audit = await finance.get('/dashboard/audit')
    assert.equal(audit.status, 403)
  })
})

describe('paying in a browser', async () => {
  const browser = await testBrowser()
  for (const javaScriptEnabled of sized([true], [true, false]))
    test(`works ${javaScriptEnabled ? 'with' : 'without'} JavaScript, on a phone`, async () => {
      await using opened = await openPage(browser, { javaScriptEnabled })
      const { page, complaints } = opened
      await signInWith(page, url, owner.email)
      const check = async (name: string) => {
        if (javaScriptEnabled) assert.deepEqual(await accessibilityViolations(page), [], name)
      }
      await page.goto(`${url}${path}?kind=meter`)
      await check('form')
      await page.fill('#to', '999999999')
      await page.fill('#amount', '3000')
      await page.click('main form button')
      await page.waitForSelector('#to-problem')
      await check('form with a problem')
      await page.fill('#to', '200000001')
      await page.click('main form button')
      await page.waitForSelector('form[method=post] .facts')
      await check('review')
      await page.click('main form[method=post] button')
      await page.waitForURL(/\/dashboard\/transactions\/[\w-]{36}$/)
      await page.waitForSelector('.token')
      await check('transaction with a code')
      assert.deepEqual(complaints, [])
    })
})

test('leaves ledger, transactions, bills and lab consistent', () => assertMoney(gateway))
