import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endLifetime, linkOf, newLink, untilSeen } from '#test/links.ts'
import { liveGateway } from '#test/live.ts'
import { commandLine, dataFolder } from '#test/program.ts'
import { statement } from '#test/statement.ts'
import { eventually } from '#test/wait.ts'
import { findEventBreaks } from './events-store.ts'
import { findLinkBreaks } from './links-store.ts'

const live = await liveGateway({ pace: 20 })
const { db, connect, databaseUrl } = live
const { checkout } = live.links
const owner = connect({ asOwner: true })
const phone = '771234567'
const serviceCode = 'WALLETA_SN_CASHOUT'

const fresh = await newLink(live)
const open = await newLink(live)
await checkout.pay(open, { serviceCode, phone: '770000004' })
const tried = await newLink(live)
await checkout.pay(tried, { serviceCode, phone: '770000001' })
await untilSeen(live, tried, 'choose')
const paid = await newLink(live)
await checkout.pay(paid, { serviceCode, phone: '770000001' })
await untilSeen(live, paid, 'choose')
await checkout.pay(paid, { serviceCode, phone })
await untilSeen(live, paid, 'paid')
const failed = await newLink(live)
await checkout.giveUp(failed)
const expired = await newLink(live)
await endLifetime(owner, expired)
await eventually('it expires', async () => (await linkOf(db, expired)).status === 'EXPIRED')

/** What is found broken of a link; fails if anything is of another. */
async function breaksOf(id: string): Promise<string[]> {
  const breaks = await findLinkBreaks(db)
  for (const one of breaks) assert.deepEqual([one.promise, one.where], ['link', `link ${id}`])
  return breaks.map(({ what }) => what).sort()
}

it('links in every state have no breaks', async () => {
  assert.deepEqual(await findLinkBreaks(db), [])
  assert.deepEqual(await findEventBreaks(db), [])
})

describe('a broken link is reported:', () => {
  // link, statement that breaks it, statement that repairs it, breaks
  const table: [id: string, plant: string, undo: string, ...breaks: string[]][] = [
    [
      fresh,
      `update links set status = 'SUCCESS', completed_at = now() where id = '${fresh}'`,
      `update links set status = 'PENDING', completed_at = null where id = '${fresh}'`,
      'is SUCCESS and was paid 0 times',
      'is SUCCESS, its history says ',
    ],
    [
      paid,
      `update links set paid_id = gen_random_uuid() where id = '${paid}'`,
      `update links set paid_id = (select id from transactions where link_id = '${paid}'
        and status = 'SUCCESS') where id = '${paid}'`,
      'was paid by another payment than it says',
    ],
    [
      paid,
      `update transactions set status = 'SUCCESS' where link_id = '${paid}' and status = 'FAILED'`,
      `update transactions set status = 'FAILED' where link_id = '${paid}' and phone <> '${phone}'`,
      'is SUCCESS and was paid 2 times',
      'was paid by another payment than it says',
    ],
    [
      open,
      `update links set open_id = null where id = '${open}'`,
      `update links set open_id = (select id from transactions where link_id = '${open}')
        where id = '${open}'`,
      'has 1 payments under way',
      'has another payment under way than it says',
    ],
    [
      tried,
      `update links set open_id = (select id from transactions where link_id = '${tried}')
        where id = '${tried}'`,
      `update links set open_id = null where id = '${tried}'`,
      'has 0 payments under way',
    ],
    [
      tried,
      `update links set attempts = 0 where id = '${tried}'`,
      `update links set attempts = 1 where id = '${tried}'`,
      'counts 0 payments of 1',
    ],
    [
      paid,
      `update transactions set amount = 7499 where link_id = '${paid}' and status = 'SUCCESS'`,
      `update transactions set amount = 7500 where link_id = '${paid}' and status = 'SUCCESS'`,
      'has 1 payments of something else',
    ],
    [
      failed,
      `update links set status = 'EXPIRED' where id = '${failed}'`,
      `update links set status = 'FAILED' where id = '${failed}'`,
      'is EXPIRED, its history says FAILED',
    ],
    [
      fresh,
      `update links set completed_at = '2026-01-15T10:00Z' where id = '${fresh}'`,
      `update links set completed_at = null where id = '${fresh}'`,
      'is PENDING and ended 2026-01-15 10:00:00+00',
    ],
    [
      failed,
      `update links set completed_at = null where id = '${failed}'`,
      `update links set completed_at = now() where id = '${failed}'`,
      'is FAILED and has no end',
    ],
  ]
  for (const [id, plant, undo, ...breaks] of table)
    it(breaks.join('; '), async () => {
      await owner(statement(plant))
      const found = await breaksOf(id)
      await owner(statement(undo))
      assert.deepEqual(found, breaks.sort())
      assert.deepEqual(await findLinkBreaks(db), [])
    })

  it('it ended without an event', async () => {
    await owner`update links set completed_at = now(), status = 'FAILED' where id = ${fresh}`
    const [found, ...more] = await findEventBreaks(db)
    await owner`update links set completed_at = null, status = 'PENDING' where id = ${fresh}`
    assert.deepEqual([found?.where, found?.what], [`link ${fresh}`, 'ended without an event'])
    assert.deepEqual(more, [])
  })

  it('`passerelle verify` prints it and exits with 1', async () => {
    const environment = { DATABASE_URL: databaseUrl, DATA_DIR: await dataFolder() }
    const passerelle = commandLine(environment)
    assert.match(await passerelle.text('verify'), /the ledger holds/)
    await owner`update links set attempts = 3 where id = ${tried}`
    const { code, stdout } = await passerelle.run('verify')
    assert.equal(code, 1)
    const what = `link ${tried} counts 3 payments of 1`
    assert.match(stdout, new RegExp(`^BREAK link: client \\d+ ${what}\n`))
  })

  it('its history has a second final status', async () => {
    await owner`update links set attempts = 1 where id = ${tried}`
    // Last, because a history is append-only: this cannot be undone.
    await owner`
      insert into status_history (
        client_id, resource, record_id, from_status, trigger, to_status, at)
      select client_id, resource, record_id, from_status, trigger, 'FAILED', now()
      from status_history where record_id = ${expired}`
    assert.deepEqual(await breaksOf(expired), ['is EXPIRED, its history says EXPIRED, FAILED'])
  })
})
