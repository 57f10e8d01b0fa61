import assert from 'node:assert/strict'
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { signIn } from '#test/dashboard.ts'
import { loadCase, readFacts } from './judge/case.ts'
import { invariants, judge, type Ruling } from './judge/judge.ts'
import { untilQuiet } from './quiet.ts'
import { findSecrets } from './secrets-scan.ts'
import { openWorld } from './world.ts'

// One small run with a kill, and the judge on it: first as it is, then with a break of every kind.
const world = await openWorld({ seed: 1, say: () => {}, gateways: 1, labPace: 20 })
const cases: pg.Client[] = []
after(async () => {
  for (const one of cases) await one.end()
  await world.close()
})
const [gateway] = world.gateways
assert.ok(gateway)
const more = { underWayMax: 10 }
const load = world.startLoad({ plan: 'payments', rate: 60, seconds: 600, more })
await load.reaches(60)
await gateway.end('SIGKILL')
// Its leases have not run out, and no other process could take up its work before: a test need not
// wait for that.
await world.db.query(`
  update transactions set due_at = now() where completed_at is null;
  update deliveries set due_at = now() where state = 'pending'`)
await gateway.start()
await gateway.untilReady()
await load.reaches(40)
load.stop()
await load.ended
// One-time codes: those that are wrong have eight digits, which the search for secrets looks for.
const withCode = [{ service: 'WALLETD_SN_CASHOUT', number: '771234567', weight: 1 }]
await world.startLoad({ plan: 'one-time-codes', count: 3, choices: withCode }).ended
await untilQuiet(world)
await world.writeFacts()
const facts = await readFacts(world.folder)

async function openCase(folder: string): Promise<pg.Client> {
  const db = new pg.Client({ connectionString: facts.databaseUrl })
  await db.connect()
  cases.push(db)
  await loadCase(db, folder, facts)
  return db
}

const db = await openCase(world.folder)

const success = `select id from transactions where status = 'SUCCESS' and operation = 'CASHOUT'
  limit 1`
const oneCall = (condition: string) => `select * from j_calls where ${condition} limit 1`
const created = `creates = 'init' and status = 201`
/** Adds another request like one that was acknowledged, with another value in one column. */
const addCall = (column: string, value: string) => `
  create temp table j_more on commit drop as ${oneCall(created)};
  update j_more set ${column} = ${value};
  insert into j_calls select * from j_more`

