import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { MovingCell } from '../../test/cells.ts'
import { assertBothSound, movesOf, token } from '../../test/cells.ts'
import { newClient } from '../../test/clients.ts'
import { freePort } from '../../test/listen.ts'
import { balance, call, initBody } from '../../test/live.ts'
import { databaseOf, killPostmaster } from '../../test/outages.ts'
import { dataFolder, postmasterOf, startGateway } from '../../test/program.ts'
import { eventually } from '../../test/wait.ts'
import { issueKey } from '../clients/keys.ts'
import { changeTerms } from '../clients/terms.ts'
import { readConfig } from '../config/config.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { withKeptKeys } from '../secrets/kept-keys.ts'
import type { MoveStep } from './mover.ts'

/** A cell as a program of its own with a PostgreSQL of its own, each of which can be killed. */
async function openServer(name: string) {
  const folder = await dataFolder('migrated')
  const own = { DATA_DIR: folder, CELL: name, CELL_TOKEN: token, PORT: String(await freePort()) }
  let running = await startGateway(own)
  after(() => running.stop('SIGKILL'))
  const db = databaseOf(folder)
  const cell: MovingCell = {
    db,
    databaseUrl: db.access.url,
    url: running.url,
    secretKey: await withKeptKeys(db, readConfig({ MODE: 'sandbox' }).secretKey),
  }
  const readyAgain = () =>
    eventually(`${name} is ready`, async () => {
      const answer = await running.get('/readyz').catch(() => undefined)
      return answer?.status === 200
    })
  return {
    ...cell,
    killDatabase: async () => {
      const killed = await killPostmaster(folder)
      return async () => {
        // Sessions of the old one answer until they notice that it is gone.
        const isOther = async () => ![null, killed].includes(await postmasterOf(folder))
        await eventually(`another PostgreSQL of ${name}`, isOther)
        return readyAgain()
      }
    },
    killGateway: async () => {
      await running.stop('SIGKILL')
      return async () => {
        running = await startGateway(own)
        return readyAgain()
      }
    },
  }
}

const source = await openServer('c1')
const target = await openServer('c2')

/** A merchant of the source that has paid three times. */
async function paidMerchant() {
  const { db, url } = source
  const clientId = await newClient(db, clock, 5_000_000)
  const secret = await db.transaction(async (tx) => {
    const change = { isEnabled: true, basisPoints: 200 }
    await changeTerms(tx, clock, { clientId, serviceCode: 'all', change, actor: 'test' })
    const order = { clientId, label: 'test', ratePerMinute: 1_000_000, actor: 'test' }
    return (await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret
  })
  const merchant = { url, secret }
  for (let paid = 0; paid < 3; paid += 1) assert.equal(await payOut(merchant), 201)
  return { ...merchant, clientId }
}

async function payOut(merchant: { url: string; secret: string }): Promise<number> {
  const order = initBody({ serviceCode: 'WALLETA_SN_CASHIN', amount: 700 })
  return (await call(merchant, 'POST /api/v1/transaction/init', order)).status
}

type Kill = () => Promise<() => Promise<unknown>>

const kills: [what: string, kill: Kill, step: MoveStep][] = [
  ['the database of the old cell', source.killDatabase, 'last-copy'],
  ['the database of the old cell', source.killDatabase, 'decide'],
  ['the database of the old cell', source.killDatabase, 'activate'],
  ['the database of the new cell', target.killDatabase, 'copy'],
  ['the database of the new cell', target.killDatabase, 'compare-last'],
  ['the gateway of the new cell', target.killGateway, 'last-copy'],
  ['the gateway of the new cell', target.killGateway, 'activate'],
  ['the gateway of the old cell', source.killGateway, 'freeze'],
]

for (const [what, kill, killedAt] of kills)
  test(`a move goes on after ${what} is killed at "${killedAt}"`, async () => {
    const merchant = await paidMerchant()
    const { clientId, secret } = merchant
    let recover: (() => Promise<unknown>) | undefined
    const onStep = async (step: MoveStep) => {
      if (step === killedAt && recover === undefined) recover = await kill()
    }
    const moves = movesOf({ from: source, to: target, clientId, onStep, leaseMs: 3000 })
    await moves.begin().catch(() => {})
    await recover?.()
    const stopped = await moves.find()
    if (stopped?.state !== 'moved')
      await eventually('payments in the old cell', async () => (await payOut(merchant)) === 201)
    await eventually('the end of the move', async () => {
      const move = await moves.find()
      if (move?.state === 'moved' && move.endedAt !== null) return true
      await moves.resume().catch(() => {})
      return false
    })
    assert.ok((await balance({ url: target.url, secret })) < 5_000_000)
    assert.equal(await payOut({ url: target.url, secret }), 201)
    assert.equal(await payOut(merchant), 421)
    await assertBothSound(source, target)
  })
