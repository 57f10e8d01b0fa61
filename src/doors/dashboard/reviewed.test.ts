import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import { findClient } from '#merchants/clients/store.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { upsertMembership } from '#merchants/people/store.ts'
import { payoutFile, upload } from '#test/batches.ts'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import {
  addPerson,
  cookiesOf,
  postReviewed,
  type SignedIn,
  signedInAs,
  signedInOperator,
  signIn,
  tokenFor,
  tokenIn,
} from '#test/dashboard.ts'
import { newLink, paymentsOf } from '#test/links.ts'
import { balance, call, initBody, liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { guardedRoutes } from '#test/screenshots/routes.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '1000000' } })
const { db, url } = gateway
const [awa, binta] = [await signedInOperator(gateway), await signedInOperator(gateway)]
const propose = '/dashboard/ops/approvals/new'
const init = 'POST /api/v1/transaction/init'
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

interface Merchant {
  clientId: number
  secret: string
}

const nameOf = async (clientId: number) => (await findClient(db, clientId))?.name ?? ''
const callbackOf = async (clientId: number) => (await findClient(db, clientId))?.callbackUrl
const balanceOf = ({ secret }: Merchant) => balance({ url, secret })

/** A form of a review: all that it would send. */
function fieldsOf(text: string, path: string): Record<string, string> {
  const form = text.split('<form').find((one) => one.includes(`method="post" action="${path}"`))
  const inputs = (form ?? '').matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}

/** Types an order of an operator; what its review shows, and sends. */
async function reviewed(person: SignedIn, typed: Record<string, string>) {
  const query = new URLSearchParams({ ...typed, review: 'yes' }).toString()
  const { text, visible } = await person.get(`${propose}?${query}`)
  return { visible: plain(visible), fields: fieldsOf(text, propose) }
}

describe('each form', () => {
  const posts = guardedRoutes().filter(({ method }) => method === 'POST')

  it('shows what must still be so when it is sent, or nothing that could change', () => {
    const free = posts.filter(({ isReviewed }) => !isReviewed).map(({ path }) => path)
    const adds = [
      '/dashboard/batches',
      '/dashboard/links/new',
      '/dashboard/sub-merchants/new',
      '/dashboard/developers/keys/new',
      '/dashboard/team/invite',
      '/dashboard/ops/clients/new',
      '/dashboard/ops/alerts/acknowledge',
      '/dashboard/ops/alerts/test',
      '/dashboard/ops/clients/:id/keys/new',
      '/dashboard/ops/limits/blocks',
      '/dashboard/ops/recon/cases/:id/note',
      '/dashboard/ops/recon/import',
      '/dashboard/ops/users/invite',
    ]
    const repeats = [
      '/dashboard/developers/events/:id/replay',
      '/dashboard/developers/mails/:id/resend',
      '/dashboard/developers/webhooks/replay',
      '/dashboard/developers/webhooks/replay-range',
      '/dashboard/transactions/:id/requery',
      '/dashboard/transactions/:id/resend',
      '/dashboard/ops/mails/:id/link',
      '/dashboard/ops/mails/:id/resend',
      '/dashboard/ops/providers/:provider/requery',
      '/dashboard/ops/transactions/:id/requery',
      '/dashboard/ops/transactions/:id/resend',
      '/dashboard/ops/webhooks/:client/replay',
      '/dashboard/ops/webhooks/:client/replay-range',
    ]
    const takesBack = [
      '/dashboard/team/invitations/:id',
      '/dashboard/ops/recon/import/:id',
      '/dashboard/ops/users/invitations/:id',
    ]
    const isOwn = (path: string) => path.startsWith('/dashboard/account')
    const known = [...adds, ...repeats, ...takesBack, ...free.filter(isOwn)]
    assert.deepEqual(free.toSorted(), known.toSorted())
  })

  it('of one merchant does nothing while another one is shown', async () => {
    const [one, other] = [await gateway.newMerchant(), await gateway.newMerchant()]
    const { person, show } = await ofBoth(one, other)
    const token = tokenIn((await person.get('/dashboard')).text)
    await show(other)
    const before = await db`select * from clients where id = ${other.clientId}`
    const routes = posts.filter(({ path }) => !/^\/dashboard\/(ops|account)\//.test(`${path}/`))
    assert.ok(routes.length > 20, String(routes.length))
    for (const { path } of routes) {
      const at = path.replaceAll(/:\w+/g, newId(clock.now()))
      const { status, visible } = await person.post(at, { name: 'x' }, { token })
      assert.equal(status, 409, path)
      assert.match(visible, new RegExp(`belongs to ${await nameOf(one.clientId)}, and you are now`))
    }
    const audit = await db`select from audit_log where client_id = ${other.clientId}
      and actor = ${person.email}`
    assert.deepEqual(audit, [])
    assert.deepEqual(await db`select * from clients where id = ${other.clientId}`, before)
    // What is the person's own is nobody's form.
    const language = { language: 'en', back: '/dashboard' }
    assert.equal(
      (await person.post('/dashboard/account/language', language, { token })).status,
      303,
    )
  })

  it('of a payout for one merchant is not paid by another, and by the first one once', async () => {
    const [one, other] = [await gateway.newMerchant(), await gateway.newMerchant()]
    const { person, show } = await ofBoth(one, other)
    const typed = { kind: 'payout', service: 'WALLETA_SN_CASHIN', to: '771234567', amount: '5000' }
    const query = new URLSearchParams({ ...typed, step: 'review' }).toString()
    const review = await person.get(`/dashboard/pay?${query}`)
    assert.match(review.visible, new RegExp(`Paid by ${await nameOf(one.clientId)} `))
    const fields = fieldsOf(review.text, '/dashboard/pay')
    await show(other)
    assert.equal((await person.post('/dashboard/pay', fields, fields)).status, 409)
    assert.deepEqual([await balanceOf(one), await balanceOf(other)], [5_000_000, 5_000_000])
    await show(one)
    assert.equal((await person.post('/dashboard/pay', fields, fields)).status, 303)
    await eventually('it is paid', async () => (await balanceOf(one)) === 4_994_900)
    assert.equal(await balanceOf(other), 5_000_000)
  })
})

/** A person of two merchants, who sees the first; `show` is what the other window does. */
async function ofBoth(one: Merchant, other: Merchant) {
  const email = await addPerson(gateway, { ...one, role: 'owner' })
  const [row] = await db<{ id: string }>`select id from people where email = ${email}`
  const createdAt = clock.now()
  const { clientId } = other
  await db.transaction((tx) =>
    upsertMembership(tx, { personId: row?.id ?? '', clientId, role: 'owner', createdAt }),
  )
  const person = await signIn(url, email)
  const show = async (shown: Merchant) => {
    const sent = await person.post('/dashboard/clients', { client: String(shown.clientId) })
    assert.equal(sent.location, '/dashboard')
  }
  await show(one)
  return { person, show }
}

describe('a transaction that an operator names', () => {
  let count = 0

  /** A payment that no evidence ends. */
  async function stuck(merchant: Merchant, externalTransactionId: string): Promise<string> {
    count += 1
    const number = String(779_000_000 + count)
    await script(gateway, number, [])
    const answer = await call(
      { ...gateway, ...merchant },
      init,
      initBody({ number, externalTransactionId }),
    )
    assert.equal(answer.status, 201, answer.text)
    return answer.body.transaction.transactionId
  }

  it('by our id is that one, whatever others call theirs', async () => {
    // The attacker is the older client, which is found first.
    const attacker = { clientId: gateway.clientId, secret: gateway.secret }
    const victim = await gateway.newMerchant(0)
    const id = await stuck(victim, 'mine')
    const decoy = await stuck(attacker, id)
    const shown = await awa.get(`/dashboard/ops/transactions/${id}`)
    assert.match(shown.visible, new RegExp(`\\(${victim.clientId}\\)`))
    // Also beside more newer ones than a search shows, all of which begin so.
    await Promise.all(Array.from({ length: 50 }, (_, index) => stuck(attacker, `${id}-${index}`)))
    for (const text of [id, id.toUpperCase()]) {
      const found = await awa.get(`/dashboard/ops/transactions?q=${text}`)
      assert.deepEqual([found.text.includes(id), found.text.includes(decoy)], [true, false])
    }
    const typed = { kind: 'resolve', transaction: id, as: 'success', reason: 'seen' }
    const { visible, fields } = await reviewed(awa, typed)
    assert.match(visible, new RegExp(`Merchant ${await nameOf(victim.clientId)} `))
    const sent = await awa.post(propose, fields, fields)
    assert.equal(sent.status, 303, sent.visible)
    assert.deepEqual(await statuses([id, decoy]), ['SUCCESS', 'PENDING'])
  })

  it('shows the payer, the references and the moment, and leads back to it', async () => {
    const merchant = await gateway.newMerchant(0)
    const id = await stuck(merchant, `whose-${merchant.clientId}`)
    const typed = { kind: 'resolve', transaction: id, as: 'failed', reason: 'seen' }
    const { visible, fields } = await reviewed(awa, typed)
    const moment = String.raw`\d+ \w+ \d{4}, \d\d:\d\d:\d\d`
    const payer = String.raw`Payer’s number 77 9\d\d \d\d \d\d`
    assert.match(visible.replaceAll('\u00a0', ' '), new RegExp(`${id}.*${payer}.*${moment}`))
    const sent = await awa.post(propose, fields, fields)
    assert.equal(sent.location, `/dashboard/ops/transactions/${id}`)
  })

  it('by the id of a link is the payment of that link', async () => {
    const [attacker, victim] = [await gateway.newMerchant(0), await gateway.newMerchant(0)]
    const link = await newLink({ url, ...victim })
    await gateway.links.checkout.pay(link, {
      serviceCode: 'WALLETA_SN_CASHOUT',
      phone: '770000004',
    })
    const decoy = await stuck(attacker, link)
    const found = await awa.get(`/dashboard/ops/transactions?q=${link}`)
    const [payment] = await paymentsOf(db, link)
    assert.ok(found.text.includes(`/${payment?.id}`))
    assert.ok(!found.text.includes(decoy))
  })

  it('by an external id alone is refused with the choices, not with its merchant', async () => {
    const [one, other] = [await gateway.newMerchant(0), await gateway.newMerchant(0)]
    const ids = [await stuck(one, 'order-1042'), await stuck(other, 'order-1042')]
    const typed = { kind: 'resolve', transaction: 'order-1042', as: 'success', reason: 'seen' }
    const { visible, fields } = await reviewed(awa, typed)
    for (const part of [...ids, await nameOf(one.clientId), await nameOf(other.clientId)])
      assert.ok(visible.includes(part), part)
    assert.deepEqual(fields, {})
    const named = await reviewed(awa, { ...typed, client: await nameOf(other.clientId) })
    assert.deepEqual(
      [named.fields.transaction, named.fields.client],
      [ids[1], String(other.clientId)],
    )
    assert.equal((await awa.post(propose, named.fields, named.fields)).status, 303)
    assert.deepEqual(await statuses(ids), ['PENDING', 'SUCCESS'])
  })

  it('is asked about again when it has ended since the review', async () => {
    const merchant = await gateway.newMerchant(0)
    const id = await stuck(merchant, 'late')
    const typed = { kind: 'resolve', transaction: id, as: 'failed', reason: 'seen' }
    const { fields } = await reviewed(awa, typed)
    const other = await reviewed(binta, { ...typed, as: 'success' })
    assert.equal((await binta.post(propose, other.fields, other.fields)).status, 303)
    assert.equal((await awa.post(propose, fields, fields)).location, null)
    assert.deepEqual(await statuses([id]), ['SUCCESS'])
  })

  const statuses = async (ids: string[]) => {
    const rows = await db<{ id: string; status: string }>`
      select id, status from transactions where id = any(${ids}::uuid[])`
    return ids.map((id) => rows.find((row) => row.id === id)?.status)
  }
})

it('money goes to the merchant that was reviewed, whoever bears its name later', async () => {
  const [one, other] = [await gateway.newMerchant(0), await gateway.newMerchant(0)]
  const name = await nameOf(one.clientId)
  const typed = { kind: 'fund', client: name, amount: '50000', ref: 'bank 1' }
  const { fields } = await reviewed(awa, typed)
  assert.equal(fields.client, String(one.clientId))
  const rename = (id: number, to: string) =>
    changeClient({ db, clock }, { id, change: { name: to }, actor: 'test' })
  await rename(one.clientId, `${name} (old)`)
  await rename(other.clientId, name)
  const again = await awa.post(propose, fields, fields)
  assert.equal(again.status, 409)
  const told = `Merchant ${name} (${one.clientId}) ${name} (old) (${one.clientId})`
  assert.match(again.visible, /This has changed since you saw it/)
  assert.ok(plain(again.visible).includes(told), again.visible)
  assert.deepEqual([await balanceOf(one), await balanceOf(other)], [0, 0])
  const second = fieldsOf(again.text, propose)
  assert.equal((await awa.post(propose, second, second)).status, 303)
  assert.deepEqual([await balanceOf(one), await balanceOf(other)], [50_000, 0])
})

describe('a batch', () => {
  it('is charged the fee that was approved, and shows what the ledger has taken', async () => {
    const merchant = await gateway.newMerchant()
    const own = { ...gateway, ...merchant }
    const [clerk, owner] = [await signedInAs(own, 'finance'), await signedInAs(own, 'owner')]
    const lines = ['771234567', '770000001'].map((to) => `${to};5000;WALLETA_SN_CASHIN;Awa`)
    const { id } = await upload(gateway, merchant.clientId, payoutFile(lines))
    const at = `/dashboard/batches/${id}`
    assert.match(
      plain((await clerk.get(at)).visible),
      /Fees on top 200 F CFA Will be debited 10 200 F CFA/,
    )
    const proposed = await clerk.post(`${at}/prepare`, { verb: 'propose' }, { from: at })
    assert.equal(proposed.status, 303, proposed.visible)
    const change = { basisPoints: 2000 }
    const order = { ...merchant, serviceCode: 'WALLETA_SN_CASHIN', change, actor: 'test' }
    await db.transaction((tx) => changeTerms(tx, { clock }, order))
    const pay = '/dashboard/pay?kind=payout&service=WALLETA_SN_CASHIN&to=771234567&amount=5000'
    await eventually('the terms are known', async () =>
      /Fee 1 000 F CFA/.test(plain((await owner.get(`${pay}&step=review`)).visible)),
    )
    const sent = await owner.post(`${at}/decide`, { verb: 'approve' }, { from: at })
    assert.equal(sent.status, 303, sent.visible)
    await eventually('it is finished', async () =>
      (await owner.get(at)).visible.includes('Finished'),
    )
    // One of two has failed: it was released.
    assert.equal(await balanceOf(merchant), 5_000_000 - 5100)
    assert.match(
      plain((await owner.get(at)).visible),
      /Total with fees 10 200 F CFA Debited from your balance 5 100 F CFA/,
    )
  })

  it('is asked about again when somebody else has decided', async () => {
    const merchant = await gateway.newMerchant()
    const own = { ...gateway, ...merchant }
    const [one, other] = [await signedInAs(own, 'owner'), await signedInAs(own, 'owner')]
    const { clientId } = merchant
    const { id } = await upload(
      gateway,
      clientId,
      payoutFile(['771234567;500;WALLETA_SN_CASHIN;A']),
    )
    await gateway.batches.propose({ clientId, id, actor: 'clerk' })
    const at = `/dashboard/batches/${id}`
    const token = tokenFor((await one.get(at)).text, `${at}/decide`)
    const reason = { verb: 'refuse', reason: 'wrong month' }
    assert.equal((await other.post(`${at}/decide`, reason, { from: at })).status, 303)
    const late = await one.post(`${at}/decide`, { verb: 'approve' }, { token })
    assert.match(late.visible, /Nothing was done.* State To be approved Refused/)
    assert.equal(await balanceOf(merchant), 5_000_000)
  })
})

describe('settings', () => {
  it('that one operator saves keep what another has changed meanwhile', async () => {
    const { clientId } = await gateway.newMerchant()
    const at = `/dashboard/ops/clients/${clientId}/settings`
    const shown = async (person: SignedIn) => {
      const { text } = await person.get(at)
      return { ...typedIn(text, at), token: tokenFor(text, at) }
    }
    const [first, second] = [await shown(awa), await shown(binta)]
    const address = 'https://shop.example/new'
    const moved = await binta.post(at, { ...second, callbackUrl: address }, second)
    assert.equal(moved.status, 303, moved.visible)
    const renamed = await awa.post(at, { ...first, email: 'shop@shop.example' }, first)
    assert.equal(renamed.status, 303, renamed.visible)
    const client = await findClient(db, clientId)
    assert.deepEqual([client?.callbackUrl, client?.email], [address, 'shop@shop.example'])
    // Only what was changed is in the audit log.
    const [row] = await db<{ details: object }>`
      select details from audit_log where client_id = ${clientId} and action = 'client.change'
      order by id desc limit 1`
    const details: { email?: string } = row?.details ?? {}
    assert.equal(details.email, 'shop@shop.example')
    assert.ok(!('callbackUrl' in details))
  })

  it('that two change in the same field are shown to the second, who decides', async () => {
    const { clientId } = await gateway.newMerchant()
    const own = { ...gateway, clientId }
    const owner = await signedInAs(own, 'owner')
    const page = '/dashboard/developers/webhooks'
    const token = tokenFor((await owner.get(page)).text, `${page}/address`)
    const at = `/dashboard/ops/clients/${clientId}/settings`
    const { text } = await awa.get(at)
    const theirs = { ...typedIn(text, at), callbackUrl: 'https://ops.example/hook' }
    assert.equal((await awa.post(at, theirs, { token: tokenFor(text, at) })).status, 303)
    const mine = { address: 'https://shop.example/hook' }
    const asked = await owner.post(`${page}/address`, mine, { token })
    assert.equal(asked.status, 409)
    assert.match(asked.visible, /Default address – https:\/\/ops\S+ https:\/\/shop\S+ Do it anyway/)
    assert.equal(await callbackOf(clientId), 'https://ops.example/hook')
    const sent = fieldsOf(asked.text, `${page}/address`)
    assert.equal((await owner.post(`${page}/address`, sent, sent)).status, 303)
    assert.equal(await callbackOf(clientId), 'https://shop.example/hook')
  })

  it('are refused under the lock when they change after they were compared', async () => {
    const { clientId: id } = await gateway.newMerchant()
    const from = await findClient(db, id)
    assert.ok(from)
    const save = (change: object) =>
      changeClient({ db, clock }, { id, change, from, actor: 'test' })
    await save({ callbackUrl: 'https://one.example/hook' })
    await assert.rejects(
      save({ callbackUrl: 'https://two.example/hook' }),
      /changed it in the meantime/,
    )
    await save({ callbackUrl: from.callbackUrl, language: 'en' })
    assert.equal(await callbackOf(id), 'https://one.example/hook')
    const serviceCode = 'WALLETA_SN_CASHIN'
    const [terms] = await termsOf(id)
    assert.ok(terms)
    const order = { clientId: id, serviceCode, from: terms, actor: 'test' }
    const fee = (basisPoints: number) =>
      db.transaction((tx) => changeTerms(tx, { clock }, { ...order, change: { basisPoints } }))
    await fee(300)
    await assert.rejects(fee(400), /changed it in the meantime/)
  })

  it('of fees, limits, shops and roles are asked about again', async () => {
    const merchant = await gateway.newMerchant()
    const { clientId } = merchant
    const owner = await signedInAs({ ...gateway, ...merchant }, 'owner')
    const email = await addPerson(gateway, { clientId, role: 'viewer' })
    const [row] = await db<{ id: string }>`select id from people where email = ${email}`
    const service = `/dashboard/ops/clients/${clientId}/services/WALLETA_SN_CASHIN`
    const fee = { what: 'fee', fixed: '0', min: '0', max: '' }
    const limit = { client: String(clientId), scope: 'REFUND', countMax: '', attemptsMax: '' }
    const set = await postReviewed(awa, '/dashboard/ops/limits', { ...limit, amountMax: '1000' })
    assert.equal(set.status, 303, set.visible)
    const member = `/dashboard/team/${row?.id}`
    const cases: [SignedIn, string, object, object, RegExp, string?][] = [
      [
        awa,
        service,
        { ...fee, basisPoints: '300' },
        { ...fee, basisPoints: '400' },
        / 200 300 400 /,
      ],
      [owner, member, { role: 'finance' }, { role: 'support' }, / Role viewer finance /],
      [
        awa,
        '/dashboard/ops/limits/remove',
        { ...limit, amountMax: '2000' },
        { client: limit.client, scope: limit.scope },
        / 1 000 F CFA 2 000 F CFA /,
        '/dashboard/ops/limits',
      ],
    ]
    for (const [person, path, first, second, sentence, page = path] of cases) {
      const mine = second as Record<string, string>
      const token = tokenFor((await person.get(page)).text, path, mine)
      const done = await postReviewed(person, page, first as Record<string, string>)
      assert.equal(done.status, 303, done.visible)
      const asked = await person.post(path, mine, { token })
      assert.equal(asked.status, 409, `${path} ${asked.visible}`)
      assert.match(plain(asked.visible), sentence)
      assert.match(asked.visible, /Nothing was done/)
    }
  })

  const termsOf = (id: number) =>
    db<Parameters<typeof changeTerms>[2]['from'] & object>`
      select service_code as "serviceCode", is_enabled as "isEnabled", fee_fixed as fixed,
        fee_basis_points as "basisPoints", fee_min as min, fee_max as max,
        amount_min as "amountMin", amount_max as "amountMax"
      from client_services where client_id = ${id} and service_code = 'WALLETA_SN_CASHIN'`
})

it('is asked again on a page that anybody can use, in a browser', async () => {
  const [one, other] = [await gateway.newMerchant(), await gateway.newMerchant()]
  const { person } = await ofBoth(one, other)
  await using opened = await openPage(await testBrowser(), {
    viewport: { width: 360, height: 700 },
  })
  const { page } = opened
  await page.context().addCookies(cookiesOf(person, url))
  await page.goto(`${url}/dashboard/settings`)
  const order = { id: one.clientId, change: { email: 'ops@shop.example' }, actor: 'test' }
  await changeClient({ db, clock }, order)
  await page.fill('#email', 'me@shop.example')
  await page.click('main form.card button')
  await page.waitForSelector('main .notice.bad')
  assert.deepEqual(await accessibilityViolations(page), [])
  assert.match(await page.innerText('main'), /ops@shop\.example[^]*me@shop\.example/)
  await page.click('main form button')
  await page.waitForSelector('main .notice.good')
  assert.equal((await findClient(db, one.clientId))?.email, 'me@shop.example')
  // Another window shows the other merchant now.
  await person.post('/dashboard/clients', { client: String(other.clientId) })
  await page.fill('#email', 'wrong@shop.example')
  await page.click('main form.card button')
  await page.waitForSelector('main button[name=client]')
  assert.deepEqual(await accessibilityViolations(page), [])
  assert.equal((await findClient(db, other.clientId))?.email, null)
})

/** What the fields of a form begin with. */
function typedIn(text: string, path: string): Record<string, string> {
  const form = text.split('<form').find((one) => one.includes(`action="${path}"`)) ?? ''
  const inputs = form.matchAll(/<input id="([^"]+)"[^>]* value="([^"]*)"/g)
  const selects = form.matchAll(/<select id="([^"]+)".*?<option value="([^"]*)" selected/gs)
  return Object.fromEntries(
    [...inputs, ...selects].map(([, name = '', value = '']) => [name, value]),
  )
}

// Without the lab's books: payments were said to have succeeded that the lab knows nothing of.
test('the money holds', () => assertMoney({ db }))
