import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { after, systemClock as clock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { closeAuditChain, readAuditHead } from '#data/db/audit-chain.ts'
import { actingFrom } from '#data/db/audit-origin.ts'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { settle } from '#money/ledger/settlement.ts'
import { nameOf } from '#money/providers/bindings.ts'
import { upsertReport } from '#money/providers/report-store.ts'
import { insertDrill } from '#operations/drill/store.ts'
import { readOverview } from '#operations/health/overview.ts'
import { insertProof } from '#operations/verify/proof-store.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { signedInAs, signedInOperator, tokenIn } from '#test/dashboard.ts'
import { askFor, followOf } from '#test/following.ts'
import { call, collected, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'
import { checkPlaces } from './ops/check-words.ts'

const gateway = await liveGateway()
const { db, clientId } = gateway
const operator = await signedInOperator(gateway)
// Two who may approve, as health wants them.
await signedInOperator(gateway)
const receiver = await openReceiver()
const home = '/dashboard/ops'
const init = 'POST /api/v1/transaction/init'

/** A process reports, as each does every few seconds. */
async function report(role: 'all' | 'api'): Promise<void> {
  const at = clock.now()
  const all = gateway.transactions.context.providers.all()
  const since = at.toISOString()
  const providers = all.map(({ name }) => ({ name, state: 'up' as const, since, durations: [] }))
  await upsertReport(db, { id: newId(at), host: 'test', pid: 1, role, at, providers })
}

/** What the page of health shows, once it is what is looked for: it is kept for a second. */
function shown(pattern: RegExp, person = operator): Promise<string> {
  return eventually(`the page shows ${pattern}`, async () => {
    const { visible } = await person.get(home)
    return pattern.test(visible) && visible
  })
}

/** Headings, points, rows of tables and fences of a text, without their words. */
function partsOf(text: string): string[] {
  return text.split('\n').flatMap((line) => /^(#+ |\d+\. |- |\||```)/.exec(line)?.[1] ?? [])
}

describe('the page of health', () => {
  it('says that no process works, and then that one does', async () => {
    await shown(/The gateway Act now 2 points .*No process reports/)
    await report('api')
    await shown(/Running processes Act now 1 Start one process that serves/)
    await report('all')
    await shown(/The gateway Watch 1 point .*Proof of the ledger Watch never On the server/)
    const [startedAt, verdict] = [clock.now(), await verifyAll(db, [], () => {})]
    await insertProof(db, { ...verdict, provedBy: 'test', startedAt, endedAt: clock.now() })
    await shown(/The gateway Normal nothing to report The providers Watch 21 points/)
    await gateway.transactions.context.floats.sample(clock.now())
    const visible = await shown(/The gateway Normal nothing to report The providers Normal/)
    assert.match(visible, /The providers Normal .*The merchants Normal .*Wallet A · SN Normal/)
  })

  it('begins with what is closed for maintenance, and says that its end has passed', async () => {
    const order = { scope: 'WALLETA_SN_CASHOUT', reason: 'works', actor: 'test' }
    const until = after(clock.now(), 86_400_000)
    await startMaintenance({ db, clock }, { ...order, until })
    const first = /(?:report|points?) Payments open Watch .*Wallet A .*since .*planned end/
    assert.doesNotMatch(await shown(first), /, passed/)
    await db`update maintenance set until = now() - interval '1 minute'`
    await shown(/Payments open Act now .*planned end [^.]*, passed .*Reopen as soon as possible/)
    await endMaintenance({ db, clock }, order)
    await shown(/The gateway Normal nothing to report/)
  })

  it('watches a provider that does not tell its balance, though nobody pays', async () => {
    const { provider, country } = { provider: 'WALLETA', country: 'SN' }
    await db`update floats set problem = 'HTTP 502'
      where (provider, country) = (${provider}, ${country})`
    await shown(/The providers Watch 1 point .*Wallet A · SN Watch .*balance unavailable/)
    await db`update floats set problem = null, known_at = now() - interval '11 minutes'
      where (provider, country) = (${provider}, ${country})`
    await shown(/The providers Watch 1 point .*Wallet A · SN Watch .* old/)
    await db`update floats set known_at = now()`
  })

  it('does not count a provider without a connector as well', async () => {
    const { find } = gateway.transactions.context.providers
    const overview = await readOverview({
      db,
      clock,
      mode: 'live',
      approvalAbove: null,
      approverAge: 0,
      hasSmtp: true,
      providers: { all: () => [], find: (one) => (one.country === 'CM' ? find(one) : undefined) },
    })
    assert.deepEqual(overview.providers.map(nameOf), ['WALLETA_CM', 'WALLETF_CM'])
    assert.equal(overview.unconfigured.length, 19)
  })

  it('names what waits for a person, and leads to what to do', async () => {
    // A provider that reports another amount than was ordered.
    const order = initBody({ number: '770000010' })
    assert.equal((await call(gateway, 'POST /api/v1/transaction/init', order)).status, 201)
    const visible = await shown(/Conflicts Act now 1 Read what the provider says/)
    assert.match(visible, /To decide Act now 1/)
    const { text } = await operator.get(home)
    assert.match(text, /href="\/dashboard\/ops\/runbooks\/conflicts"/)
  })

  it('tells the age of the last log, backup and drill, and what that found', async () => {
    await shown(/Database backup Normal not set up/)
    const at = clock.now()
    const drill = {
      startedAt: at,
      endedAt: at,
      moment: null,
      backupAt: at,
      lastTransactionAt: null,
    }
    await insertDrill(db, { ...drill, problems: [] })
    await shown(
      /Database backup Normal last WAL archived: never .* last drill: .*, restored in full/,
    )
    await insertDrill(db, { ...drill, problems: ['The file A is missing.'], endedAt: clock.now() })
    await shown(/Database backup Act now .*, 1 problem The file A is missing\. Set up archiving/)
  })

  it('has a runbook for each check, which is shown in the frame', async () => {
    for (const name of [...Object.keys(checkPlaces), 'provider-down', 'webhook-backlog']) {
      const { status, visible } = await operator.get(`${home}/runbooks/${name}`)
      assert.equal(status, 200, name)
      const [first = ''] = readFileSync(`docs/runbooks/${name}.md`, 'utf8').split('\n')
      assert.ok(visible.includes(first.slice(2)), name)
    }
    for (const name of ['nothing', '..%2f..%2fREADME', '%2e%2e%2fdecisions%2f0001'])
      assert.equal((await operator.get(`${home}/runbooks/${name}`)).status, 404, name)
  })

  it('shows runbooks in French too, with the same parts', async (test) => {
    const read = (path: string) => readFileSync(`docs/runbooks/${path}`, 'utf8')
    const namesIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.md'))
    const french = new Set(namesIn('docs/runbooks/fr'))
    const missing = namesIn('docs/runbooks').filter((name) => !french.has(name))
    for (const name of missing) test.diagnostic(`${name} is not in French`)
    for (const name of french)
      assert.deepEqual(partsOf(read(`fr/${name}`)), partsOf(read(name)), `fr/${name}`)
    const shownIn = async (language: 'fr' | 'en') => {
      const person = await signedInOperator(gateway, 'auditor', language)
      return (await person.get(`${home}/runbooks/conflicts`)).text
    }
    assert.match(await shownIn('fr'), /<article[^>]*lang="fr"><h1[^>]*>Un prestataire contredit/)
    assert.match(await shownIn('en'), /<article[^>]*lang="en"><h1[^>]*>A provider contradicts/)
  })

  it('is told at a question that something has changed', async () => {
    // What other tests and the gateway itself do may change what it shows.
    const address = await eventually('nothing has changed', async () => {
      const own = await followOf(operator, home)
      return (await askFor(operator, own)) === 204 && own
    })
    await report('all')
    await eventually('it is told', async () => (await askFor(operator, address)) === 205)
  })
})

describe('the webhooks of merchants', async () => {
  const support = await signedInOperator(gateway, 'support-operator')
  const auditor = await signedInOperator(gateway, 'auditor')
  const page = `${home}/webhooks/${clientId}`

  it('that do not arrive are counted by merchant, and sent again by an operator', async () => {
    const [payload = ''] = xssPayloads
    await db`update clients set name = ${payload} where id = ${clientId}`
    receiver.answer = (_got, response) => response.writeHead(500).end()
    await collected(gateway, { callBackURL: `${receiver.url}/hook` })
    const { text } = await eventually('it is tried', async () => {
      const backlog = await support.get(`${home}/webhooks`)
      return backlog.text.includes(`href="${page}"`) && backlog
    })
    assert.ok(!text.includes(payload))
    await shown(/The merchants Watch 1 point/, support)
    const list = await support.get(`${page}?state=pending`)
    assert.match(list.visible, /HTTP 500/)
    const [, event] = /name="event-([0-9a-f-]{36})"/.exec(list.text) ?? []
    receiver.answer = (_got, response) => response.end('ok')
    await support.post(`${page}/replay`, { [`event-${event}`]: 'yes' }, { from: page })
    assert.match((await support.get(page)).visible, /Resent: 1\. Delivered: 1\./)
  })

  it('of a period are sent again, and a wrong period is told', async () => {
    const wrong = await support.post(`${page}/replay-range`, { from: 'soon' }, { from: page })
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /Write a day and a time/)
    const range = { from: '2020-01-01T00:00', to: '2100-01-01T00:00', all: 'yes' }
    await support.post(`${page}/replay-range`, range, { from: page })
    assert.match((await support.get(page)).visible, /Resent: \d\. Delivered: \d\./)
  })

  it('are sent again by nobody who only reads, and of no unknown merchant', async () => {
    assert.doesNotMatch((await auditor.get(page)).text, /<form[^>]*replay/)
    const token = tokenIn((await auditor.get(home)).text)
    assert.equal((await auditor.post(`${page}/replay`, {}, { token })).status, 403)
    for (const id of ['0', '999999', 'x', '1e3', '99999999999'])
      assert.equal((await support.get(`${home}/webhooks/${id}`)).status, 404, id)
    const merchant = await signedInAs(gateway, 'owner')
    assert.equal((await merchant.get(page)).status, 404)
  })
})

describe('the audit log of the gateway', async () => {
  const auditor = await signedInOperator(gateway, 'auditor')

  it('shows what was done in all clients, with the state of its chain', async () => {
    const { visible } = await auditor.get(`${home}/audit`)
    assert.match(visible, /Entries in the chain \d+ Not chained yet \d+ Last hash [\w]+/)
    const support = await signedInOperator(gateway, 'support-operator')
    assert.equal((await support.get(`${home}/audit`)).status, 403)
  })

  it('names the client, and is downloaded with the hash of each record', async () => {
    const { clientId } = gateway
    await db`update clients set name = 'Boutique Awa' where id = ${clientId}`
    const given = { clientId, amount: 12_500, ref: 'r-1', now: clock.now(), actor: 'test' }
    await db.transaction((tx) => settle(tx, given))
    const { visible } = await auditor.get(`${home}/audit?who=test`)
    assert.match(visible, /Account funded r-1 · 12.500 F CFA .*?Boutique Awa/)
    await closeAuditChain(db)
    const file = `${home}/audit/export.csv`
    const { status, text } = await auditor.get(file)
    assert.equal(status, 200)
    const lines = text.trim().split('\r\n')
    const records = await db`select from audit_log where action <> 'audit.export'`
    const rows = lines.slice(1, -1).filter((line) => !line.includes('audit.export'))
    assert.equal(rows.length, records.length)
    assert.match(lines.at(-1) ?? '', new RegExp(`^Number of entries: ${lines.length - 2}`))
    const { hash } = await readAuditHead(db)
    assert.ok(rows[0]?.endsWith(`;${hash}`), rows[0])
    const some = (await auditor.get(`${file}?who=test&group=client`)).text.trim().split('\r\n')
    assert.ok(some.length > 2 && some.length < lines.length)
    assert.equal((await auditor.get(`${file}?from=2026-13-40`)).status, 404)
    const recorded = await auditor.get(`${home}/audit?group=audit`)
    assert.match(recorded.visible, /Audit log downloaded/)
    const support = await signedInOperator(gateway, 'support-operator')
    assert.equal((await support.get(file)).status, 403)
  })

  it('is filtered by person and kind of action', async () => {
    const nobody = await auditor.get(`${home}/audit?who=nobody`)
    assert.match(nobody.visible, /Nothing matches this filter/)
    const clients = await auditor.get(`${home}/audit?group=client&who=test`)
    assert.doesNotMatch(clients.visible, /Nothing matches/)
  })
})

describe('what a merchant sees of operators', () => {
  const address = '203.0.113.7'
  const awa = 'awa.operator@ops.example'

  it('is that it was Passerelle, not who and from where', async () => {
    const { body } = await call(gateway, init, initBody({ number: '770000004' }))
    const id = String(body.transaction.transactionId)
    const reason = 'not in their records'
    await actingFrom(address, () =>
      gateway.transactions.resolve({ clientId, id, as: 'failed', reason, actor: awa }),
    )
    const merchant = await signedInAs(gateway, 'owner')
    const audit = await merchant.get('/dashboard/audit?group=transaction')
    assert.match(audit.visible, /Passerelle Transaction ended by hand .*not in their records/)
    const page = await merchant.get(`/dashboard/transactions/${id}`)
    assert.match(page.visible, /Closed by support after checking with the provider/)
    for (const { text } of [audit, page]) {
      assert.doesNotMatch(text, /awa\.operator|203\.0\.113\.7|provider declined/)
      assert.match(text, /not in their records/)
    }
    const { body: looked } = await call(gateway, `GET /api/v1/transaction/${id}`)
    assert.deepEqual(looked.transaction.failure, {
      code: 'OPERATOR_DECISION',
      message: 'Closed by support after checking with the provider',
      retryable: false,
    })
    const found = (who: string) => merchant.get(`/dashboard/audit?who=${who}`)
    assert.match((await found(awa)).visible, /Nothing matches this filter/)
    assert.match((await found('passerelle')).visible, /Transaction ended by hand/)
    const auditor = await signedInOperator(gateway, 'auditor')
    const all = await auditor.get(`${home}/audit?who=${awa}`)
    assert.match(all.visible, /awa\.operator@ops\.example Transaction ended by hand .*203\.0\.113/)
  })
})

it('the ledger is consistent after these tests', () => assertMoney({ db }))
