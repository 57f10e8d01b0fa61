import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { after, systemClock } from '#base/kit/clock.ts'
import { breaksLine } from '#base/kit/one-line.ts'
import { openLog } from '#base/log/log.ts'
import { settle } from '#money/ledger/settlement.ts'
import { openRetention } from '#operations/retention/open.ts'
import { upload } from '#test/batches.ts'
import { pay, topUpBody } from '#test/bills.ts'
import { type SignedIn, signedInAs, signedInOperator, tokenIn } from '#test/dashboard.ts'
import {
  type BodySchema,
  formsIn,
  freeFields,
  hostileAddresses,
  hostileTexts,
  unstorableTexts,
} from '#test/hostile-texts.ts'
import { getLink, linkBody } from '#test/links.ts'
import { type Answer, call, collected, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { findAddresses } from '#test/screenshots/crawl.ts'
import { screenRoutes } from '#test/screenshots/routes.ts'
import { sized } from '#test/size.ts'
import { chunksOf, csvOf, lineOf } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'
import { verifyAll } from './verify.ts'

/*
 * Whatever text a merchant has stored, everything that reads it afterwards comes to its end. The
 * fields are taken from the description of the interface and from the forms of the pages, so that a
 * new one is among them.
 */

const gateway = await liveGateway({ pace: 1000 })
const { db, clientId } = gateway
const { paths, components } = (await call(gateway, 'GET /openapi.json')).body as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, BodySchema> }
}
const owner = await signedInAs(gateway, 'owner')
const operator = await signedInOperator(gateway)

interface Operation {
  requestBody?: { content: { 'application/json': { schema: BodySchema } } }
}

const original = await collected(gateway, { amount: 1_000_000 })
const shop = { name: 'Dakar', commercialName: 'Awa', countries: ['SN'] }
const createdShop = await call(gateway, 'POST /api/v1/sub-merchant', shop)

/** What each operation takes, as it is accepted. */
const accepted: Record<string, () => [path: string, body: object]> = {
  'POST /api/v1/transaction/init': () => ['', initBody()],
  'POST /api/v1/transaction/refund/{transactionId}': () => [
    `/api/v1/transaction/refund/${original}`,
    { amount: 200 },
  ],
  'POST /api/v1/transaction/merchant/get-link': () => ['', linkBody()],
  'POST /api/v1/billing/pay': () => ['', topUpBody({ amount: 500 })],
  'POST /api/v1/sub-merchant': () => ['', { ...shop, name: `shop ${(shops += 1)}` }],
  'PATCH /api/v1/sub-merchant/{subMerchantId}': () => [
    `/api/v1/sub-merchant/${createdShop.body.data.subMerchantId}`,
    {},
  ],
}
let shops = 0

// What these take is looked for, and not stored.
const looksUp = new Set([
  'POST /api/v1/billing/inquiry',
  'POST /api/v1/transaction/confirm/walletd',
])
// Ids that must be known already.
const knownIds = new Set(['sub_merchant_id', 'reference_facture'])

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json'].schema
    const name = `${method.toUpperCase()} ${path}`
    return schema === undefined || looksUp.has(name)
      ? []
      : [{ name, free: freeFields(schema, components.schemas) }]
  }),
)

function send(name: string, field: string, text: string): Promise<Answer> {
  const [path, body] = accepted[name]?.() ?? assert.fail(`${name} is new: how is it accepted?`)
  const target = path === '' ? name : `${name.split(' ')[0]} ${path}`
  return call(gateway, target, { ...body, [field]: text })
}

