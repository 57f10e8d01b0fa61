import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { randomText } from '#base/kit/ids.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { pay, payBody, postingsOf, unpaidOf } from '#test/bills.ts'
import { testClock } from '#test/clock.ts'
import { databaseInSchema, testDatabase } from '#test/database.ts'
import { linkBody } from '#test/links.ts'
import { balance, call, collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { keepCellName } from './own-name.ts'

const other = await liveGateway({ environment: { CELL: 'c2' } })
const { lab } = other
const cell = await liveGateway({ lab, environment: { CELL: 'c1' } })
const { url, db, clientId, secret } = cell
const secretOf = (name: string) => `sk_sandbox_${name}_${randomText(32)}`
const balanceOf = (key: string, base = url) =>
  call({ url: base, secret: key }, 'GET /api/v1/api-services/balance')
const get = (path: string) => fetch(`${url}${path}`, { redirect: 'manual' })

describe('a cell', () => {
  it('tells its name in keys, answers and probes', async () => {
    assert.match(secret, /^sk_sandbox_c1_[\w-]{43}$/)
    const [stored] = await db<{ prefix: string }>`select prefix from api_key_secrets`
    assert.equal(stored?.prefix, 'sk_sandbox_c1_')
    const { status, headers } = await balanceOf(secret)
    assert.deepEqual([status, headers.get('x-cell')], [200, 'c1'])
    for (const path of ['/livez', '/readyz', '/cells/c1/readyz'])
      assert.equal(((await (await get(path)).json()) as { cell: string }).cell, 'c1', path)
  })

  it('refuses the key of another cell by 421, never by 401', async () => {
    const other = await balanceOf(secretOf('c2'))
    assert.deepEqual([other.status, other.body.code], [421, 'WRONG_CELL'], other.text)
    assert.match(other.text, /belongs to the cell c2/)
    const streams = `${url}/api/v1/events/stream`
    const stream = await fetch(streams, { headers: { authorization: `Bearer ${secretOf('c2')}` } })
    assert.equal(stream.status, 421)
    // A wrong key stays a wrong key.
    for (const key of [secretOf('c1'), `sk_sandbox_${randomText(32)}`, 'sk_sandbox_c2_short'])
      assert.equal((await balanceOf(key)).status, 401, key)
  })

  it('serves a key that names another cell once its database has it', async () => {
    const known = secretOf('c2')
    const order = { clientId, label: 'known', secret: known, actor: 'test' }
    await db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, order))
    assert.equal((await balanceOf(known)).status, 200)
  })

  it('is paid by callbacks to its own address', async () => {
    await collected(cell)
    const unknown = `callbacks/gsma/${clientId}/${randomUUID()}/${randomText(20).slice(0, 27)}`
    const to = (path: string) => fetch(`${url}${path}`, { method: 'POST', body: '{}' })
    assert.equal((await to(`/cells/c1/${unknown}`)).status, 404)
    const other = await to(`/cells/c2/${unknown}`)
    assert.equal(other.status, 421)
    assert.equal(((await other.json()) as { code: string }).code, 'WRONG_CELL')
    const received = /^passerelle_callbacks_total\{connector="[^"]+",result="(?!forged)/m
    await eventually('the provider calls back', async () =>
      received.test(await (await get('/metrics')).text()),
    )
  })

  it('shows links at its own address, and says when an address is that of another', async () => {
    const made = await call(cell, 'POST /api/v1/transaction/merchant/get-link', linkBody())
    const page = String(made.body.PaymentUrl)
    const id = String(made.body.transactionId)
    assert.equal(page, `${url}/cells/c1/pay/process/${id}`)
    assert.equal((await fetch(page)).status, 200)
    // What the database has, whatever the address names.
    assert.equal((await get(`/cells/c2/pay/process/${id}`)).status, 200)
    const unknown = `pay/process/${randomUUID()}`
    assert.equal((await get(`/cells/c1/${unknown}`)).status, 404)
    const elsewhere = await get(`/cells/c2/${unknown}?lang=en`)
    assert.equal(elsewhere.status, 421)
    assert.match(await elsewhere.text(), /This link is on another of our servers/)
    assert.equal((await get(`/cells/c2/${unknown}/state`)).status, 421)
  })

  it('leads to its dashboard and tells the way in by a cookie', async () => {
    const own = await get('/cells/c1/dashboard/sign-in?next=1')
    assert.deepEqual([own.status, own.headers.get('location')], [303, '/dashboard/sign-in?next=1'])
    assert.match(own.headers.get('set-cookie') ?? '', /^passerelle_cell=c1; Path=\/; HttpOnly/)
    const other = await get('/cells/c2/dashboard')
    assert.equal(other.status, 421)
    assert.match(await other.text(), /<h1>/)
  })

  it('keeps its books', () => assertMoney({ db }))
})

