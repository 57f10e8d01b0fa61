import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, describe } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Approval } from '#backoffice/approvals/approval.ts'
import { systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openPseudonyms } from '#base/sealing/pseudonym.ts'
import { type KeyRing, keysFor, sealText } from '#base/sealing/seal.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { openFactorSafe } from '#merchants/people/factors/safe.ts'
import { pay, topUpBody } from '#test/bills.ts'
import { testClock } from '#test/clock.ts'
import { addPerson } from '#test/dashboard.ts'
import { call, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { commandLine, dataFolder, startProgram } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { sealedValues } from '#test/sealed-values.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { sealedColumns } from './columns.ts'
import { fingerprintOf } from './fingerprints.ts'
import { withKeptKeys } from './kept-keys.ts'
import { openSecrets } from './open.ts'

const [before, next] = [randomBytes(32), randomBytes(32)]
const base64 = (key: Buffer) => key.toString('base64')
// The three steps of docs/runbooks/rotation.md.
const old = { SECRET_KEY: base64(before) }
const first = { ...old, SECRET_KEY_OTHERS: base64(next) }
const second = { SECRET_KEY: base64(next), SECRET_KEY_OTHERS: base64(before) }
const last = { SECRET_KEY: base64(next) }
const ringOf = (sealing: Buffer, ...others: Buffer[]): KeyRing => ({ sealing, others })

const gateway = await liveGateway({ environment: { ...old, APPROVAL_ABOVE: '1000' } })
const { db, databaseUrl, secret } = gateway
const receiver = await openReceiver()
const callBackURL = `${receiver.url}/hook`
const environment = { DATABASE_URL: databaseUrl, DATA_DIR: await dataFolder() }
const passerelle = commandLine(environment, 'shared')
const secretsWith = (ring: KeyRing, own = db) =>
  openSecrets({ db: own, clock: systemClock, secretKey: ring })

/** A caller that pays without a pause, by whichever process serves at that moment. */
function openLoad(urls: () => string[]) {
  const problems: string[] = []
  const paid: { url: string; id: string }[] = []
  let isOn = true
  const inUse = new Map<number, string[]>()
  const loops = Array.from({ length: 2 }, async (_, loop) => {
    for (let count = 0; isOn; count += 1) {
      const [url = ''] = urls().slice(count % urls().length)
      const used = [url, urls().at(-1) ?? '']
      inUse.set(loop, used)
      const headers = { 'Idempotency-Key': `load-${loop}-${count}` }
      const order = initBody({ callBackURL, externalTransactionId: `load-${loop}-${count}` })
      const answers = []
      // The second is a replay of the first, which another process has sealed.
      for (const at of used)
        answers.push(
          await call({ url: at, secret }, 'POST /api/v1/transaction/init', order, headers),
        )
      for (const { status, text } of answers) if (status !== 201) problems.push(text)
      if (answers[0]?.text !== answers[1]?.text) problems.push('another answer')
      paid.push({ url, id: String(answers[0]?.body.transaction?.transactionId) })
    }
  })
  const stop = async () => {
    isOn = false
    await Promise.all(loops)
    return { problems, paid }
  }
  after(stop)
  const isUsed = (url: string) => [...inUse.values()].some((used) => used.includes(url))
  return { stop, isUsed, count: () => paid.length }
}

/** Answers that were kept before the rotation, enough for several pages. */
async function keepAnswers(count: number): Promise<void> {
  const [row] = await db<{ clientId: number; keyId: string }>`
    select client_id as "clientId", key_id as "keyId" from transactions limit 1`
  const keys = Array.from({ length: count }, (_, index) => `kept-${index}`)
  const purpose = keysFor(before, 'remembered answers')
  const bodies = keys.map((key) => sealText(purpose, '{}', `${row?.clientId} ${row?.keyId} ${key}`))
  await db`
    insert into idempotency_keys (
      client_id, key_id, key, fingerprint, record_id, claim, claimed_until, http_status, body,
      created_at)
    select ${row?.clientId ?? 0}, ${row?.keyId ?? ''}::uuid, key, ''::bytea, gen_random_uuid(),
      gen_random_uuid(), now(), 201, body, now()
    from unnest(${keys}::text[], ${bodies}::text[]) as k (key, body)`
}

/** A person with an authenticator app and a message to read. */
async function keepSecrets(): Promise<void> {
  const [person, session] = [randomUUID(), randomUUID()]
  const factor = openFactorSafe({ db, secretKey: before }).seal(randomBytes(20), person)
  const message = sealText(keysFor(before, 'session messages'), '{}', session)
  await db`
    insert into people (id, email, name, language, created_at)
    values (${person}, 'awa@example.org', 'Awa', 'fr', now())`
  await db`insert into second_factors (person_id, secret) values (${person}, ${factor})`
  await db`
    insert into sessions (
      hash, id, person_id, created_at, last_seen_at, confirmed_at, address, agent, message)
    values (${randomBytes(32)}, ${session}, ${person}, now(), now(), now(), '', '', ${message})`
}

/** A code that one person has proposed for a top-up, and that waits for another. */
async function proposeCode(at: typeof gateway): Promise<Approval> {
  const body = topUpBody({ amount: 5000 })
  await script(at, body.reference_client, [])
  const id = String((await pay(at, body)).body.transaction.transactionId)
  const head = { kind: 'resolve', clientId: at.clientId, id, as: 'success', reason: 'x' } as const
  const asker = { person: 'awa@ops.example', actor: 'awa' }
  const requested = await at.approvals.request({ ...head, token: code }, asker)
  assert.ok(requested.kind === 'proposed')
  return requested.approval
}

const code = '1111-2222-3333-4444'

it('a proposed code is given after a rotation, and a refused one needs no old key', async () => {
  const own = await liveGateway({ environment: { ...old, APPROVAL_ABOVE: '1000' } })
  const binta = await addPerson(own, { operatorRole: 'operator' })
  const [given, refused] = [await proposeCode(own), await proposeCode(own)]
  await own.approvals.refuse({ id: refused.id, person: binta, reason: 'no' })
  await secretsWith(ringOf(before), own.db).prepare()
  const { columns } = await secretsWith(ringOf(next, before), own.db).rotate('test')
  assert.deepEqual(columns.find(({ name }) => /proposals/.test(name))?.byKey, [2, 0])
  const after = await own.newProcess(own.connect(), last)
  await after.approvals.approve({ id: given.id, person: binta })
  const { id = '' } = 'id' in given.order ? given.order : {}
  const found = await call({ ...own, url: after.url }, `GET /api/v1/transaction/${id}`)
  assert.equal(found.body.transaction.token, code)
  const change = own.db`update approvals set content = '{}' where id = ${refused.id}`
  await assert.rejects(change, /cannot be changed/)
})

describe('a rotation of SECRET_KEY', () => {
  slowTest('refuses no request while processes of each step serve, and loses nothing', async () => {
    await secretsWith(ringOf(before)).prepare()
    const { clientId } = gateway
    const sealing = { secretKey: before, clock: systemClock }
    const order = { clientId, overlapMs: 0 }
    const signing = await db.transaction((tx) => addWebhookSecret(tx, sealing, order))
    const meter = await pay(gateway, topUpBody({ callBackURL, externalTransactionId: 'meter' }))
    const { token, transactionId } = meter.body.transaction
    assert.match(token, /\d{4}/)
    const kept = await withKeptKeys(db, ringOf(before))
    const pseudonym = openPseudonyms(kept)('771234567')
    assert.equal(pseudonym, openPseudonyms(before)('771234567'))
    await keepAnswers(5000)
    await keepSecrets()
    await proposeCode(gateway)

    let urls = [gateway.url]
    const load = openLoad(() => urls)
    const more = async (count: number) => {
      const from = load.count()
      await eventually('more payments', () => load.count() >= from + count)
    }
    await more(10)
    const one = await gateway.newProcess(gateway.connect(), first)
    urls = [gateway.url, one.url]
    await more(10)
    const retire = async ({ url, stop }: { url: string; stop(): Promise<void> }) => {
      urls = urls.filter((other) => other !== url)
      await eventually('nobody calls it', () => !load.isUsed(url))
      await stop()
    }
    // Once every process knows the next key, one may seal with it.
    await retire(gateway)
    const sealedByOld = await sealedValues(db)
    const two = await gateway.newProcess(gateway.connect(), second)
    urls = [one.url, two.url]
    await more(20)
    await retire(one)
    await more(5)

    await killHalfWay()
    const { keys, columns } = await passerelle.json('secrets rotate', second)
    assert.deepEqual(
      columns.map((column: { byKey: number[]; lost: number }) => [column.byKey[1], column.lost]),
      columns.map(() => [0, 0]),
    )
    assert.deepEqual([keys[1].fingerprint, keys[1].mayGo], [fingerprintOf(before), true])
    // Whether or not the program knows of a column.
    const sealedNow = await sealedValues(db)
    for (const [column, values] of sealedByOld) {
      const left = [...values].filter((value) => sealedNow.get(column)?.has(value))
      assert.deepEqual(left, [], column)
    }
    assert.equal(sealedByOld.size, columns.length)
    await assertKeepsChanges()
    const three = await gateway.newProcess(gateway.connect(), last)
    urls = [two.url, three.url]
    await more(10)
    await retire(two)
    await more(5)
    const { problems, paid } = await load.stop()
    assert.deepEqual(problems, [])
    for (const { id } of paid)
      assert.equal(await until({ url: three.url, secret }, id, isEnd), 'SUCCESS')

    // Without the old key everything is still there.
    const got = await eventually('its webhook', () =>
      receiver.got.find(({ body }) => body.includes(paid.at(-1)?.id ?? 'none')),
    )
    const headers = got.headers as Record<string, string>
    assert.ok(new Webhook(signing).verify(got.body, headers))
    const looked = await call(
      { url: three.url, secret },
      `GET /api/v1/transaction/${transactionId}`,
    )
    assert.equal(looked.body.transaction.token, token)
    const now = await withKeptKeys(db, ringOf(next))
    assert.equal(openPseudonyms(now)('771234567'), pseudonym)
    const codes = (key: KeyRing) => openFactorSafe({ db, secretKey: key }).hashOf('abcd')
    assert.deepEqual(codes(now), codes(kept))
    assert.notDeepEqual(codes(ringOf(next)), codes(kept))
    await secretsWith(ringOf(next)).check()
    await assertMoney({ ...gateway, secretKey: next })
  })
})

/** What was changed since it was read must stay as it is. */
async function assertKeepsChanges(): Promise<void> {
  for (const { name, start, read, replace } of sealedColumns) {
    const rows = await read(db, start, 10_000)
    const one = rows.find(({ sealed }) => sealed !== null)
    assert.ok(one, name)
    const other = Buffer.isBuffer(one.sealed) ? randomBytes(40) : 'not what is there'
    await replace(db, [{ place: one.place, from: other, to: other }])
    const again = await read(db, start, 10_000)
    const kept = again.find(({ place }) => place.join() === one.place.join())
    assert.deepEqual(kept, one, name)
  }
}

/** Runs `secrets rotate` and kills it once it has sealed something anew, but not everything. */
async function killHalfWay(): Promise<void> {
  const readKept = () => db<{ body: string }>`
    select body from idempotency_keys where key like 'kept-%' order by key limit 1`
  const [kept] = await readKept()
  const program = startProgram(['secrets', 'rotate'], { ...environment, ...second })
  await eventually('a part', async () => (await readKept())[0]?.body !== kept?.body)
  program.kill('SIGKILL')
  assert.equal((await program.ended).code, null)
  const { keys } = await passerelle.json('secrets status', second)
  assert.ok(keys[1].values > 0)
  assert.equal(keys[1].mayGo, false)
}

describe('a start with wrong keys', () => {
  it('is refused where a key is lacking, or a running process lacks the new one', async () => {
    const { connect, databaseUrl: url } = await liveGateway({ environment: old })
    const own = connect()
    const noted = await secretsWith(ringOf(before), own).startNoting(openLog('silent'))
    after(noted.stop)
    await secretsWith(ringOf(before), own).prepare()
    const lacking = new RegExp(`sealed with the key ${fingerprintOf(before)}, and SECRET_KEY`)
    await assert.rejects(secretsWith(ringOf(next), own).check(), lacking)
    // The first step was left out.
    const skipped = /A process that runs cannot open what SECRET_KEY [0-9a-f]{8} would seal/
    await assert.rejects(secretsWith(ringOf(next, before), own).check(), skipped)
    await secretsWith(ringOf(before, next), own).check()
    const doctor = commandLine({ DATABASE_URL: url, DATA_DIR: await dataFolder() }, 'shared')
    const { code, stdout } = await doctor.run('doctor', last)
    assert.equal(code, 1)
    assert.match(stdout, lacking)
  })

  it('needs the old key no more once status says so, though rotate was run at once', async () => {
    const { connect } = await liveGateway({ environment: old })
    const own = connect()
    const clock = testClock()
    const secrets = (ring: KeyRing) => openSecrets({ db: own, clock, secretKey: ring })
    await secrets(ringOf(before)).prepare()
    const noted = await secrets(ringOf(before, next)).startNoting(openLog('silent'))
    await noted.stop()
    // A process that seals with the old key may still run.
    clock.advance(60_000)
    const early = await secrets(ringOf(next, before)).rotate('test')
    assert.deepEqual([early.keys[1]?.values, early.keys[1]?.mayGo], [0, false])
    const lacking = /sealed with the key/
    await assert.rejects(secrets(ringOf(next)).prepare(), lacking)
    clock.advance(180_000)
    const { keys } = await secrets(ringOf(next, before)).status()
    assert.equal(keys[1]?.mayGo, true)
    await secrets(ringOf(next)).prepare()
    const kept = await withKeptKeys(own, ringOf(next))
    assert.equal(openPseudonyms(kept)('771234567'), openPseudonyms(before)('771234567'))
  })

  it('is refused on the first start of a version that notes keys, by what is stored', async () => {
    const { connect, clientId } = await liveGateway({ environment: old })
    const own = connect()
    const sealing = { secretKey: before, clock: systemClock }
    await own.transaction((tx) => addWebhookSecret(tx, sealing, { clientId, overlapMs: 0 }))
    const sealed = /sealed with another key than SECRET_KEY/
    await assert.rejects(secretsWith(ringOf(next), own).prepare(), sealed)
    // Hashes were made with the key that opens what is stored, whichever seals now.
    await secretsWith(ringOf(next, before), own).prepare()
    const kept = await withKeptKeys(own, ringOf(next, before))
    assert.equal(openPseudonyms(kept)('771234567'), openPseudonyms(before)('771234567'))
  })
})
