import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testPayServer } from '#test/pay-server.ts'
import { openLimits } from './limits.ts'

const link = '00000000-0000-4000-8000-000000000001'
const another = '00000000-0000-4000-8000-000000000002'

function countMany(times: number, count: () => number): number {
  return Array.from({ length: times }, count).filter((seconds) => seconds === 0).length
}

describe('the limits of an IP address in a minute', () => {
  const rows: ['page' | 'post' | 'state' | 'logo', number][] = [
    ['page', 60],
    ['post', 20],
    ['state', 120],
    ['logo', 600],
  ]
  for (const [kind, most] of rows)
    it(`are ${most} requests of kind ${kind} for a link, and ten times that in total`, () => {
      let nowMs = 0
      const limits = openLimits(() => nowMs)
      assert.equal(
        countMany(most * 2, () => limits.count(kind, '10.0.0.1', link)),
        most,
      )
      assert.equal(
        countMany(most * 2, () => limits.count(kind, '10.0.0.1', another)),
        most,
      )
      assert.equal(
        countMany(1, () => limits.count(kind, '10.0.0.2', link)),
        1,
      )
      nowMs = 59_000
      assert.equal(limits.count(kind, '10.0.0.1', link), 1)
      nowMs = 60_000
      assert.equal(limits.count(kind, '10.0.0.1', link), 0)
      let ids = 0
      const anyLink = () => limits.count(kind, '10.0.0.9', `${(ids += 1)}`)
      assert.equal(countMany(most * 11, anyLink), most * 10)
    })

  it('count a /64 network of IPv6 as one address', () => {
    const limits = openLimits()
    const count = (address: string) => limits.count('post', address, link)
    assert.equal(
      countMany(20, () => count('2001:db8:1:2::1')),
      20,
    )
    assert.ok(count('2001:db8:1:2:ffff::2') > 0)
    assert.ok(count('2001:db8:1:2:a:b:c:d') > 0)
    assert.equal(count('2001:db8:1:3::1'), 0)
    assert.equal(count('::1'), 0)
    assert.equal(count('::ffff:10.0.0.1'), 0)
  })
})

describe('open streams', () => {
  it('are limited to six for a link and address until one ends', () => {
    const limits = openLimits()
    const open = Array.from({ length: 7 }, () => limits.openStream('10.0.0.1', link))
    assert.deepEqual(
      open.map((close) => close !== undefined),
      [true, true, true, true, true, true, false],
    )
    assert.notEqual(limits.openStream('10.0.0.1', another), undefined)
    open[0]?.()
    assert.notEqual(limits.openStream('10.0.0.1', link), undefined)
    assert.equal(limits.openStream('10.0.0.1', link), undefined)
  })

  it('are limited to 60 for an address and 1,000 in total', () => {
    const limits = openLimits()
    let opened = 0
    for (let address = 0; address < 20; address += 1)
      for (let id = 0; id < 70; id += 1)
        if (limits.openStream(`10.0.0.${address}`, `${id}`) !== undefined) opened += 1
    assert.equal(opened, 1000)
    const few = openLimits()
    assert.equal(
      Array.from({ length: 70 }, (_, id) => few.openStream('10.0.0.1', `${id}`)).filter(Boolean)
        .length,
      60,
    )
  })
})

describe('a request over a limit', () => {
  it('gets a page with 429 and Retry-After', async () => {
    const { checkout, get } = await testPayServer()
    const id = checkout.put()
    for (let time = 0; time < 60; time += 1) assert.equal((await get(id)).status, 200)
    const refused = await get(id)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^([1-5]\d?|60|[6-9])$/)
    assert.match(refused.visibleText, /Un instant .*Réessayez dans \d+ secondes/)
  })

  it('for a form does nothing and leads to the page, which says when to try again', async () => {
    const { checkout, post, submit } = await testPayServer()
    const id = checkout.put()
    for (let time = 0; time < 20; time += 1) await post(`${id}/give-up`)
    const { visibleText } = await submit(`${id}/give-up`, { sure: 'yes' })
    assert.match(visibleText, /Réessayez dans \d+ secondes\. .*Étape 1 sur 3/)
    assert.deepEqual(checkout.calls, [])
  })

  it('is counted by the address that a trusted proxy forwards', async () => {
    const { checkout, post } = await testPayServer({ trustedProxies: ['127.0.0.1'] })
    const id = checkout.put()
    const from = async (address: string) => {
      const { headers } = await post(`${id}/give-up`, {}, { 'x-forwarded-for': address })
      return headers.get('location')
    }
    for (let time = 0; time < 20; time += 1) await from('203.0.113.7')
    assert.match((await from('203.0.113.7')) ?? '', /\?n=/)
    assert.equal(await from('203.0.113.8'), `../${id}/give-up`)
  })
})
