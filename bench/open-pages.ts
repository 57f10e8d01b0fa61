import { setTimeout as sleep } from 'node:timers/promises'
import { createMerchants } from './gateway-database.ts'
import { type Condition, compareLives } from './lives-in-turn.ts'
import { openPages, signReadersIn } from './open-pages-readers.ts'
import { readOpenPagesOptions, readOptionsOrExit } from './options.ts'
import { collectionTemplates, expectCreated } from './scenarios.ts'
import { openShownList } from './shown-list.ts'

const usage = `npm run bench open-pages -- [--pages 2000] [--clients 256] [--seconds 8] [--rounds 4]
  [--rate N]

Measures what open pages of the dashboard cost payments: whole lives of payments with and without
them, in turn on one gateway. Half of the pages show a merchant that makes half of all payments, the
others fifty merchants that make the rest; half show home, half the newest transactions. With --rate
that many payments a second are made, without it as many as go.

Measures also how late a page shows what happens: in a browser, a list of transactions of one more
merchant, from the time that a payment was created or has ended to the changed row. First without
any load, then in rounds of their own beside the pages and the payments.`
const options = readOptionsOrExit({ program: 'bench open-pages', usage }, readOpenPagesOptions)
const others = 50
const quietSeconds = 30

await using list = await openShownList()
await compareLives('open-pages', options, async ({ gateway, db }) => {
  const [hot = '', ...rest] = await createMerchants(db, 'pages', 1 + others)
  const readers = await signReadersIn(db, gateway.url, others)
  const requestsTo: Condition['requestsTo'] = (url) =>
    expectCreated(
      rest.flatMap((apiKey) =>
        [hot, apiKey].flatMap((key) => collectionTemplates(url, { apiKey: key, payerCount: 2 })),
      ),
    )
  await list.open(gateway.url, db)
  const stop = list.pay('no load')
  await sleep(quietSeconds * 1000)
  await stop()
  const begin = () => openPages(gateway.url, readers, options.pages)
  return [
    { name: 'no page is open', requestsTo },
    { name: `${options.pages} are open`, requestsTo, begin },
    {
      name: `${options.pages} are open, one in a browser`,
      requestsTo,
      begin: async () => {
        const pages = await begin()
        const stop = list.pay('beside them')
        const end = async () => {
          await stop()
          await pages.end()
        }
        return { end }
      },
    },
  ]
})
console.log('How late a row is shown, in milliseconds:')
console.table(list.delays())
