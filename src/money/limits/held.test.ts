import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after, systemClock as clock, monotonicMs } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { openLog } from '#base/log/log.ts'
import type { Tx } from '#data/db/db.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { type Draft, draft, recordIntents } from '#money/transactions/intents.ts'
import { claimExternalIds } from '#money/transactions/store.ts'
import { findLimitBreaks } from '#operations/verify/limits-store.ts'
import { newClient } from '#test/clients.ts'
import { holdLong, testDatabase, untilBlocked } from '#test/database.ts'
import { eventually } from '#test/wait.ts'
import { setLimit } from './change.ts'
import { areCurrent } from './current.ts'
import { listLimits } from './list.ts'
import { openLimits } from './open.ts'
import type { Rules } from './rules.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const limits = openLimits({ db, clock, log: openLog('silent') })
const codes = { collect: 'WALLETA_SN_CASHOUT', 'pay out': 'WALLETA_SN_CASHIN' }
let orders = 0

/** Merchants whose limit was set long enough ago that every process should know it by now. */
async function limited(clientId: number, serviceCode: string, countMax: number): Promise<void> {
  const order = { clientId, scope: serviceCode, countMax, actor: 'test' }
  await db.transaction((tx) => setLimit(tx, { ...order, now: after(clock.now(), -60_000) }))
  await eventually('the limit is known', async () =>
    (await limits.rules()).daily.has(`${clientId} ${serviceCode}`),
  )
}

function drafted(clientId: number, serviceCode: string, rules: Rules, isNamed = true): Draft {
  const service = parseServiceCode(serviceCode)
  assert.ok(service !== undefined)
  orders += 1
  const operation = service.isDebit ? 'CASHIN' : 'CASHOUT'
  const urls = { callbackUrl: null, successUrl: '', failureUrl: '' }
  const of = { clientId, keyId: newId(clock.now()), externalId: isNamed ? `order ${orders}` : null }
  const order = { amount: 500, fee: 0, phone: '771234567', payeeName: 'Shop' }
  return { ...draft({ ...of, ...order, ...urls, service, operation }, clock.now()), rules }
}

const record = async (one: Draft) =>
  (await db.transaction((tx) => recordIntents(tx, [one], clock.now())))[0]?.kind

async function used(clientId: number, serviceCode: string): Promise<number> {
  const all = await listLimits(db, clock.now(), clientId)
  return all.find(({ scope }) => scope === serviceCode)?.usedCount ?? -1
}

const older = (rules: Rules, ms: number): Rules => ({ ...rules, readMs: monotonicMs() - ms })

describe('a limit that is set while a process is held counts its payments', () => {
  for (const [what, serviceCode] of Object.entries(codes))
    for (const isNamed of [true, false]) {
      const name = `${what}, ${isNamed ? 'with' : 'without'} an external id`

      it(`(${name}) from before they are recorded`, async () => {
        const clientId = await newClient(db, clock, 100_000)
        const rules = older(await limits.rules(), 60_000)
        await limited(clientId, serviceCode, 2)
        const kinds: unknown[] = []
        for (const _ of [1, 2, 3])
          kinds.push(await record(drafted(clientId, serviceCode, rules, isNamed)))
        assert.deepEqual(kinds, ['recorded', 'recorded', 'refused'])
        assert.equal(await used(clientId, serviceCode), 2)
      })

      it(`(${name}) until they are committed`, async () => {
        const clientId = await newClient(db, clock, 100_000)
        const rules = await limits.rules()
        const held = Promise.withResolvers<void>()
        const isRecorded = Promise.withResolvers<void>()
        const holding = db.transaction(async (tx) => {
          await holdLong(tx)
          await recordIntents(tx, [drafted(clientId, serviceCode, rules)], clock.now())
          isRecorded.resolve()
          await held.promise
        })
        await isRecorded.promise
        await limited(clientId, serviceCode, 3)
        const next = async () =>
          record(drafted(clientId, serviceCode, await limits.rules(), isNamed))
        // A payout waits for the account that the held one has locked; a collection does not.
        const others = [next(), next()]
        if (serviceCode === codes.collect) await Promise.all(others)
        else await untilBlocked(owner, 2)
        held.resolve()
        await holding
        assert.deepEqual(await Promise.all(others), ['recorded', 'recorded'])
        assert.deepEqual([await next(), await used(clientId, serviceCode)], ['refused', 3])
      })
    }

  it('from between the look at the rules and the first write', async () => {
    const serviceCode = codes.collect
    const clientId = await newClient(db, clock, 100_000)
    const rules = older(await limits.rules(), 4500)
    const one = drafted(clientId, serviceCode, rules)
    const { externalId } = one.intent
    let recording: Promise<unknown> = Promise.resolve()
    const claiming = db.transaction(async (tx: Tx) => {
      await holdLong(tx)
      const claim = { clientId, externalId: externalId ?? '', id: newId(clock.now()) }
      await claimExternalIds(tx, [claim])
      recording = record(one)
      await untilBlocked(owner)
      await eventually('its rules are too old', async () => !areCurrent(rules))
      await limited(clientId, serviceCode, 1)
      throw new Error('undone')
    })
    await assert.rejects(claiming, /undone/)
    assert.equal(await recording, 'recorded')
    assert.equal(await used(clientId, serviceCode), 1)
    const next = drafted(clientId, serviceCode, await limits.rules())
    assert.equal(await record(next), 'refused')
  })

  it('and its sums are those of the payments', async () => {
    assert.deepEqual(await findLimitBreaks(db), [])
  })
})
