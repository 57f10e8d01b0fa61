import { compareLives } from './lives-in-turn.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { demoCollections as requestsTo } from './scenarios.ts'

const usage = `npm run bench checkout -- --checkout FOLDER [--clients 256] [--seconds 4]
  [--rounds 12]

Measures what a change costs a payment: whole lives in turn on the gateway of another checkout, such
as that of an earlier commit with its packages installed, and on the gateway of this one.`
const options = readOptionsOrExit({ program: 'bench checkout', usage }, (args) =>
  readHistoryOptions(['--rounds', '12', ...args]),
)

await compareLives('checkout', options, async ({ start }) => {
  // Without another one it is this checkout twice, which shows how far the measure can be trusted.
  const checkout = options.checkout
  const other = await start(checkout === null ? {} : { checkout })
  return [
    { name: checkout ?? 'this one, too', requestsTo, gateway: other },
    { name: 'this checkout', requestsTo },
  ]
})
