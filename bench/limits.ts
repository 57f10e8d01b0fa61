import { clientIdOf } from '../src/clients/clients.ts'
import type { Db } from '../src/db/db.ts'
import { blockNumber, numbersScope, setLimit } from '../src/limits/change.ts'
import { createMerchants } from './gateway-database.ts'
import { compareLives } from './lives-in-turn.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { collectionTemplates, expectCreated } from './scenarios.ts'

const usage = `npm run bench:limits -- [--clients 256] [--seconds 4] [--rounds 8]

Measures what limits cost a payment: whole lives of three merchants in turn on one gateway. One has
no limits, one a limit a day of its service, one also a limit of tries of a number. A thousand
numbers are blocked for all.`
const options = readOptionsOrExit({ program: 'bench:limits', usage }, (args) =>
  readHistoryOptions(['--rounds', '8', ...args]),
)
const merchants = ['unlimited', 'limited a day', 'limited a day and by number']
// So many that none reaches its limit, which is the highest that can be set.
const payerCount = 5000
const attemptsMax = 1000
const blockedCount = 1000
const manyFrancs = 1_000_000_000_000

// The ten seconds in which a new limit sums its day up each time fall into the warm-up.
await compareLives('limits', options, async ({ db }) => {
  const apiKeys = await createMerchants(db, 'limits', merchants.length)
  await setLimits(db)
  return merchants.map((name, index) => {
    const apiKey = apiKeys[index] ?? ''
    return {
      name,
      requestsTo: (url) => expectCreated(collectionTemplates(url, { apiKey, payerCount })),
    }
  })
})

async function setLimits(db: Db): Promise<void> {
  const change = { now: new Date(), actor: 'benchmark' }
  const [, daily, byNumber] = await Promise.all(
    merchants.map((_, index) => clientIdOf(db, `Banc limits ${index}`)),
  )
  await db.transaction(async (tx) => {
    for (const clientId of [daily, byNumber]) {
      if (clientId === undefined) throw new Error('a merchant is missing')
      const limit = { clientId, scope: 'WALLETA_SN_CASHOUT', amountMax: manyFrancs }
      await setLimit(tx, { ...limit, countMax: 1_000_000_000, ...change })
      if (clientId === byNumber)
        await setLimit(tx, { clientId, scope: numbersScope, attemptsMax, ...change })
    }
    for (let index = 0; index < blockedCount; index += 1) {
      const number = `+22178${String(index).padStart(7, '0')}`
      await blockNumber(tx, { number, reason: 'benchmark', expiresAt: null, ...change })
    }
  })
}
