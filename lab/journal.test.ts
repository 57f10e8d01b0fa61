import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { object } from './fields.ts'
import type { Body } from './router.ts'
import type { LabOptions, RunningLab } from './server.ts'
import { protocolClients } from './test-clients.ts'
import { newKey, openTestLab, type TestLab, until } from './test-lab.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-'))
  folders.push(folder)
  return folder
}

/** Starts labs as programs of their own, so slow that nothing happens before they are killed. */
function killableLabs() {
  const programs: ChildProcess[] = []
  const start = async ({ webhookUrl = '', dataFolder = '' }: LabOptions): Promise<RunningLab> => {
    const words = ['--port', '0', '--pace', '0.01', '--webhook-url', webhookUrl]
    const program = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], {
      env: { ...process.env, LAB_DATA: dataFolder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    programs.push(program)
    for await (const line of createInterface({ input: program.stdout })) {
      const { listening: url } = JSON.parse(line) as { listening: string }
      return { url, close: kill }
    }
    throw new Error('the lab did not start')
  }
  const kill = async () => {
    for (const program of programs.splice(0)) {
      const ended = once(program, 'exit')
      program.kill('SIGKILL')
      await ended
    }
  }
  return { start, kill }
}

const sn = '/gsma/WALLETA/SN'
const pay = (lab: TestLab, phone: string, key: string) =>
  lab.send(
    `POST ${sn}/transactions/type/merchantpay`,
    { amount: '500', currency: 'XOF', debitParty: [{ key: 'msisdn', value: `221${phone}` }] },
    { 'x-correlationid': key, 'x-callback-url': lab.inbox(key) },
  )
const billsOf = async (lab: TestLab) => {
  const { text } = await lab.send('GET /gsma/WATER/SN/accounts/accountid/100000002/bills')
  return JSON.parse(text) as Body[]
}
const ended = (lab: TestLab, key: string) =>
  until(
    () => lab.booked(key),
    (orders) => orders.length > 0 && orders.every(({ status }) => status !== 'pending'),
  )

describe('a lab that was killed', { concurrency: true }, () => {
  it('has its orders again, and ends them by their scenarios', async () => {
    const dataFolder = await newFolder()
    const { start, kill } = killableLabs()
    const first = await openTestLab({ dataFolder }, start)
    const placed = protocolClients.map((client) => ({ client, key: newKey() }))
    for (const { client, key } of placed) await client.order(first, '771234567', key)
    const [declined, silent, over] = [newKey(), newKey(), newKey()]
    await pay(first, '770000001', declined)
    await pay(first, '770000004', silent)
    const steps = [{ do: 'succeed' }, { do: 'callback' }]
    await first.send('POST /lab/scenario', { number: '781112233', steps })
    await pay(first, '781112233', over)
    const [paidBefore] = await ended(first, over)
    await until(
      () => first.received(over),
      ({ length }) => length === 1,
    )
    const [bill] = await billsOf(first)
    const path = `/gsma/WATER/SN/accounts/accountid/100000002/bills/${String(bill?.billReference)}`
    const payment = { amountPaid: bill?.amountDue, currency: 'XOF' }
    assert.equal((await first.send(`POST ${path}/payments`, payment)).status, 201)
    await kill()
    // What was being written when it was killed is torn.
    await appendFile(join(dataFolder, 'books.ndjson'), '["order",{"id":12')

    const second = await openTestLab({ dataFolder, pace: 1000 })
    for (const { client, key } of placed) {
      const { outcome, amount } = await until(
        () => client.query(second, key),
        ({ outcome }) => outcome === 'succeeded',
      )
      assert.deepEqual([outcome, amount], ['succeeded', 500], client.name)
    }
    const [refused] = await ended(second, declined)
    assert.deepEqual([refused?.status, refused?.reason], ['failed', 'insufficient_funds'])
    assert.deepEqual((await second.booked(silent))[0]?.status, 'pending')
    assert.deepEqual((await second.booked(over))[0], paidBefore)
    const repeated = await pay(second, '771234567', placed[0]?.key ?? '')
    assert.equal(repeated.body.errorCode, 'duplicateRequest')
    for (const key of [placed[0]?.key ?? '', placed[2]?.key ?? '', placed[4]?.key ?? '', declined])
      await until(
        () => first.received(key),
        ({ length }) => length === 1,
      )
    assert.equal(first.received(over).length, 1)
    assert.deepEqual(
      (await billsOf(second)).map(({ billStatus, billReference }) => [
        billStatus,
        billReference,
      ])[0],
      ['paid', bill?.billReference],
    )
    const { totals } = (await second.send('GET /lab/books')).body
    const { orders, pending, failed, executed, keysExecutedTwice } = object(totals)
    assert.deepEqual(
      { orders, pending, failed, executed, keysExecutedTwice },
      { orders: 13, pending: 1, failed: 1, executed: 11, keysExecutedTwice: 0 },
    )
  })

  it('goes on with new orders, and forgets all at a reset', async () => {
    const dataFolder = await newFolder()
    const { start, kill } = killableLabs()
    const keys = [newKey(), newKey(), newKey()]
    const references = new Set<unknown>()
    for (const key of keys) {
      const lab = await openTestLab({ dataFolder }, start)
      references.add((await pay(lab, '771234567', key)).body.objectReference)
      await kill()
    }
    assert.equal(references.size, 3)
    const last = await openTestLab({ dataFolder }, start)
    const { body } = await last.send('GET /lab/books?since=1')
    assert.deepEqual(
      (body.orders as Body[]).map(({ number, key }) => [number, key]),
      [
        [2, keys[1]],
        [3, keys[2]],
      ],
    )
    await last.send('POST /lab/reset')
    assert.equal(await readFile(join(dataFolder, 'books.ndjson'), 'utf8'), '')
    const after = newKey()
    await pay(last, '771234567', after)
    await kill()
    const empty = await openTestLab({ dataFolder }, start)
    assert.deepEqual((await empty.send('GET /lab')).body, { orders: 1, folder: dataFolder })
  })

  it('forgets ended orders of more than a week ago, and keeps open ones', async () => {
    const dataFolder = await newFolder()
    const { start, kill } = killableLabs()
    const lab = await openTestLab({ dataFolder }, start)
    const [open, over] = [newKey(), newKey()]
    await pay(lab, '770000004', open)
    await lab.send('POST /lab/scenario', { number: '781112233', steps: [{ do: 'succeed' }] })
    await pay(lab, '781112233', over)
    await kill()
    const path = join(dataFolder, 'books.ndjson')
    const lines = await readFile(path, 'utf8')
    const longAgo = Date.now() - 8 * 86_400_000
    await rm(path)
    await appendFile(path, lines.replaceAll(/"createdAt":\d+/g, `"createdAt":${longAgo}`))
    const again = await openTestLab({ dataFolder }, start)
    assert.deepEqual((await again.send('GET /lab')).body.orders, 1)
    assert.equal((await again.booked(open)).length, 1)
  })
})
