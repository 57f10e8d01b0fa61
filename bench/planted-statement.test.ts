import assert from 'node:assert/strict'
import { it } from 'node:test'
import { caseKinds } from '#backoffice/recon/cases/case.ts'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openDomain } from '#domain.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders } from '#money/providers/open.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { writeHistory } from './history-fill.ts'
import { compareFound, type Planted, plantedStatement, statementFees } from './planted-statement.ts'

const { db, url } = await testDatabase()
const party = { provider: 'WALLETA', country: 'SN' }

async function* bytesOf(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of text) yield Buffer.from(part)
}

it('every difference that was put into a statement is found, and no other', async () => {
  for (const funds of [5_000_000, 1_000_000]) {
    const key = { clientId: await newClient(db, clock, funds), label: 'test', actor: 'test' }
    await db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, key))
  }
  const count = sized(500, 5000)
  const progress = { now: () => {}, line: () => {} }
  const day = { spanMs: 86_400_000, ofProvider: 'WALLETA_SN' }
  await writeHistory({ url, transactions: count, progress, ...day })
  const log = openLog('silent')
  const { recon } = openDomain({
    config: readConfig({ MODE: 'sandbox' }),
    db,
    clock,
    log,
    providers: openProviders({
      bindings: sandboxBindings('http://127.0.0.1:9'),
      log,
      isPaused: () => false,
    }),
    publicUrl: () => '',
    payUrl: () => '',
  })
  await recon.saveMapping({ ...party, fees: statementFees, actor: 'test' })
  const planted: Planted[] = []
  const order = { count, planted: 35, put: (one: Planted) => void planted.push(one) }
  const file = bytesOf(plantedStatement(db, order))
  const { id } = await recon.import({ ...party, name: 'planted.csv', file, actor: 'test' })
  assert.deepEqual(new Set(planted.map(({ kind }) => kind)), new Set(caseKinds))
  const cases = await recon.cases({ statementId: id }, { limit: 1000 })
  assert.deepEqual(compareFound(planted, cases), { missed: [], wrong: [] })
  await assertMoney({ db })
})