describe('a hostile text', () => {
  before(async () => {
    for (const ref of hostileTexts) {
      const order = { clientId, amount: 1, ref, now: systemClock.now(), actor: ref }
      await db.transaction((tx) => settle(tx, order))
    }
    await payLinks()
    await uploadBatch()
  })

  for (const { name, free } of operations)
    for (const field of free)
      it(`is stored or refused as ${field} of ${name}`, async () => {
        const texts = [...hostileTexts, ...hostileAddresses]
        const statuses = await inTurns(texts, async (text) => {
          const { status, text: answer } = await send(name, field, text)
          assert.ok(status < 500, `${text}: ${answer}`)
          return status
        })
        // An external id that another record has was stored with that one.
        const stored = statuses.filter((status) => status < 300 || status === 409).length
        if (!knownIds.has(field)) assert.ok(stored > 0, 'none was accepted')
        for (const text of unstorableTexts)
          assert.equal((await send(name, field, text)).status, 400)
      })

  it('is stored or refused in each field of each form', async () => {
    const routes = screenRoutes().filter(
      (route) => !/^\/dashboard\/(?:sign-in|forg|join|res)/.test(route),
    )
    const isOps = (route: string) => route.startsWith('/dashboard/ops')
    const own = await fillForms(
      owner,
      '/dashboard',
      routes.filter((route) => !isOps(route)),
    )
    const operators = await fillForms(operator, '/dashboard/ops', routes.filter(isOps))
    const stored = [...own, ...operators].flatMap(([field, isStored]) => (isStored ? [field] : []))
    for (const field of [
      '/dashboard/account name',
      '/dashboard/links/new item',
      '/dashboard/links/new reference',
      '/dashboard/settings name',
      '/dashboard/developers/keys/new label',
      '/dashboard/sub-merchants/new description',
      '/dashboard/ops/limits/blocks reason',
      '/dashboard/ops/providers/WALLETA_SN/pause reason',
    ])
      assert.ok(stored.includes(field), `${field} is not among ${stored.join(', ')}`)
  })
})

describe('after hostile texts', () => {
  before(() =>
    eventually('what can end has ended', async () => {
      const open = await db`
        select from transactions
        where completed_at is null and operation in ('BILL', 'REFUND', 'CASHIN')`
      return open.length === 0
    }),
  )

  it('verify comes to its end, and everything holds', async () => {
    await assertMoney(gateway)
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
  })

  it('every page is shown, and every file sent', async () => {
    for (const [person, start] of [
      [owner, '/dashboard'],
      [operator, '/dashboard/ops'],
    ] as const) {
      const routes = screenRoutes().filter((route) => route.startsWith(start))
      const addresses = await findAddresses(person, [start], routes)
      assert.ok(addresses.size > 15, `${addresses.size} pages`)
      for (const address of addresses.values())
        assert.equal((await person.get(address)).status, 200)
    }
    for (const form of ['csv', 'xlsx', 'pdf'])
      for (const file of [`transactions/export.${form}?`, `statements/file?form=${form}&`]) {
        if (file.startsWith('transactions/export.pdf')) continue
        const { status, text } = await owner.get(`/dashboard/${file}${aroundToday}`)
        assert.equal(status, 200, file)
        if (form === 'csv') assert.ok(text.trimEnd().split('\r\n').length > 20, file)
      }
  })

  it('every list and the feed are read to their end, with what was sent', async () => {
    for (const path of ['transaction', 'transaction/merchant', 'sub-merchant']) {
      const all = await call(gateway, `GET /api/v1/${path}`)
      assert.equal(all.status, 200, all.text)
    }
    const told = new Set<string>()
    for (let after = '0'; ; ) {
      const { status, body, text } = await call(gateway, `GET /api/v1/events?after=${after}`)
      assert.equal(status, 200, text)
      for (const { event } of body.events) told.add(event.CUSTOM_DATA)
      if (body.events.length === 0) break
      after = body.next
    }
    for (const text of hostileTexts) assert.ok(told.has(text), `no event has ${text}`)
  })

  it('a statement that has them is imported and compared', async () => {
    const rows = await db<{ id: string }>`
      select id from transactions where client_id = ${clientId} and service_code like 'PREPAID%'
        and status = 'SUCCESS' limit 3`
    const own = await Promise.all(rows.map(({ id }) => lineOf(db, id)))
    // References of other shapes are refused, and the file with them.
    const texts = hostileTexts
      .filter((text) => text.length <= 200 && !breaksLine(text))
      .map((text) => `"${text.replaceAll('"', '""')}"`)
    const [line] = own
    assert.ok(line !== undefined)
    const lines = texts.flatMap((text, index) => [
      { ...line, reference: `R-${index}`, our_reference: text },
      { ...line, reference: text, our_reference: '' },
      { ...line, reference: `N-${index}`, our_reference: '', number: text },
    ])
    const [now, hourMs] = [systemClock.now(), 3_600_000]
    const statement = await gateway.recon.import({
      provider: 'PREPAID',
      country: 'SN',
      name: hostileTexts[1] ?? '',
      file: chunksOf(csvOf([...own, ...lines])),
      from: after(now, -hourMs),
      to: after(now, hourMs),
      actor: 'test',
    })
    assert.equal(statement.lines, own.length + lines.length)
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
  })

  it('numbers and answers are forgotten', async () => {
    const days = { evidenceDays: 1, numberDays: 1 }
    const { secretKey } = readConfig({ MODE: 'sandbox' })
    const clock = { now: () => after(systemClock.now(), 1000 * dayMs) }
    const parts = { db, clock, log: openLog('silent'), settings: days, secretKey }
    const results = await openRetention(parts).run({ isEarly: true })
    for (const [rule, { kind }] of results) assert.equal(kind, 'done', rule)
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
  })
})

