import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { fakeMonotonicClock } from '#test/fake-time.ts'
import {
  closureOf,
  endMaintenance,
  type Maintenance,
  retryAfterOf,
  scopes,
  startMaintenance,
  watchMaintenance,
} from './maintenance.ts'
import { services } from './services.ts'
import { readClosures } from './store.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const clock = testClock()
const since = clock.now()
const service = 'WALLETA_SN_CASHOUT'
const close = (scope: string, reason = 'works') =>
  startMaintenance({ db, clock }, { scope, reason, actor: 'ops' })
const open = (scope: string) => endMaintenance({ db, clock }, { scope, actor: 'ops' })

describe('maintenance', () => {
  afterEach(async () => {
    await owner`delete from maintenance`
    await owner`alter table audit_log disable trigger user`
    await owner`delete from audit_log`
    await owner`alter table audit_log enable trigger user`
    await owner`delete from audit_queue`
  })

  for (const scope of ['all', service])
    it(`closes ${scope}, opens it again, and records both in the audit log`, async () => {
      await close(scope)
      assert.deepEqual(await readClosures(db), [
        { scope, reason: 'works', since, until: null, notice: null },
      ])
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
    const later = { until: new Date('2026-01-16T03:00:00Z'), notice: 'New disks' }
    await startMaintenance(
      { db, clock },
      { scope: 'all', reason: 'second', actor: 'ops', ...later },
    )
    const [closure] = await readClosures(db)
    const { until, notice } = later
    assert.deepEqual(closure, { scope: 'all', reason: 'second', since, until, notice })
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

  // The scope, whether the whole interface is closed, and how many services are.
  const scoped: [string, boolean, number, string][] = [
    ['all', true, services.length, 'ELEC_SN_BILL'],
    ['payments', false, services.length, 'ELEC_SN_BILL'],
    ['CM', false, 2, 'WALLETF_CM_CASHOUT'],
    ['WALLETA_SN', false, 2, 'WALLETA_SN_CASHIN'],
    ['WALLETG_CI', false, 1, 'WALLETG_CI_CASHOUT'],
    [service, false, 1, service],
  ]
  for (const [scope, isClosed, count, code] of scoped)
    it(`of ${scope} closes ${count} services`, async () => {
      await close(scope)
      const now = await watchMaintenance(db)()
      assert.deepEqual([now.isClosed, now.closedServices.size], [isClosed, count])
      assert.equal(now.closedServices.has(code), true)
      assert.equal(closureOf(now, code)?.scope, scope)
      assert.equal(closureOf(now, null)?.scope, isClosed ? 'all' : undefined)
    })

  it('refuses an end that is over, and lists what can be closed', async () => {
    const order = { scope: 'SN', reason: 'works', actor: 'ops', until: clock.now() }
    await assert.rejects(startMaintenance({ db, clock }, order), /must be in the future/)
    assert.deepEqual(scopes.slice(0, 6), ['all', 'payments', 'CI', 'CM', 'ML', 'SN'])
    assert.ok(scopes.includes('WALLETA_SN') && scopes.includes(service))
  })

  it('is worth another try at its planned end, or in a minute', () => {
    const closure = { scope: 'SN', reason: '', since, until: null, notice: null }
    const now = new Date('2026-01-15T10:00:00Z')
    const inSeconds = (count: number) => new Date(now.getTime() + count * 1000)
    assert.equal(retryAfterOf(undefined, now), 60)
    assert.equal(retryAfterOf(closure, now), 60)
    assert.equal(retryAfterOf({ ...closure, until: inSeconds(3600) }, now), 3600)
    assert.equal(retryAfterOf({ ...closure, until: inSeconds(-5) }, now), 60)
  })

  it('is seen by every process within a second', async () => {
    const time = fakeMonotonicClock()
    const watches = [watchMaintenance(db), watchMaintenance(connect())]
    const seen = async (isSo: (now: Maintenance) => boolean) => {
      time.advance(1000)
      for (const watch of watches) assert.ok(isSo(await watch()))
    }
    for (const watch of watches)
      assert.deepEqual(await watch(), {
        isClosed: false,
        closedServices: new Set(),
        closures: [],
      })
    await close(service)
    await seen((now) => !now.isClosed && now.closedServices.has(service))
    await close('all')
    await seen((now) => now.isClosed)
    await open('all')
    await open(service)
    await seen((now) => !now.isClosed && now.closedServices.size === 0)
  })
})
