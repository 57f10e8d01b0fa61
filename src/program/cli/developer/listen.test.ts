import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { demoWebhookSecret } from '#program/sandbox/demo-keys.ts'
import { openProxy } from '#test/lab-proxy.ts'
import { liveGateway } from '#test/live.ts'
import { commandLine, startProgram } from '#test/program.ts'
import { announce, endedTransaction, openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const passerelle = commandLine({}, 'shared')

async function merchant() {
  const { clientId, secret } = await live.newMerchant(0)
  const [key] = await live.db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
  const keyId = key?.id ?? ''
  const add = (externalId: string, change = {}) =>
    announce(live, [endedTransaction({ clientId, keyId, externalId, ...change })])
  return { add, key: secret }
}

type Merchant = Awaited<ReturnType<typeof merchant>>

/** Starts it on a merchant, and waits until it misses nothing. */
async function start({ key }: Merchant, options: string[], url = live.url) {
  const program = startProgram(['listen', ...options], { PASSERELLE_URL: url, PASSERELLE_KEY: key })
  const lines = () => program.printed().split('\n').filter(Boolean)
  const events = () => lines().map((line) => JSON.parse(line))
  const ids = () => events().map(({ event }) => event.externalTransactionId as string)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    program.kill(signal)
    return program.ended
  }
  return { ...program, lines, events, ids, stop }
}

/** Adds an event until it is seen: before the stream is open, nobody listens. */
async function untilHeard({ add }: Merchant, ids: () => string[]): Promise<void> {
  await eventually('it listens', async () => {
    if (ids().length > 0) return true
    await add('first')
    return false
  })
}

const withoutFirst = (ids: string[]) => ids.filter((id) => id !== 'first')