// Which invariant must see it, and what is done to the records. Undone after each.
const breaks: [name: string, what: string, statement: string][] = [
  ['acknowledged', 'a payment is lost', `delete from transactions where id = (${success})`],
  [
    'acknowledged',
    'a payment is recorded with another amount',
    `update transactions set amount = amount + 1 where id = (${success})`,
  ],
  [
    'one-record',
    'one id was answered with two records',
    addCall('record_id', 'gen_random_uuid()::text'),
  ],
  ['one-effect', 'one id was acknowledged with two answers', addCall('hash', "'other'")],
  [
    'one-key',
    'one key has several records',
    `update j_calls set key = 'key' where creates = 'init' and status = 201`,
  ],
  [
    'repeated',
    'a 409 shows another record',
    addCall('(status, record_id)', '(409, gen_random_uuid()::text)'),
  ],
  [
    'paths',
    'a final status was left',
    `insert into status_history (
       client_id, resource, record_id, from_status, trigger, to_status, at)
     select client_id, 'transaction', id, 'SUCCESS', 'provider_declined', 'FAILED', now()
     from transactions where id = (${success})`,
  ],
  [
    'final-stays',
    'a webhook says that a success had failed',
    `update j_got set body = jsonb_set(body, '{STATUS}', '"FAILED"') where body ->> 'id' = (
       select id::text from transactions where id = (${success}))`,
  ],
  ['tenants', 'a foreign payment is shown', 'update j_calls set status = 200 where status = 404'],
  ['refusals', 'a 500', addCall('status', '500')],
  [
    'refusals',
    'a 503 for something that was done',
    `update j_calls set status = 503, answer = '{"message":["busy"]}' where n = (
       select n from (${oneCall(created)}) c)`,
  ],
  [
    'executed-once',
    'an order is executed twice',
    'insert into j_executed select * from j_executed where executed > 0 limit 1',
  ],
  [
    'known-orders',
    'a provider has an order that nobody recorded',
    `update j_executed set transaction_id = null where transaction_id = (${success})`,
  ],
  [
    'truth',
    'a payment that was executed is FAILED',
    `update transactions set status = 'FAILED' where id = (${success})`,
  ],
  [
    'truth',
    'a payment that nobody executed is SUCCESS',
    `update j_executed set executed = 0, paid = 0 where transaction_id = (${success})`,
  ],
  [
    'ended',
    'an executed payment is still open',
    `update transactions set completed_at = null, status = 'PROCESSING', due_at = now()
     where id = (${success})`,
  ],
  [
    'ended',
    'an open payment is forgotten',
    `update transactions set completed_at = null, due_at = null where id = (${success})`,
  ],
  [
    'client-money',
    'money that no provider collected',
    `update j_executed set executed = 0, paid = 0 where transaction_id = (${success})`,
  ],
  [
    'provider-money',
    'a franc more in the books of a provider',
    `update j_orders set paid = paid + 1
     where id = (select min(id) from j_orders where executed = 1)`,
  ],
  [
    'evidence',
    'an end without evidence',
    `delete from evidence where transaction_id = (${success})`,
  ],
  [
    'postings',
    'a posting that does not sum to zero',
    `update ledger_entries set amount = amount + 1 where account = 'fees' and posting_id = (
       select posting_id from ledger_entries where account = 'fees' limit 1)`,
  ],
  ['balances', 'a balance of its own', 'update ledger_accounts set balance = balance + 1'],
  [
    'versions',
    'an entry is gone',
    `delete from ledger_entries where account = 'available' and version = 3`,
  ],
  [
    'debts',
    'a balance below zero',
    `alter table ledger_entries drop constraint ledger_entries_check;
     update ledger_entries set after = -1 where account = 'available' and version = 3`,
  ],
  [
    'holds',
    'a hold that ends in part',
    `alter table ledger_entries drop constraint ledger_entries_check;
     update ledger_entries set amount = amount + 1 where account = 'held' and amount < 0`,
  ],
  [
    'settled-once',
    'a success that was not settled',
    `delete from ledger_postings where kind = 'collect' and ref = (${success})::text`,
  ],
  [
    'refunds',
    'more refunded than was paid',
    `update transactions r set original_id = o.id, amount = o.amount + 1
     from (select * from transactions where id = (${success})) o
     where r.client_id = o.client_id and r.id <> o.id and r.status = 'SUCCESS'`,
  ],
  ['fees', 'a fee of a franc too much', `update transactions set fee = fee + 1`],
  ['events', 'an end without an event', `delete from events where record_id = (${success})`],
  [
    'delivered',
    'an event that never arrived',
    'delete from j_got where event_id = (select min(event_id) from j_got)',
  ],
  ['signed', 'a wrong signature', `update j_got set signers = '{}'`],
  [
    'event-money',
    'an event with another balance',
    `update j_got set body = jsonb_set(body, '{CURRENT_BALANCE}', '1')
     where body ->> 'STATUS' = 'SUCCESS'`,
  ],
]

