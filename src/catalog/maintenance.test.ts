import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { fakeMonotonicClock } from '../../test/fake-time.ts'
import type { Maintenance } from './maintenance.ts'
import { endMaintenance, startMaintenance, watchMaintenance } from './maintenance.ts'
import { readClosures } from './store.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const clock = testClock()
const since = clock.now()
const service = 'WALLETA_SN_CASHOUT'
const close = (scope: string, reason = 'works') =>
  startMaintenance(db, clock, { scope, reason, actor: 'ops' })
const open = (scope: string) => endMaintenance(db, clock, { scope, actor: 'ops' })

describe('maintenance', () => {
  afterEach(async () => {
    await owner`delete from maintenance`
    await owner`alter table audit_log disable trigger user`
    await owner`delete from audit_log`
    await owner`alter table audit_log enable trigger user`
  })

  for (const scope of ['all', service])
    it(`closes ${scope}, opens it again, and records both in the audit log`, async () => {
      await close(scope)
      assert.deepEqual(await readClosures(db), [{ scope, reason: 'works', since }])
      await open(scope)
      assert.deepEqual(await readClosures(db), [])
      assert.deepEqual(await db`select at, actor, action, details from audit_log order by id`, [
        { at: since, actor: 'ops', action: 'maintenance.on', details: { scope, reason: 'works' } },
        { at: since, actor: 'ops', action: 'maintenance.off', details: { scope } },
      ])
    })

  it('started twice keeps its first time and has the new reason', async () => {
    await close('all', 'first')
    clock.advance(1000)
    await close('all', 'second')
    const [closure] = await readClosures(db)
    assert.deepEqual(closure, { scope: 'all', reason: 'second', since })
  })

  const refused: [string, () => Promise<void>, RegExp][] = [
    [
      'to close an unknown service',
      () => close('WALLETZ_SN_CASHOUT'),
      /no service WALLETZ_SN_CASHOUT/,
    ],
    ['to close a service in lower case', () => close(service.toLowerCase()), /no service walleta/],
    ['to close an empty scope', () => close(''), /no service/],
    ['to open an unknown service', () => open('WALLETZ_SN_CASHOUT'), /no service WALLETZ/],
    [
      'to open a service that is open',
      () => open(service),
      /WALLETA_SN_CASHOUT is not in maintenance/,
    ],
  ]
  for (const [name, order, message] of refused)
    it(`refuses ${name}, and adds nothing to the audit log`, async () => {
      await assert.rejects(order(), { name: 'Refusal', kind: 'not_found', message })
      assert.deepEqual(await db`select from audit_log`, [])
    })

  it('is seen by every process within a second', async () => {
    const time = fakeMonotonicClock()
    const watches = [watchMaintenance(db), watchMaintenance(connect())]
    const seen = async (isSo: (now: Maintenance) => boolean) => {
      time.advance(1000)
      for (const watch of watches) assert.ok(isSo(await watch()))
    }
    for (const watch of watches)
      assert.deepEqual(await watch(), { isClosed: false, closedServices: new Set() })
    await close(service)
    await seen((now) => !now.isClosed && now.closedServices.has(service))
    await close('all')
    await seen((now) => now.isClosed)
    await open('all')
    await open(service)
    await seen((now) => !now.isClosed && now.closedServices.size === 0)
  })
})
