import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SignedIn } from '../../test/dashboard.ts'
import { signedInAs } from '../../test/dashboard.ts'
import { call, collected, initBody, liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'
import { systemClock } from '../kit/clock.ts'
import { settle } from '../ledger/settlement.ts'

const gateway = await liveGateway({ pace: 50 })
const { url, clientId } = gateway

/** Opens a stream as a page does, and collects what is sent. */
async function open(person: SignedIn, query = `client=${clientId}`, headers = {}) {
  const stop = new AbortController()
  const answer = await fetch(`${url}/dashboard/live?${query}`, {
    headers: { cookie: person.cookie, ...headers },
    signal: stop.signal,
    redirect: 'manual',
  })
  const { status } = answer
  const encoding = answer.headers.get('content-encoding')
  const got = { status, encoding, text: '', isOver: false, close: () => stop.abort() }
  const read = async () => {
    for await (const part of answer.body ?? []) got.text += Buffer.from(part).toString()
  }
  read()
    .catch(() => {})
    .finally(() => {
      got.isOver = true
    })
  return got
}

describe('an open page', () => {
  it('gets new rows and states, in the language and with the numbers of its reader', async () => {
    const owner = await open(await signedInAs(gateway, 'owner'))
    const support = await open(await signedInAs(gateway, 'support', 'fr'))
    const other = await gateway.newMerchant()
    const stranger = await signedInAs({ ...gateway, ...other }, 'owner')
    const foreign = await open(stranger, `client=${other.clientId}`)
    const id = await collected(gateway)
    await eventually('its row is sent', () => owner.text.includes(`id="t-${id}"`))
    assert.match(owner.text, /action="prepend" target="newest"/)
    await eventually('it is sent to all', () => support.text.includes(`id="t-${id}"`))
    assert.match(owner.text, /771234567/)
    assert.doesNotMatch(support.text, /771234567/)
    assert.match(support.text, /Encaissement/)
    assert.doesNotMatch(foreign.text, /turbo-stream/)
    for (const one of [owner, support, foreign]) one.close()
  })

  it('gets what happens right after it was opened', async () => {
    const merchant = await gateway.newMerchant()
    const own = { ...gateway, ...merchant }
    const person = await signedInAs(own, 'owner')
    const now = systemClock.now().getTime()
    const list = await open(person, `client=${merchant.clientId}&at=${now}`)
    const home = await open(person, `client=${merchant.clientId}&home=yes&at=${now}`)
    const id = await collected(own)
    await eventually('its row is sent', () => list.text.includes(`id="t-${id}"`))
    await eventually('it is on home', () => home.text.includes(`/dashboard/transactions/${id}`))
    for (const one of [list, home]) one.close()
  })

  it('gets a notice instead of rows when more come in than anybody can follow', async () => {
    const merchant = await gateway.newMerchant()
    const own = { ...gateway, ...merchant }
    const person = await signedInAs(own, 'owner')
    const page = await person.get('/dashboard/transactions')
    assert.match(page.text, /<p id="many-new" hidden>/)
    const stream = await open(person, `client=${merchant.clientId}`)
    const payMany = () => Promise.all(Array.from({ length: 15 }, () => collected(own)))
    await eventually('a notice is sent', async () => {
      await payMany()
      return stream.text.includes('target="many-new"')
    })
    assert.match(stream.text, /Many transactions have just come in/)
    assert.doesNotMatch(stream.text, /action="refresh"/)
    const later = await open(person, `client=${merchant.clientId}`)
    await eventually('a page that was opened later gets it, too', async () => {
      await payMany()
      return later.text.includes('target="many-new"')
    })
    assert.equal(stream.text.split('target="many-new"').length, 2, 'it was sent once to each')
    for (const one of [stream, later]) one.close()
  })

  it('gets the same compressed and as it is', async () => {
    const merchant = await gateway.newMerchant()
    const own = { ...gateway, ...merchant }
    const person = await signedInAs(own, 'owner')
    const query = `client=${merchant.clientId}`
    const packed = await open(person, query)
    const plain = await open(person, query, { 'accept-encoding': 'identity' })
    assert.deepEqual([packed.encoding, plain.encoding], ['gzip', null])
    const id = await collected(own)
    await eventually('its row is sent', () =>
      [packed, plain].every(({ text }) => text.includes(`id="t-${id}"`)),
    )
    const updates = (text: string) => text.slice(text.indexOf('id: '), text.lastIndexOf('\n\n'))
    const [shorter, longer] = [updates(packed.text), updates(plain.text)].toSorted(
      (one, other) => one.length - other.length,
    )
    assert.ok(longer?.startsWith(shorter ?? '-'), `${shorter}\n\n${longer}`)
    for (const one of [packed, plain]) one.close()
  })

  it('of one transaction is told to read itself again', async () => {
    const person = await signedInAs(gateway, 'viewer')
    const body = initBody({ number: '770000003' })
    const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
    const id = String(answer.body.transaction.transactionId)
    const { text } = await person.get(`/dashboard/transactions/${id}`)
    assert.match(text, /data-live="\/dashboard\/live\?client=\d+&amp;one=[^"]+&amp;mark=[\d.]+"/)
    const stream = await open(person, `client=${clientId}&one=${id}&mark=old`)
    await eventually('it is told', () => stream.text.includes('action="refresh"'))
    stream.close()
  })

  it('ends when its person signs out, and is none for others', async () => {
    const person = await signedInAs(gateway, 'owner')
    const stream = await open(person)
    assert.equal(stream.status, 200)
    await person.post('/dashboard/sign-out', {}, { from: '/dashboard' })
    await eventually('it ends', () => stream.isOver)
    assert.equal((await open(person)).status, 303)
    const another = await signedInAs(gateway, 'owner')
    assert.equal((await open(another, 'client=999999')).status, 204)
  })

  it('is one of twenty at most for a person', async () => {
    const person = await signedInAs(gateway, 'owner')
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(person)))
    assert.ok(streams.every(({ status }) => status === 200))
    assert.equal((await open(person)).status, 429)
    for (const one of streams) one.close()
  })
})

