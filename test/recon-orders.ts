import { openRecon } from '#backoffice/recon/open.ts'
import { after, systemClock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { call, initBody, isEnd, type liveGateway, script, until } from './live.ts'
import { chunksOf, csvOf, type MadeLine } from './statement-maker.ts'

const hourMs = 3_600_000

/** Payments of 5,000 F at providers, and statements about them that are imported an hour later. */
export function reconOrders(
  gateway: Awaited<ReturnType<typeof liveGateway>>,
  { actor, numbersFrom }: { actor: string; numbersFrom: number },
) {
  const { db, transactions, approvals } = gateway
  let numbers = numbersFrom

  async function started(code: string, steps: object[]): Promise<string> {
    numbers += 1
    const number = String(numbers)
    await script(gateway, number, steps)
    const order = initBody({ serviceCode: code, number, amount: 5000 })
    const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
    return String(body.transaction.transactionId)
  }

  async function ended(code: string, how: 'succeed' | 'decline'): Promise<string> {
    const id = await started(code, [{ do: how }, { do: 'callback' }])
    await until(gateway, id, isEnd)
    return id
  }

  /** An hour later, so that successes are to be expected in a statement of now. */
  const later = openRecon({
    db,
    clock: { now: () => after(systemClock.now(), hourMs) },
    log: openLog('silent'),
    transactions,
    approvals,
    pseudonymOf: transactions.context.pseudonymOf,
  })

  function importLater(lines: MadeLine[], party: { provider: string; country: string }) {
    const now = systemClock.now()
    const times = { from: after(now, -hourMs), to: after(now, hourMs / 2) }
    const order = { ...party, ...times, name: 'later.csv', actor }
    return later.import({ ...order, file: chunksOf(csvOf(lines)) })
  }

  return { started, ended, later, importLater }
}
