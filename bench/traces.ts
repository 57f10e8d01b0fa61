import { createServer } from 'node:http'
import { listen } from '#test/listen.ts'
import { compareLives } from './lives-in-turn.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { demoCollections as requestsTo } from './scenarios.ts'

const usage = `npm run bench traces -- [--clients 256] [--seconds 6] [--rounds 6]
  [--checkout FOLDER]

Measures what traces cost a payment: whole lives in turn on a gateway that sends none and on one
that sends all, to a receiver that answers at once. With --checkout also on the gateway of another
checkout, such as one from which the calls are cut out.`
const options = readOptionsOrExit({ program: 'bench traces', usage }, (args) =>
  readHistoryOptions(['--rounds', '6', '--seconds', '6', ...args]),
)

const server = createServer((request, response) => {
  request.resume().on('end', () => response.end())
})
const receiver = await listen(server)

await compareLives('traces', options, async ({ start }) => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver }
  const other = options.checkout
  return [
    { name: 'no traces', requestsTo },
    { name: 'every payment traced', requestsTo, gateway: await start({ environment }) },
    ...(other === null
      ? []
      : [{ name: other, requestsTo, gateway: await start({ checkout: other }) }]),
  ]
})
server.closeAllConnections()
server.close()