describe('an open home page', () => {
  it('gets figures and latest transactions, read once for all pages of a client', async () => {
    const merchant = await gateway.newMerchant(70_000)
    const own = { ...gateway, ...merchant }
    const { liveFigures } = gateway.reports
    const { read } = liveFigures
    let reads = 0
    const startedMs = performance.now()
    liveFigures.read = (wanted) => {
      reads += wanted.filter(({ clientId: id }) => id === merchant.clientId).length
      return read(wanted)
    }
    const query = `client=${merchant.clientId}&home=yes`
    const owner = await signedInAs(own, 'owner')
    const pages = await Promise.all([owner, owner, owner].map((one) => open(one, query)))
    const support = await open(await signedInAs(own, 'support', 'fr'), query)
    const all = [...pages, support]
    let payments = 0
    await eventually('the first change is sent', async () => {
      await collected(own)
      payments += 1
      return all.every(({ text }) => text.includes('target="latest"'))
    })
    const count = `${payments} payment`
    await eventually('the last payment is counted', () =>
      pages.every(({ text }) => text.slice(text.lastIndexOf('target="figures"')).includes(count)),
    )
    const [first] = pages
    assert.match(
      first?.text ?? '',
      /target="figures">.*Available balance.*target="latest">.*771234567/,
    )
    assert.doesNotMatch(support.text, /771234567|Solde disponible/)
    assert.match(support.text, /Dernières transactions/)
    const sent = (text: string) => text.split('target="figures"').length - 1
    assert.ok(
      all.every(({ text }) => sent(text) <= reads),
      'read for each page',
    )
    const rounds = (performance.now() - startedMs) / 1500 + 1
    assert.ok(reads <= rounds, `${reads} reads in ${rounds} rounds`)

    const before = reads
    const fund = { clientId: merchant.clientId, amount: 1234, ref: 'bank', actor: 'test' }
    await gateway.db.transaction((tx) => settle(tx, { ...fund, now: systemClock.now() }))
    await eventually('a deposit is seen, too', () => reads > before)
    for (const one of all) one.close()
    await eventually('all have left', () => all.every(({ isOver }) => isOver))
    liveFigures.read = read
  })

  it('costs nothing once it is closed', async () => {
    const merchant = await gateway.newMerchant()
    const own = { ...gateway, ...merchant }
    const { liveFigures } = gateway.reports
    const { read } = liveFigures
    let reads = 0
    liveFigures.read = (wanted) => {
      reads += wanted.filter(({ clientId: id }) => id === merchant.clientId).length
      return read(wanted)
    }
    const closed = await open(
      await signedInAs(own, 'owner'),
      `client=${merchant.clientId}&home=yes`,
    )
    closed.close()
    await eventually('it has left', () => closed.isOver)
    const watched = await open(await signedInAs(gateway, 'owner'))
    await eventually('another page sees its own change', async () => {
      await collected(own)
      await collected(gateway)
      return watched.text.includes('turbo-stream')
    })
    assert.equal(reads, 0)
    watched.close()
    liveFigures.read = read
  })

  it('names its stream, and shows the latest transactions at once', async () => {
    const person = await signedInAs(gateway, 'viewer')
    const { text, visible } = await person.get('/dashboard')
    assert.match(text, /data-live="\/dashboard\/live\?client=\d+&amp;home=yes&amp;at=\d+"/)
    assert.match(visible, /Latest transactions All transactions .*Collection Wallet A · SN/)
  })
})

it('watching moves no money', () => assertMoney(gateway))