describe('the judge', () => {
  it('finds nothing to say against a run with a kill', async () => {
    const rulings = await judge(db)
    assert.deepEqual(
      rulings.filter(({ broken }) => broken > 0),
      [],
    )
    const empty = ({ name, checked }: Ruling) =>
      checked === 0 && !['refusals', 'repeated', 'refunds', 'one-key'].includes(name)
    assert.deepEqual(rulings.filter(empty), [])
  })

  for (const [name, what, statement] of breaks)
    it(`sees by "${name}" that ${what}`, async () => {
      await db.query(`begin; set local session_replication_role = replica; ${statement}`)
      try {
        const [ruling] = await judge(db, [name])
        assert.ok(ruling && ruling.broken > 0 && ruling.examples.length > 0)
      } finally {
        await db.query('rollback')
      }
    })

  it('has been shown a break of every invariant', () => {
    const shown = new Set(breaks.map(([name]) => name))
    assert.deepEqual(
      invariants.filter(({ name }) => !shown.has(name)),
      [],
    )
  })

  it('sees a byte of a webhook that was changed on its way', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-case-'))
    after(() => rm(folder, { recursive: true, force: true }))
    await cp(world.folder, folder, {
      recursive: true,
      filter: (path) => !path.includes('/postgres') && !path.includes('/lib'),
    })
    const path = join(folder, 'received.ndjson')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('\\"AMOUNT\\":', '\\"AMOUNT\\":1'))
    const [signed] = await judge(await openCase(folder), ['signed'])
    assert.equal(signed?.broken, 1)
  })
})

describe('the search for secrets', () => {
  it('finds none in logs, metrics and tables', async () => {
    const { value, isGood } = await findSecrets(world)
    assert.ok(isGood, value)
  })

  it('finds a key in a log and in a table', async () => {
    const { apiKey = '' } = world.merchants[0] ?? {}
    await appendFile(join(world.folder, 'gateway-0.log'), `Authorization: Bearer ${apiKey}\n`)
    const { isGood, value } = await findSecrets(world)
    assert.equal(isGood, false)
    assert.match(value, /^1 in .*tables; a key in gateway-0.log: Authorization/)
    await world.db.query(`create table leaked as select '${apiKey}'::text as "t"`)
    assert.match((await findSecrets(world)).value, /^2 in .*; a key in the table leaked$/)
    await world.db.query(`create table bytes as select '${apiKey}'::bytea as "t"`)
    assert.match((await findSecrets(world)).value, /^3 in .*; a key in the table bytes$/)
    await world.db.query('drop table leaked; drop table bytes')
  })

  it('finds a one-time code, but not its digits in a longer number', async () => {
    const sent = await readFile(join(world.folder, 'client-2.ndjson'), 'utf8')
    const [, code = ''] = /\\"otp\\":\\"(\d{8})/.exec(sent) ?? []
    assert.notEqual(code, '')
    await world.db.query(`create table numbers as select '1${code}'::text as "t"`)
    assert.match((await findSecrets(world)).value, /^1 in /)
    await world.db.query(`create table codes as select '${code}'::text as "t"`)
    assert.match((await findSecrets(world)).value, /^2 in .*; a one-time code in the table codes$/)
    await world.db.query('drop table numbers; drop table codes')
  })

  it('finds a session nowhere, and an invitation only in the mail that is kept', async () => {
    const person = await signIn(gateway.url, 'demo@passerelle.test', 'demo')
    const [, session = ''] = /=([\w.-]{20,})/.exec(person.cookie) ?? []
    assert.notEqual(session, '', person.cookie)
    const form = { email: 'new@shop.example', role: 'viewer' }
    const invited = await person.post('/dashboard/team/invite', form)
    assert.equal(invited.status, 303, invited.visible)
    const { rows } = await world.db.query<{ text: string }>('select text_body as text from mails')
    const codes = rows.flatMap(({ text }) => [...text.matchAll(/\/join\/([\w-]+)/g)])
    assert.equal(codes.length, 1)
    const { value } = await findSecrets(world, [
      ['a session', session],
      ['an invitation', codes[0]?.[1] ?? ''],
    ])
    // The key is in the log since the test before.
    assert.match(value, /^2 in .*; a key in gateway-0.log.*; an invitation in the table mails$/)
  })
})
