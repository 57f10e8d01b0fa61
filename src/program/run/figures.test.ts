import assert from 'node:assert/strict'
import { after, describe } from 'node:test'
import { testInstallation } from '#test/installation.ts'
import { call, initBody, isEnd, post, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { commandLine, startGateway } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { namedMetrics } from '../../../deploy/watching.ts'

const { db, lab, environment, untilAllEnded } = await testInstallation()
const gateway = await startGateway(environment)
const passerelle = commandLine(environment, 'shared')
const receiver = await openReceiver((got, response) =>
  response.writeHead(got.path === '/broken' ? 500 : 204).end(),
)
after(async () => {
  receiver.close()
  await gateway.stop()
})
const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
const init = 'POST /api/v1/transaction/init'

async function pay(change: object): Promise<string> {
  const body = initBody({ callBackURL: `${receiver.url}/hook`, ...change })
  const { status, text, body: answer } = await call(caller, init, body)
  assert.equal(status, 201, text)
  return answer.transaction.transactionId
}

/** The values of all metrics, by name and labels as they are printed. */
async function metrics(url = gateway.url): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      const [name = '', labels = ''] = line.slice(0, end).split(/[{}]/)
      return [`${name}{${labels.split(',').sort().join(',')}}`, Number(line.slice(end + 1))]
    }),
  )
}

interface State {
  provider: string
  country: string
  breaker: { state: string; since: string | null; processes: number; openIn: number }
  p95Ms: number | null
  succeeded: number
  failed: number
  failedOutside: number
  successRate: number | null
  open: number
  oldestOpenAt: string | null
}

async function stateOf(provider: string, country: string): Promise<State> {
  const { providers } = await passerelle.json('provider status')
  const isIt = (one: State) => one.provider === provider && one.country === country
  return providers.find(isIt)
}

const payments = await Promise.all(
  [
    { number: '771234567' },
    { number: '770000001' },
    { number: '770000002' },
    { number: '771234567', callBackURL: `${receiver.url}/broken` },
    { number: '771234567', serviceCode: 'OPERATOR1_SN_AIRTIME' },
  ].map(pay),
)
for (const id of payments) await until(caller, id, isEnd)
const silent = await pay({ number: '770000004' })