const dayMs = 86_400_000
const dayIn = (ms: number) => after(systemClock.now(), ms).toISOString().slice(0, 10)
const aroundToday = `from=${dayIn(-dayMs)}&to=${dayIn(dayMs)}`

/** Pays some of the links, so that what is theirs reaches their payments. */
async function payLinks(): Promise<void> {
  const links = await Promise.all(
    hostileTexts.map((text) =>
      call(gateway, getLink, linkBody({ customData: JSON.stringify({ text }), ItemName: text })),
    ),
  )
  const form = { serviceCode: 'WALLETB_SN_CASHOUT', country: 'SN', phone: '771234567' }
  for (const { status, body } of links) {
    if (status !== 201) continue
    const init = { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' } as const
    assert.equal((await fetch(`${body.PaymentUrl}/pay`, init)).status, 303)
  }
}

/** A batch whose lines have the external ids of bills that carry each text. */
async function uploadBatch(): Promise<void> {
  const ids = await inTurns(hostileTexts, async (text) => {
    const body = topUpBody({ amount: 500, customData: text })
    const { status, text: answer } = await pay(gateway, body)
    assert.equal(status, 201, answer)
    return body.externalTransactionId
  })
  const lines = ids.map((id) => `771234567;500;WALLETA_SN_CASHIN;${id}`)
  const file = ['Numéro;Montant;Service;Identifiant', ...lines].join('\n')
  assert.equal((await upload(gateway, clientId, file, hostileTexts[1])).lines, ids.length)
}

/** What forms need besides the field that is tried, where it is not in them already. */
const filledIn: Record<string, object> = {
  '/dashboard/links/new': { item: 'Panier', amount: '5000' },
  '/dashboard/sub-merchants/new': { name: 'shop', commercialName: 'Awa', 'country-SN': 'yes' },
  '/dashboard/ops/limits/blocks': { number: '779999999', country: 'SN', reason: 'theft' },
}

/** Calls for each, a few at a time, so that no limit of concurrent requests is met. */
async function inTurns<T, R>(all: T[], run: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < all.length; at += 8)
    results.push(...(await Promise.all(all.slice(at, at + 8).map(run))))
  return results
}

/** Sends each form of each page with texts in each field; which fields took one. */
async function fillForms(
  person: SignedIn,
  start: string,
  routes: string[],
): Promise<Map<string, boolean>> {
  const seen = new Map<string, boolean>()
  const addresses = await findAddresses(person, [start], routes)
  for (const address of addresses.values()) {
    const { text } = await person.get(address)
    for (const { method, action, values, free } of formsIn(text, address)) {
      if (method === 'POST') {
        const token = tokenIn((await person.get('/dashboard/account')).text)
        const { status, visible } = await person.post(action, values, { token })
        assert.ok(status < 500, `${action} with the token of another form: ${status} ${visible}`)
      }
      for (const field of free) {
        const key = `${action.replaceAll(/[0-9a-f-]{36}/g, 'ID')} ${field}`
        if (seen.has(key)) continue
        const shift = seen.size
        seen.set(key, false)
        // Most texts are tried in some of the fields, in the larger sizes in all.
        const own = hostileTexts.filter(
          (_, index) => index === 0 || (index + shift) % sized(6, 1) === 0,
        )
        await inTurns([...own, ...unstorableTexts], async (one) => {
          const fields = { ...values, ...filledIn[action], [field]: one }
          const query = new URLSearchParams(fields)
          const { status, visible } = await (method === 'GET'
            ? person.get(`${action.split('?')[0]}?${query.toString()}`)
            : person.post(action, fields, { from: address }))
          assert.ok(status < 500, `${key} with ${one}: ${status} ${visible}`)
          if (status === 303) seen.set(key, true)
        })
      }
    }
  }
  return seen
}