describe('passerelle listen', () => {
  it('prints what happens from now on, and forwards it as a signed webhook', async () => {
    const shop = await merchant()
    const receiver = await openReceiver()
    await shop.add('past')
    const listening = await start(shop, ['--json', '--forward', `${receiver.url}/hook?a=1`])
    await untilHeard(shop, listening.ids)
    await listening.stop()
    assert.deepEqual(new Set(listening.ids()), new Set(['first']))
    const [shown] = listening.events()
    assert.equal(shown.forwarded.status, 200)
    const [got] = receiver.got
    assert.equal(got?.path, '/hook?a=1')
    assert.equal(got?.headers['webhook-id'], shown.id)
    const secret = (
      await passerelle.text('listen --print-secret', { PASSERELLE_KEY: shop.key })
    ).trim()
    const headers = got?.headers as Record<string, string>
    assert.deepEqual(new Webhook(secret).verify(got?.body ?? '', headers), shown.event)
  })

  it('signs with a secret of each key, that of the demo for its own, or a given one', async () => {
    const secretOf = (more: string, PASSERELLE_KEY = '') =>
      passerelle.text(`listen --print-secret ${more}`, { PASSERELLE_KEY })
    assert.equal(await secretOf(''), `${demoWebhookSecret}\n`)
    const own = await secretOf('', 'sk_sandbox_mine')
    assert.match(own, /^whsec_[\w+/]{43}=\n$/)
    assert.equal(await secretOf('', 'sk_sandbox_mine'), own)
    assert.notEqual(await secretOf('', 'sk_sandbox_other'), own)
    const given = 'whsec_Z2l2ZW4tZ2l2ZW4tZ2l2ZW4tZ2l2ZW4='
    assert.equal(await secretOf(`--secret ${given}`), `${given}\n`)
  })

  it('shows a line for each of the events that are wanted', async () => {
    const shop = await merchant()
    const names = ['cashout.failed', 'refund', '*.cancelled']
    const listening = await start(shop, ['--after', 'start', '--events', names.join(', ')])
    await shop.add('unwanted')
    await shop.add('wanted', { status: 'FAILED', failure: 'balance_low' })
    await shop.add('back', { operation: 'REFUND' })
    await eventually('both lines', () => listening.lines().length === 2)
    const { code, stderr } = await listening.stop('SIGINT')
    const [failed, refund] = listening.lines()
    assert.match(
      failed ?? '',
      /^[\d:]{8} {2}#2 {2}cashout\.failed +5 000 F CFA {2}wanted {2}PAYER_/,
    )
    assert.match(refund ?? '', /^[\d:]{8} {2}#3 {2}refund\.success +5 000 F CFA {2}back$/)
    assert.equal(code, 130)
    assert.match(
      stderr,
      /^Listening to http:\S+ with the key sk_sandbox_\.\.\.\S{4}\nWebhook secret: whsec/,
    )
    assert.match(stderr, /\nReady\.\npasserelle: Stopped\. --after 3 goes on from here\.\n$/)
  })

  it('begins at the beginning, or after a cursor, when told to', async () => {
    const shop = await merchant()
    for (const id of ['one', 'two', 'three']) await shop.add(id)
    for (const [after, expected] of [
      ['start', ['one', 'two', 'three']],
      ['2', ['three']],
    ] as const) {
      const listening = await start(shop, ['--json', '--after', after])
      await eventually('all', () => listening.ids().length >= expected.length)
      await listening.stop()
      assert.deepEqual(listening.ids(), expected)
    }
  })
})

describe('when somebody is away', () => {
  it('the gateway: it goes on where it was, without a gap and without a repetition', async () => {
    const shop = await merchant()
    const proxy = await openProxy(live.url)
    const receiver = await openReceiver()
    const options = ['--json', '--forward', receiver.url]
    const listening = await start(shop, options, proxy.url)
    await untilHeard(shop, listening.ids)
    for (const round of ['a', 'b']) {
      await shop.add(`${round}1`)
      await eventually('it is seen', () => listening.ids().includes(`${round}1`))
      await proxy.refuseConnections()
      await shop.add(`${round}2`)
      await shop.add(`${round}3`)
      await proxy.acceptConnections()
      await eventually('it is back', () => listening.ids().includes(`${round}3`))
    }
    await listening.stop()
    const expected = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']
    assert.deepEqual(withoutFirst(listening.ids()), expected)
    const got = receiver.got.map(({ body }) => JSON.parse(body).externalTransactionId)
    assert.deepEqual(withoutFirst(got), expected)
    const sent = receiver.got.map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(sent).size, sent.length)
  })

  it('the program on this machine: its events wait for it, and come in order', async () => {
    const shop = await merchant()
    const receiver = await openReceiver()
    const target = await openProxy(receiver.url)
    await target.refuseConnections()
    const listening = await start(shop, ['--forward', target.url, '--after', 'start'])
    await shop.add('one')
    await shop.add('two')
    const wait = /Nobody answers at \S+: event 1 waits until somebody does/
    await eventually('it waits', () => wait.test(listening.told()))
    await target.acceptConnections()
    await eventually('both lines', () => listening.lines().length === 2)
    await listening.stop()
    const got = receiver.got.map(({ body }) => JSON.parse(body).externalTransactionId)
    assert.deepEqual(got, ['one', 'two'])
    for (const line of listening.lines()) assert.match(line, /-> 200 in \d+ ms$/)
  })

  it('an answer that is no success, or none at all, is shown, and it goes on', async () => {
    const shop = await merchant()
    const receiver = await openReceiver((got, response) => {
      const { externalTransactionId: id } = JSON.parse(got.body)
      if (id === 'cut') response.destroy()
      else response.writeHead(id === 'broken' ? 500 : 404).end()
    })
    for (const id of ['broken', 'cut', 'missing']) await shop.add(id)
    const options = ['--json', '--after', 'start', '--forward', receiver.url]
    const listening = await start(shop, options)
    await eventually('all three', () => listening.lines().length === 3)
    await listening.stop()
    const [broken, cut, missing] = listening.events().map(({ forwarded }) => forwarded)
    assert.deepEqual([broken.status, missing.status], [500, 404])
    assert.equal(typeof cut.problem, 'string')
    assert.equal(receiver.got.length, 3)
  })
})

describe('listen refuses', () => {
  const there = `--url ${live.url}`
  const refused: [name: string, options: string, says: RegExp][] = [
    [
      'a wrong key',
      `${there} --key sk_sandbox_wrong`,
      /does not know this key \(sk_sandbox_\.\.\.rong/,
    ],
    ['the demo key elsewhere', there, /does not know the demo key/],
    ['a wrong cursor', `${there} --key ${live.secret} --after x`, /refuses: .*\(400, /],
    [
      'a gateway that is not there',
      '--url http://127.0.0.1:1',
      /No gateway answers at .*npm start/,
    ],
    [
      'events that there are not',
      '--events cashot',
      /"cashot" is not an event: did you mean cashout\?/,
    ],
    ['a secret that is none', '--secret abc', /It must begin with whsec_/],
    ['a target that is none', '--forward localhost', /must be an address that begins with https:/],
  ]
  for (const [name, options, says] of refused)
    it(name, async () => {
      const { code, stdout, stderr } = await passerelle.run(`listen ${options}`)
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, says)
      assert.doesNotMatch(stderr, /^ {4}at /m)
    })
})
