import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newLink } from '#test/links.ts'
import { liveGateway } from '#test/live.ts'
import { idsOfShort, newLinkId, shortOf } from './link.ts'

const gateway = await liveGateway({ pace: 50 })

describe('the short form of a link', () => {
  it('has 13 characters without look-alikes, and stands for the ids that begin like it', () => {
    for (let tried = 0; tried < 200; tried += 1) {
      const id = newLinkId()
      const short = shortOf(id)
      assert.match(short, /^[0-9a-hjkmnp-tv-z]{13}$/)
      const { first = '', last = '' } = idsOfShort(short) ?? {}
      assert.ok(first <= id && id <= last, `${first} ${id} ${last}`)
      // 65 bits are the same in all of them.
      const [low, high] = [first, last].map((one) => BigInt(`0x${one.replaceAll('-', '')}`))
      assert.equal((high ?? 0n) - (low ?? 0n), 2n ** 63n - 1n)
    }
  })

  it('is read as people write it', () => {
    const plain = '0123456789abc'
    assert.deepEqual(idsOfShort('OI23456789ABC'), idsOfShort(plain))
    assert.deepEqual(idsOfShort('ol23456789abc'), idsOfShort(plain))
    for (const none of ['', 'abc', `${plain}0`, '012345678 abc', '01234567u9abc', 'é123456789abc'])
      assert.equal(idsOfShort(none), undefined, none)
  })

  it('leads to the page of the link, in the language that is asked for', async () => {
    const id = await newLink(gateway)
    const at = `${gateway.url}/pay/p/${shortOf(id)}`
    const answer = await fetch(`${at}?lang=en`, { redirect: 'manual' })
    assert.equal(answer.status, 302)
    assert.equal(answer.headers.get('location'), `../process/${id}?lang=en`)
    assert.match(
      await (await fetch(at.toUpperCase().replace(/.*\/PAY\/P/, `${gateway.url}/pay/p`))).text(),
      /data-version/,
    )
    const unknown = await fetch(`${gateway.url}/pay/p/${shortOf(newLinkId())}`)
    assert.equal(unknown.status, 404)
    for (const none of ['', '/', '/x', `/${'0'.repeat(2000)}`])
      assert.equal((await fetch(`${gateway.url}/pay/p${none}`)).status, 404, none)
  })

  it('is found by the index of ids', async () => {
    const { first = '', last = '' } = idsOfShort(shortOf(newLinkId())) ?? {}
    const plan = await gateway.db.transaction(async (tx) => {
      await tx`set local enable_seqscan = off`
      return tx<Record<string, string>>`
        explain select id from links where id between ${first} and ${last} limit 2`
    })
    assert.match(JSON.stringify(plan), /links_id_idx/)
  })

  it('cannot be guessed at any rate', async () => {
    const statuses = new Set<number>()
    for (let tried = 0; tried < 620 && !statuses.has(429); tried += 1)
      statuses.add((await fetch(`${gateway.url}/pay/p/${shortOf(newLinkId())}`)).status)
    assert.deepEqual([...statuses], [404, 429])
  })
})