describe('a bill that two cells pay', () => {
  const fields = (bill: string | undefined) =>
    payBody({ reference_client: '100000002', reference_facture: bill })

  it('is paid by one; the other gets the refusal of the biller and its money back', async () => {
    const before = await balance(other)
    const [first, second] = await unpaidOf(other, '100000002')
    const asked = other.proxy.requests.findLast((one) => one.startsWith('GET ')) ?? ''
    const listed = await fetch(`${lab.url}${asked.slice('GET '.length)}`)
    assert.equal(listed.status, 200)
    const list = await listed.text()
    assert.equal((await pay(cell, fields(first))).status, 201)
    // Both have asked before either has paid.
    other.proxy.answerInstead = (name) => (name === asked ? [200, list] : undefined)
    const refused = await pay(other, fields(first))
    assert.deepEqual([refused.status, refused.body.code], [400, 'BILL_ALREADY_PAID'], refused.text)
    const [{ id } = { id: '' }] = await other.db<{ id: string }>`
      select id from transactions where status = 'FAILED'`
    assert.deepEqual(await postingsOf(other, id), ['hold', 'release'])
    assert.equal(await balance(other), before)
    other.proxy.answerInstead = () => undefined
    const both = await Promise.all([cell, other].map((one) => pay(one, fields(second))))
    assert.deepEqual(
      both.map(({ status }) => status).sort((a, b) => a - b),
      [201, 400],
    )
    await assertMoney({ db: other.db })
    await assertMoney({ db })
  })
})

describe('a gateway without cells', () => {
  it('has no new bytes', async () => {
    const plain = await liveGateway({ lab })
    assert.match(plain.secret, /^sk_sandbox_[\w-]{43}$/)
    assert.equal((await balanceOf(plain.secret, plain.url)).headers.get('x-cell'), null)
    assert.equal((await balanceOf(secretOf('c2'), plain.url)).status, 401)
    assert.equal((await fetch(`${plain.url}/cells/c1/readyz`)).status, 404)
    assert.deepEqual(await (await fetch(`${plain.url}/readyz`)).json(), { status: 'ready' })
    const made = await call(plain, 'POST /api/v1/transaction/merchant/get-link', linkBody())
    assert.equal(made.body.PaymentUrl, `${plain.url}/pay/process/${made.body.transactionId}`)
  })
})

describe('the name that a database has', () => {
  it('is given by the first start, and never changes', async () => {
    const { db: fresh } = await testDatabase()
    const now = testClock()
    await keepCellName({ db: fresh, clock: now }, null)
    await Promise.all([
      keepCellName({ db: fresh, clock: now }, 'c1'),
      keepCellName({ db: fresh, clock: now }, 'c1'),
    ])
    await keepCellName({ db: fresh, clock: now }, 'c1')
    await assert.rejects(keepCellName({ db: fresh, clock: now }, 'c2'), {
      name: 'Problem',
      message: /^The database belongs to the cell c1, but CELL is c2: set CELL=c1/,
    })
    await assert.rejects(keepCellName({ db: fresh, clock: now }, null), /but CELL is not set/)
    await assert.rejects(fresh`update cell set name = 'c2'`, /permission denied/)
  })
})

describe('a schema of another name than public', () => {
  it('has all that a payment needs', async () => {
    const database = await databaseInSchema('cell_one')
    const own = await liveGateway({ lab, database })
    await collected(own, { externalTransactionId: 'in-a-schema' })
    const [found] = await own.db`
      select current_schema() as schema, to_regnamespace('public') as public,
        (select count(*)::integer from pg_class
          where relnamespace = 'cell_one'::regnamespace and relkind = 'r') > 50 as "hasTables"`
    assert.deepEqual(found, { schema: 'cell_one', public: null, hasTables: true })
    assert.deepEqual((await verifyAll(own.db, [], () => {})).breaks, [])
    await assertMoney({ db: own.db })
  })
})
