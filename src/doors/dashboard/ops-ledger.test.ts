import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { formatCount } from '#base/kit/money.ts'
import { dayOf } from '#base/kit/zoned-days.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { operatorRoles } from '#merchants/people/rights.ts'
import { readSuspense } from '#money/transactions/conflict-store.ts'
import { insertConflicts } from '#money/transactions/evidence-store.ts'
import { listAll } from '#money/transactions/list-all.ts'
import { findTransaction } from '#money/transactions/store.ts'
import type { Verdict } from '#operations/verify/ledger.ts'
import { insertProof } from '#operations/verify/proof-store.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import { type SignedIn, signedInOperator, signInWith, tokenIn } from '#test/dashboard.ts'
import {
  call,
  collected,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { inSuspense } from '#test/suspense.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 50 })
const { db, url, clientId, transactions, connect } = gateway
const owner = connect({ asOwner: true })
const receiver = await openReceiver()
after(() => receiver.close())
const callBackURL = `${receiver.url}/hook`
const init = 'POST /api/v1/transaction/init'
const list = '/dashboard/ops/transactions'
const operator = await signedInOperator(gateway)
const support = await signedInOperator(gateway, 'support-operator')
const auditor = await signedInOperator(gateway, 'auditor')

const textOf = async (path: string, person: SignedIn = operator) => {
  const { status, visible } = await person.get(path)
  assert.equal(status, 200, visible)
  return visible.replaceAll(/[\u202f\u00a0]/g, ' ')
}

/** The ids of the transactions that a list shows, in order. */
async function listed(query: string): Promise<string[]> {
  const { text } = await operator.get(`${list}?${query}`)
  return [...text.matchAll(/ops\/transactions\/([\w-]{36})"/g)].map(([, id = '']) => id)
}

async function start(of: typeof gateway, change: object): Promise<string> {
  const { body } = await call(of, init, initBody(change))
  return String(body.transaction.transactionId)
}

// Two clients: the second's payments are in between.
const other = { ...gateway, ...(await gateway.newMerchant()) }
const payload = xssPayloads[0] ?? ''
const first = await collected(gateway, { amount: 7500, callBackURL })
const second = await collected(other, { number: '779990001', amount: 6100 })
const third = await collected(gateway, { externalTransactionId: payload, amount: 900 })
const silent = await start(gateway, { number: '770000004' })

/** A collection that was failed by hand before its payer paid. */
async function paidLate(number: string): Promise<string> {
  await script(gateway, number, paidWhenContinued)
  const id = await start(other, { number })
  const order = { clientId: other.clientId, id, as: 'failed' as const, reason: 'seen' }
  await transactions.resolve({ ...order, actor: 'test' })
  await continuePayer(gateway, number)
  await inSuspense(db, other, 5000)
  return id
}
const late = await paidLate('779990077')

describe('the transactions of all clients', () => {
  it('are listed newest first, with the names of their clients', async () => {
    assert.deepEqual(await listed(''), [late, silent, third, second, first])
    const { text, visible } = await operator.get(list)
    assert.ok(!text.includes('<script>__xss'))
    const names = await db<{ name: string }>`select name from clients order by id`
    for (const { name } of names) assert.ok(visible.includes(name), name)
  })

  it('are found by any id, number or reference, whosever they are', async () => {
    const one = await findTransaction(db, { clientId: other.clientId, id: second })
    for (const text of [
      second,
      one?.externalId,
      one?.reference,
      one?.attemptId,
      '+221 77 999 00 01',
    ])
      assert.deepEqual(await listed(`q=${encodeURIComponent(String(text))}`), [second], text ?? '')
    assert.deepEqual(await listed(`q=${second}&client=${clientId}`), [])
    assert.match(await textOf(`${list}?q=nothing-like-it`), /Nothing matches “nothing-like-it”/)
  })

  it('pass the filters of the address', async () => {
    assert.deepEqual(await listed(`client=${other.clientId}`), [late, second])
    assert.deepEqual(await listed('status=SUCCESS'), [third, second, first])
    assert.deepEqual(await listed('status=PENDING'), [silent])
    assert.deepEqual(await listed('number=77+999+00+01'), [second])
    assert.deepEqual(await listed('kind=CASHIN'), [])
    assert.deepEqual(await listed('from=2001-01-01&to=2001-01-02'), [])
    const wrong = await operator.get(`${list}?client=nobody&number=abc`)
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /No merchant has this name.*Write the digits of a number/)
    assert.match(wrong.text, /value="nobody"/)
  })

  it('come page by page, each of them once, however few rows a page looks at', async () => {
    for (const filter of [{}, { statuses: ['SUCCESS'] }, { phone: '771234567' }] as const) {
      const any = { statuses: null, operation: null, serviceCode: null, phone: null }
      const all = { ...any, subMerchantId: null, externalIdPrefix: null, ...filter }
      const whole = await listAll(db, all, { from: null, to: null, after: null, limit: 50 })
      const seen: string[] = []
      for (let next: string | null = null, pages = 0; pages < 20; pages += 1) {
        const range = { from: null, to: null, after: next, limit: 1 }
        const page = await listAll(db, all, range, 2)
        seen.push(...page.transactions.map(({ id }) => id))
        next = page.next
        if (next === null) break
      }
      assert.ok(seen.length > 1)
      assert.deepEqual(
        seen,
        whole.transactions.map(({ id }) => id),
      )
    }
  })
})

describe('the page of a transaction', () => {
  it('tells everything, to each role as far as it may see', async () => {
    await eventually('the event is delivered', async () =>
      /HTTP 200/.test(await textOf(`${list}/${first}`)),
    )
    const text = await textOf(`${list}/${first}`)
    for (const expected of [
      'Collection · Wallet A · SN',
      '7 500 F CFA',
      'The provider confirmed',
      'Attempt 1',
      'As received',
      'Our fees',
      'Provider Wallet A · SN',
      'Balance before',
      `POST ${callBackURL}`,
      '771234567',
    ])
      assert.ok(text.includes(expected), `${expected} in ${text}`)
    const masked = await support.get(`${list}/${first}`)
    assert.ok(!masked.text.includes('771234567'))
    assert.equal((await operator.get(`${list}/${first.replaceAll(/\d/g, '1')}`)).status, 404)
    assert.equal((await operator.get(`${list}/nothing`)).status, 404)
  })

  it('offers what the role may do, and what the state allows', async () => {
    // role: asks, ends by hand, sends back, sends the notice again
    const expected: Record<string, boolean[]> = {
      operator: [true, true, true, true],
      'finance-operator': [true, true, true, false],
      'support-operator': [true, false, false, true],
      auditor: [false, false, false, false],
    }
    for (const role of operatorRoles) {
      const person = await signedInOperator(gateway, role)
      const open = (await person.get(`${list}/${silent}`)).text
      const back = (await person.get(`${list}/${late}`)).text
      const paid = (await person.get(`${list}/${first}`)).text
      const shown = [
        open.includes(`${silent}/requery`),
        open.includes(`approvals/new?kind=resolve&amp;transaction=${silent}`),
        back.includes(`approvals/new?kind=send_back&amp;transaction=${late}`),
        paid.includes(`${first}/resend`),
      ]
      assert.deepEqual(shown, expected[role], role)
      assert.ok(!paid.includes('requery') && !paid.includes('approvals/new'))
    }
  })

  const answers: [does: object, told: RegExp][] = [
    [{ do: 'lose_answer' }, /State of the order answer lost/],
    [{ do: 'status', code: 500 }, /State of the order outcome not known/],
  ]
  for (const [index, [does, told]] of answers.entries())
    it(`tells ${JSON.stringify(does)} apart from what was not answered`, async () => {
      const number = `77999008${index}`
      await script(gateway, number, [does, ...paidWhenContinued])
      const id = await start(gateway, { number })
      assert.match(await textOf(`${list}/${id}`), told)
      await continuePayer(gateway, number)
      await until(gateway, id, isEnd)
    })

  it('asks the provider, and sends the notice again once for a form sent twice', async () => {
    const asked = await support.post(`${list}/${silent}/requery`, {}, { from: `${list}/${silent}` })
    assert.equal(asked.location, `${list}/${silent}`)
    assert.match(await textOf(`${list}/${silent}`, support), /no result yet/)
    const page = `${list}/${first}`
    const before = receiver.got.length
    const token = tokenIn((await operator.get(page)).text)
    for (let sent = 0; sent < 2; sent += 1)
      assert.equal((await operator.post(`${page}/resend`, {}, { token })).location, page)
    await eventually('it has arrived', () => receiver.got.length > before)
    const [row] = await db<{ count: number }>`
      select count(*) from deliveries d join events e on e.id = d.event_id
      where e.record_id = ${first}`
    assert.equal(row?.count, 2)
    const log = await readAudit(db, { clientId: null, before: null, limit: 20 })
    for (const action of ['ops.transactions.requery', 'ops.webhooks.resend'])
      assert.equal(log.filter((one) => one.action === action).length, 1, action)
  })
})

describe('what only a person can decide', () => {
  it('is listed with why and what to do, and money in suspense by its origin', async () => {
    const parked = await textOf('/dashboard/ops/parked')
    assert.match(parked, /Paid too late .*paid after the transaction had ended.*Send the money/)
    const suspense = await textOf('/dashboard/ops/suspense')
    assert.match(suspense, /In all 5 000 F CFA Wallet A · SN 5 000 F CFA/)
    const { text } = await operator.get('/dashboard/ops/suspense')
    assert.ok(text.includes(`kind=send_back&amp;transaction=${late}`))
    assert.ok(!(await auditor.get('/dashboard/ops/suspense')).text.includes('send_back'))
  })

  it('comes page by page, each of it once', async () => {
    const at = new Date()
    const rows = Array.from({ length: 60 }, (_, index) => ({
      clientId: other.clientId,
      id: newId(at),
      transactionId: late,
      kind: 'late_success' as const,
      details: { reference: `page-${index}` },
      at,
    }))
    await db.transaction((tx) => insertConflicts(tx, rows))
    const seen: string[] = []
    let path = '/dashboard/ops/parked'
    for (let pages = 0; path !== '' && pages < 5; pages += 1) {
      const { text } = await operator.get(path)
      seen.push(...[...text.matchAll(/ops\/conflicts\/([\w-]{36})"/g)].map(([, id = '']) => id))
      path = /href="([^"]*conflicts-after=[^"]*)">Next/.exec(text)?.[1] ?? ''
    }
    assert.deepEqual([seen.length, new Set(seen).size], [61, 61])
    await owner`delete from conflicts where details ->> 'reference' like 'page-%'`
    const [row] = await readSuspense(db)
    const place = `${row?.since.getTime()}.${row?.clientId}.${row?.attempt}`
    const suspense = '/dashboard/ops/suspense'
    for (const [after, isShown] of [
      [place, false],
      ['0.0.x', true],
      ['nonsense', true],
    ] as const)
      assert.equal(
        (await operator.get(`${suspense}?after=${after}`)).text.includes(late),
        isShown,
        after,
      )
    assert.match(await textOf(`${suspense}?after=${place}`), /In all 5 000 .*Back to the beginning/)
  })

  it('is listed when asking has not ended it for an hour', async () => {
    assert.ok(!(await operator.get('/dashboard/ops/parked')).text.includes(silent))
    await owner`
      update transactions set created_at = created_at - interval '61 minutes'
      where id = ${silent}`
    const parked = await textOf('/dashboard/ops/parked')
    assert.match(
      parked,
      /no final result for more than an hour.*Last answer: Accepted, waiting for the customer/,
    )
    await owner`
      update transactions set created_at = created_at + interval '61 minutes'
      where id = ${silent}`
  })

  it('a conflict is closed once, with a reason, by a role that decides', async () => {
    const [row] = await db<{ id: string }>`select id from conflicts where transaction_id = ${late}`
    const path = `/dashboard/ops/conflicts/${row?.id}`
    assert.ok(!(await auditor.get(path)).text.includes('<textarea'))
    const empty = await operator.post(path, { reason: ' ' })
    assert.equal(empty.status, 422)
    const long = await operator.post(path, { reason: 'x'.repeat(501) })
    assert.match(long.visible, /500 characters at most/)
    assert.match(long.text, /x{501}<\/textarea>/)
    const token = tokenIn((await operator.get(path)).text)
    for (let sent = 0; sent < 2; sent += 1) {
      const closed = await operator.post(path, { reason: `repaid ${payload}` }, { token })
      assert.equal(closed.location, '/dashboard/ops/parked')
    }
    assert.equal((await operator.post(path, { reason: 'again' })).status, 422)
    assert.match(await textOf('/dashboard/ops/parked'), /No conflict is open/)
    assert.match(await textOf(path), /Closed by person-\d+@shop\.example/)
    assert.ok(!(await operator.get(path)).text.includes('<script>__xss'))
    assert.equal((await operator.get('/dashboard/ops/conflicts/none')).status, 404)
  })
})

describe('the trial balance', () => {
  const page = '/dashboard/ops/ledger'
  const today = dayOf(systemClock.now(), 'UTC')

  it('has every account at the end of a day, with the sum 0 in each currency', async () => {
    await collected(gateway, { serviceCode: 'WALLETA_CM_CASHOUT', number: '677123456' })
    const text = await textOf(`${page}?day=${today}`, auditor)
    const [xaf = '', xof = ''] = text.split('F CFA (XOF)')
    assert.match(xaf, /The sum is 0 .*Foreign exchange .* Provider Wallet A · CM 5 000 /)
    const [held] = await db<{ available: string }>`
      select sum(balance)::text as available from ledger_accounts where kind = 'available'`
    const available = formatCount(Number(held?.available)).replaceAll('\u202f', ' ')
    assert.match(
      xof,
      new RegExp(`The sum is 0 .*Merchants, available ${available} Foreign exchange 5 000 `),
    )
    assert.match(xof, /Our fees \d+ .*Provider Wallet A · SN [\d ]+ Settlement .* Suspense 5 000 /)
    assert.match(xof, /Total (\d[\d ]*) \1(?!\d)/)
  })

  it('is computed for a day that is asked for, and empty before the first entry', async () => {
    assert.doesNotMatch(await textOf(page), /The sum is/)
    assert.match(await textOf(`${page}?day=2001-01-01`), /No entries up to this day/)
    const wrong = await operator.get(`${page}?day=abc`)
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /Enter a valid date/)
  })

  it('tells of a sum that is not 0', async () => {
    const change = (by: number) =>
      owner.transaction(async (tx) => {
        await tx`set local session_replication_role = replica`
        await tx`
          update ledger_entries set amount = amount + ${by}
          where client_id = ${clientId} and account = 'fees'
            and posting_id = (select id from ledger_postings where ref = ${first})`
      })
    await change(1)
    const text = await textOf(`${page}?day=${today}`)
    await change(-1)
    assert.match(text, /The sum is 1 /)
  })
})

describe('a proof', () => {
  const path = '/dashboard/ops/proof'

  /** Keeps a proof as `passerelle verify` does; returns the address of its page. */
  async function keep(verdict: Verdict): Promise<string> {
    const startedAt = new Date()
    const times = { startedAt, endedAt: new Date(startedAt.getTime() + 1500) }
    return `${path}/${await insertProof(db, { ...verdict, provedBy: 'deploy', ...times })}`
  }
  const prove = async () => keep(await verifyAll(db, [], () => {}))

  it('that a command has made is shown with what it came to', async () => {
    assert.match(await textOf(path, support), /passerelle verify No proof yet/)
    const page = await prove()
    const [row] = await db<{ total: number }>`
      select sum(version)::bigint as total from ledger_accounts`
    const result = new RegExp(`No breaks.* By deploy Took 1.5 s .*Entries ${row?.total} `)
    assert.match(await textOf(page, support), result)
    assert.match(await textOf(path, auditor), /deploy No breaks \d+ 1.5 s/)
    assert.equal((await operator.get(`${path}/none`)).status, 404)
  })

  it('of an empty ledger has proved nothing, and says so', async () => {
    const page = await keep({ postings: 0, entries: 0, accounts: 2, anchors: 0, breaks: [] })
    for (const one of [path, page])
      assert.match(await textOf(one, support), /The ledger is empty: nothing was proved/, one)
    assert.doesNotMatch(await textOf(page, support), /No breaks/)
  })

  it('tells what was changed by other means', async () => {
    const change = (by: number) =>
      owner.transaction(async (tx) => {
        await tx`set local session_replication_role = replica`
        await tx`
          update ledger_entries set amount = amount + ${by}, after = after + ${by}
          where client_id = ${clientId} and account = 'available' and version = 2`
      })
    await change(1)
    const text = await textOf(await prove())
    await change(-1)
    assert.match(text, / breaks? .*available version 2 .* its hash does not follow the chain/)
    assert.match(text, /Do not touch the database/)
  })
})

describe('in a browser', async () => {
  const browser = await testBrowser()

  it('the screens have no faults of accessibility, on a phone', async () => {
    await using opened = await openPage(browser)
    const { page } = opened
    await signInWith(page, url, operator.email)
    const [row] = await db<{ conflict: string }>`select id as conflict from conflicts limit 1`
    // One that holds, one of an empty ledger and one with breaks.
    const proofs = await db<{ id: string }>`select id from proofs order by id`
    assert.equal(proofs.length, 3)
    await assertScreens(page, [
      list,
      `${list}/${late}`,
      '/dashboard/ops/parked',
      `/dashboard/ops/conflicts/${row?.conflict}`,
      '/dashboard/ops/suspense',
      `/dashboard/ops/ledger?day=${dayOf(systemClock.now(), 'UTC')}`,
      '/dashboard/ops/proof',
      ...proofs.map(({ id }) => `/dashboard/ops/proof/${id}`),
    ])
  })

  after(() => assertMoney(gateway))
})