describe('the metrics', () => {
  it('count endings by service, type and failure code', async () => {
    const seen = await metrics()
    const ended = (service: string, type: string, failure: string) => {
      const labels = `failure="${failure}",service="${service}",type="${type}"`
      return seen.get(`passerelle_transactions_ended_total{${labels}}`)
    }
    assert.equal(ended('WALLETA_SN_CASHOUT', 'CASHOUT', 'NONE'), 2)
    assert.equal(ended('WALLETA_SN_CASHOUT', 'CASHOUT', 'PAYER_BALANCE_LOW'), 1)
    assert.equal(ended('WALLETA_SN_CASHOUT', 'CASHOUT', 'PAYER_REFUSED'), 1)
    assert.equal(ended('OPERATOR1_SN_AIRTIME', 'AIRTIME', 'NONE'), 1)
    assert.equal(ended('WALLETE_ML_CASHOUT', 'CASHOUT', 'NONE'), 0, 'there from the beginning')
  })

  it('measure the calls to providers, orders apart', async () => {
    const seen = await metrics()
    const name = 'passerelle_provider_call_duration_seconds'
    const orders = 'call="order"'
    assert.equal(seen.get(`${name}_count{${orders},provider="WALLETA_SN"}`), 5)
    assert.equal(seen.get(`${name}_bucket{${orders},le="+Inf",provider="WALLETA_SN"}`), 5)
    assert.ok((seen.get(`${name}_sum{${orders},provider="WALLETA_SN"}`) ?? 0) > 0)
    assert.equal(seen.get(`${name}_count{${orders},provider="WALLETE_ML"}`), 0)
  })

  it('count the tries of webhooks by answer and state, and their lag', async () => {
    const tries = (answer: string, state: string) =>
      `passerelle_webhook_tries_total{answer="${answer}",state="${state}"}`
    await eventually('all are tried', async () => {
      const seen = await metrics()
      const failed = seen.get(tries('5xx', 'pending')) ?? 0
      return seen.get(tries('2xx', 'delivered')) === 4 && failed >= 1
    })
    const seen = await metrics()
    assert.equal(seen.get('passerelle_webhook_lag_seconds_count{}'), 4)
    assert.equal(seen.get('passerelle_webhook_lag_seconds_bucket{le="+Inf"}'), 4)
  })

  it('show the sizes of the groups that were written together', async () => {
    const seen = await metrics()
    const sum = (batch: string) => seen.get(`passerelle_write_batch_size_sum{batch="${batch}"}`)
    // Six payments in all: five collections and one sale of airtime.
    assert.deepEqual([sum('collections'), sum('debits')], [5, 1])
    for (const batch of ['endings', 'progress']) assert.ok((sum(batch) ?? 0) >= 5, batch)
    const tries = 'passerelle_write_batch_size_sum{batch="webhook_tries"}'
    await eventually('the tries are recorded', async () => ((await metrics()).get(tries) ?? 0) >= 5)
  })

  it('have labels of closed lists only', async () => {
    const names = [...(await metrics()).keys()].join('\n')
    assert.ok(!names.includes(silent) && !names.includes('771234567') && !/sk_/.test(names))
    const labels = new Set(
      [...names.matchAll(/passerelle_(?!http)\w+\{(.*)\}/g)].flatMap(([, all = '']) =>
        all.split(',').map((one) => one.split('=')[0]),
      ),
    )
    const closed = ['answer', 'batch', 'call', 'connector', 'failure', 'le', 'provider', 'reason']
    const more = [
      'code',
      'queue',
      'result',
      'rule',
      'scope',
      'service',
      'state',
      'type',
      'version',
      '',
    ]
    for (const label of labels) assert.ok([...closed, ...more].includes(label ?? ''), label)
  })

  slowTest('show the age of the oldest open order, as a worker counts it', async () => {
    await passerelle.text('maintenance on PREPAID_SN_BILL')
    const worker = await startGateway(environment, ['--role', 'worker'])
    const open = 'passerelle_open_orders{provider="WALLETA_SN"}'
    await eventually('it has counted', async () => (await metrics(worker.url)).get(open) === 1)
    const seen = await metrics(worker.url)
    const age = seen.get('passerelle_oldest_open_order_seconds{provider="WALLETA_SN"}') ?? 0
    assert.ok(age > 0 && age < 600, `${age}`)
    assert.equal(seen.get('passerelle_oldest_open_order_seconds{provider="WALLETE_ML"}'), 0)
    assert.deepEqual([seen.get('passerelle_database_up{}'), named('overdue_seconds')], [1, 3])
    assert.ok((seen.get('passerelle_figures_age_seconds{}') ?? 999) < 300)
    assert.equal(seen.get('passerelle_maintenance_closed{scope="PREPAID_SN_BILL"}'), 1)
    assert.equal(seen.get('passerelle_maintenance_overdue{}'), 0)
    const told = 'passerelle_float_untold{provider="WALLETA_SN"}'
    await eventually('floats are asked', async () => (await metrics(worker.url)).get(told) === 0)
    await passerelle.text('maintenance off PREPAID_SN_BILL')
    const text = await Promise.all(
      [gateway, worker].map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
    )
    await worker.stop()
    const types = text.join('\n').matchAll(/^# TYPE (\w+) /gm)
    const known = new Set([...types].map(([, name]) => name))
    const unknown = namedMetrics().filter((name) => !known.has(name))
    assert.deepEqual(unknown, [], 'all that alerts and the Grafana dashboard name')

    function named(name: string): number {
      return [...seen.keys()].filter((one) => one.startsWith(`passerelle_${name}{`)).length
    }
  })
})

describe('passerelle provider status', () => {
  it('shows success without what payers refused, p95 and open orders', async () => {
    const { succeeded, failed, failedOutside, successRate, open, oldestOpenAt } = await stateOf(
      'WALLETA',
      'SN',
    )
    assert.deepEqual([succeeded, failed, failedOutside, successRate], [2, 0, 2, 1])
    assert.equal(open, 1)
    assert.ok(oldestOpenAt !== null && Date.parse(oldestOpenAt) <= Date.now())
    await eventually('p95 is reported', async () => {
      const { p95Ms, breaker } = await stateOf('WALLETA', 'SN')
      return p95Ms !== null && breaker.state === 'closed' && breaker.processes === 1
    })
    const text = await passerelle.text('provider status')
    assert.match(
      text,
      /^Provider +Country +Orders +Breaker +Since +p95 +Success +Succeeded +Failed/,
    )
    assert.match(text, /WALLETA +SN +taken +closed +\S+Z +\d+ ms +100 % +2 +0 +2 +1 +\S+Z\n/)
    assert.match(text, /Breakers and p95 from \S+ \d+ \(all\)\n$/)
  })

  it('shows a breaker that is open, in how many processes and since when', async () => {
    const start = Date.now()
    const outage = { connector: 'request-to-pay', provider: 'WALLETF', mode: 'error' }
    await post(`${lab.url}/lab/outage`, { ...outage, seconds: 600 })
    const body = () => initBody({ serviceCode: 'WALLETF_CI_CASHOUT' })
    await eventually('it is open', async () => {
      await Promise.all(Array.from({ length: 12 }, () => call(caller, init, body())))
      return (await stateOf('WALLETF', 'CI')).breaker.openIn === 1
    })
    const { breaker } = await stateOf('WALLETF', 'CI')
    const { state, since } = breaker
    assert.ok(['open', 'half_open'].includes(state), state)
    assert.ok(since !== null && Date.parse(since) >= start && Date.parse(since) <= Date.now())
    assert.match(
      await passerelle.text('provider status'),
      /WALLETF +CI +(refused|tried) +(half-)?open /,
    )
    assert.equal((await stateOf('WALLETF', 'CM')).breaker.openIn, 0)
    await post(`${lab.url}/lab/outage`, { ...outage, seconds: 0 })
    await eventually('it is closed again', async () => {
      await call(caller, init, body())
      return (await stateOf('WALLETF', 'CI')).breaker.state === 'closed'
    })
  })

  it('knows of no breaker once the gateway has stopped', async () => {
    const end = `transaction resolve ${silent} --as failed --reason test`
    const named = `${end} --by ops@passerelle.test --password-stdin`
    assert.equal((await passerelle.run(named, {}, 'ops\n')).code, 0)
    await untilAllEnded()
    await gateway.stop()
    const { breaker, p95Ms } = await stateOf('WALLETF', 'CI')
    assert.deepEqual([breaker.state, breaker.processes, p95Ms], ['unknown', 0, null])
    assert.match(
      await passerelle.text('provider status'),
      /no process: is the gateway running\?\n$/,
    )
    await assertMoney({ db })
  })
})
