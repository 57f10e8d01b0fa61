import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { payBody, topUpBody } from '#test/bills.ts'
import { type Answer, call, collected, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { type Fate, mortalDb } from '#test/mortal-db.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

// Each POST of the interface, carried out by a process that meets a fate, and repeated at another.

const gateway = await liveGateway({ pace: 100 })
const { db, connect, secret, clientId } = gateway
const owner = connect({ asOwner: true })
const mortal = mortalDb(connect())
const process = { url: (await gateway.newProcess(mortal.db)).url, secret }
const { url: callBackURL } = await openReceiver()
const original = await collected(gateway, { amount: 1_000_000, callBackURL })

interface Case {
  /** The path with its values, and the body. */
  make(): Promise<[path: string, body: object]>
  /** What tells the record that an answer is about; null: its answers are about none. */
  idIn: ((body: Answer['body']) => unknown) | null
  status: number
  /** At which of its transactions it commits what it does. Left out: the first. */
  commits?: number[]
}

const initPath = '/api/v1/transaction/init'
const transactionId = (body: Answer['body']) => body.transaction.transactionId
const init = (serviceCode: string): Case => ({
  make: async () => [initPath, initBody({ serviceCode, callBackURL })],
  idIn: transactionId,
  status: 201,
})

/** By the paths of the interface: a POST without an entry fails. */
const cases: Record<string, Record<string, Case>> = {
  [initPath]: {
    'a collection': init('WALLETA_SN_CASHOUT'),
    'a payout': init('WALLETA_SN_CASHIN'),
    airtime: init('OPERATOR1_SN_AIRTIME'),
  },
  '/api/v1/billing/pay': {
    'a top-up without an external id': {
      make: async () => ['/api/v1/billing/pay', topUpBody({ externalTransactionId: undefined })],
      idIn: transactionId,
      status: 201,
    },
    'a bill': {
      make: async () => ['/api/v1/billing/pay', payBody({ callBackURL })],
      idIn: transactionId,
      status: 201,
    },
  },
  '/api/v1/transaction/refund/{transactionId}': {
    'a part, without an external id': {
      make: async () => [`/api/v1/transaction/refund/${original}`, { amount: 300 }],
      idIn: (body) => body.refund.refundId,
      status: 201,
    },
  },
  '/api/v1/transaction/merchant/get-link': {
    'a link': {
      make: async () => {
        const { externalTransactionId, successUrl, failureUrl } = initBody()
        const item = { ItemName: 'Panier', ItemPrice: 5000, callBackURL }
        const body = { externalTransactionId, ...item, successUrl, failureUrl }
        return ['/api/v1/transaction/merchant/get-link', body]
      },
      // Each process has an address of its own.
      idIn: (body) => body.PaymentUrl.split('/').at(-1),
      status: 201,
    },
  },
  '/api/v1/sub-merchant': {
    'a shop': {
      make: async () => [
        '/api/v1/sub-merchant',
        { name: 'Plateau', commercialName: 'Boutique Plateau', countries: ['SN'] },
      ],
      idIn: (body) => body.data.subMerchantId,
      status: 201,
    },
  },
  '/api/v1/transaction/confirm/walletd': {
    'a code': {
      make: async () => {
        const body = initBody({ serviceCode: 'WALLETD_SN_CASHOUT', callBackURL })
        const begun = await call(gateway, `POST ${initPath}`, body)
        return [
          '/api/v1/transaction/confirm/walletd',
          { transactionId: transactionId(begun.body), otp: '123456' },
        ]
      },
      idIn: transactionId,
      status: 200,
      commits: [1, 2],
    },
  },
  '/api/v1/events/{id}/replay': {
    'an event': {
      make: async () => {
        const { body } = await call(gateway, 'GET /api/v1/events?limit=1')
        return [`/api/v1/events/${body.events[0].id}/replay`, {}]
      },
      idIn: (body) => body.success,
      status: 200,
    },
  },
  '/api/v1/billing/inquiry': {
    'a customer': {
      make: async () => {
        const customer = { serviceCode: 'WATER_SN_BILL', reference_client: '100000002' }
        return ['/api/v1/billing/inquiry', customer]
      },
      idIn: null,
      status: 200,
    },
  },
}

let keys = 0

async function send(to: typeof process, key: string, path: string, body: object) {
  const answer = await call(to, `POST ${path}`, body, { 'Idempotency-Key': key })
  return { ...answer, isReplay: answer.headers.get('idempotent-replayed') === 'true' }
}

/** How much there is of all that a request can make, once all but codes waited for has ended. */
async function effects(isCodeWaitedFor: boolean) {
  await eventually('all has ended', async () => {
    // Whose process has ended is not left alone for as long as a process may take.
    await owner`
      update transactions set due_at = now()
      where completed_at is null and due_at > now() + interval '2 seconds'`
    await owner`
      update deliveries set due_at = now()
      where state = 'pending' and due_at > now() + interval '2 seconds'`
    const open = await db`
      select from transactions where completed_at is null
        and not (${isCodeWaitedFor} and service_code = 'WALLETD_SN_CASHOUT')
      union all select from deliveries where state = 'pending'`
    return open.length === 0
  })
  const [made] = await db<Record<string, number>>`
    select (select count(*) from transactions where client_id = ${clientId}) as transactions,
      (select count(*) from links where client_id = ${clientId}) as links,
      (select count(*) from mails) as mails,
      (select count(*) from sub_merchants where client_id = ${clientId}) as shops,
      (select count(*) from ledger_postings where client_id = ${clientId}) as postings,
      (select count(*) from events where client_id = ${clientId}) as events,
      (select count(*) from deliveries where client_id = ${clientId}) as deliveries`
  const { orders } = (await (await fetch(`${gateway.lab.url}/lab/books`)).json()) as {
    orders: { executed: number }[]
  }
  const executed = orders.reduce((sum, order) => sum + order.executed, 0)
  return { ...made, orders: orders.length, executed }
}

/** What there is more of than before. */
function more(before: object, now: object): [string, number][] {
  const known = new Map(Object.entries(before))
  return Object.entries(now)
    .map(([name, count]): [string, number] => [name, count - known.get(name)])
    .filter(([, count]) => count !== 0)
}

/** The claim of a key has had no sign of life for over a minute. */
async function lapse(key: string): Promise<void> {
  await owner`
    update idempotency_keys set claimed_until = claimed_until - interval '1 minute'
    where key = ${key}`
}

/** Sends a request to the process that meets a fate, and then again elsewhere. */
async function repeated(
  { make, idIn, status }: Case,
  { fate, commit, next }: { fate: Fate; commit: number; next: 'wakes' | 'ends' },
) {
  const [path, body] = await make()
  const before = await effects(true)
  keys += 1
  const key = `key-${keys}`
  mortal.meets(fate, commit)
  const first = send(process, key, path, body).catch(() => undefined)
  await (fate.startsWith('stops') ? Promise.race([mortal.untilStopped(), first]) : first)
  if (!fate.startsWith('stops')) mortal.wake()
  await lapse(key)
  const second = await send(gateway, key, path, body)
  if (next === 'wakes') mortal.wake()
  else mortal.end()
  const late = await first
  const others = [await send(process, key, path, body), await send(gateway, key, path, body)]
  const answers = [second, ...others]
  assert.deepEqual(
    answers.map((one) => one.status),
    answers.map(() => status),
    answers.map(({ text }) => text).join('\n'),
  )
  const ids = new Set(answers.map((one) => idIn?.(one.body) ?? null))
  assert.deepEqual([ids.size, ids.has(null)], [1, idIn === null])
  for (const one of others) {
    assert.ok(one.isReplay, one.text)
    assert.equal(one.text, second.text)
  }
  if (late !== undefined && late.status === status)
    assert.equal(idIn?.(late.body), idIn?.(second.body))
  else assert.ok(late === undefined || [409, 500, 503].includes(late.status), late?.text)
  const other = await send(gateway, key, path, { ...body, more: 1 })
  assert.deepEqual([other.status, other.body.code], [422, 'IDEMPOTENCY_KEY_REUSED'])
  return { effect: more(before, await effects(false)), first: late, second }
}

it('each POST of the interface has a case here', async () => {
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json()
  const { paths } = document as { paths: Record<string, object> }
  const posts = Object.keys(paths).filter((path) => 'post' in (paths[path] ?? {}))
  assert.deepEqual(posts.toSorted(), Object.keys(cases).toSorted())
})

for (const [path, ofPath] of Object.entries(cases))
  for (const [name, one] of Object.entries(ofPath))
    describe(`${name} (POST ${path})`, () => {
      let effect: [string, number][] | undefined

      it('has an effect', async () => {
        const [at, body] = await one.make()
        const before = await effects(true)
        assert.equal((await call(gateway, `POST ${at}`, body)).status, one.status)
        effect = more(before, await effects(false))
        assert.equal(effect.length > 0, one.idIn !== null)
      })

      async function check(fate: Fate, commit = 1, next: 'wakes' | 'ends' = 'wakes') {
        const result = await repeated(one, { fate, commit, next })
        assert.deepEqual(result.effect, effect)
        return result
      }

      it('has it once when the answer cannot be stored', async () => {
        const { first, second } = await check('unstored')
        assert.equal(first?.status, one.status)
        assert.equal(second.isReplay, one.idIn !== null)
      })

      if (one.idIn === null) return
      for (const commit of one.commits ?? [1]) {
        it(`has it once when the answers to COMMIT ${commit} are lost`, async () => {
          const { first } = await check('lost', commit)
          assert.equal(first?.status, 503, first?.text)
        })

        for (const next of ['ends', 'wakes'] as const) {
          it(`has it once when it stops before COMMIT ${commit}, and ${next}`, async () => {
            await check('stops before', commit, next)
          })

          it(`has it once when it stops after COMMIT ${commit}, and ${next}`, async () => {
            const { second } = await check('stops after', commit, next)
            if (commit === (one.commits ?? [1]).at(-1)) assert.ok(second.isReplay, second.text)
          })
        }
      }

      it('has it once, and is answered, when one answer to COMMIT is lost', async () => {
        const { first } = await check('lost once')
        assert.equal(first?.status, one.commits === undefined ? one.status : 503, first?.text)
      })
    })

it('a repetition that is refused stays so, whatever the first process does', async () => {
  const code = 'WALLETB_SN_CASHOUT'
  const [key, body] = ['refused', initBody({ serviceCode: code, callBackURL })]
  const open = (isEnabled: boolean) => {
    const change = { isEnabled }
    const order = { clientId, serviceCode: code, change, actor: 'test' }
    return db.transaction((tx) => changeTerms(tx, { clock: systemClock }, order))
  }
  mortal.meets('stops before')
  const first = send(process, key, initPath, body)
  await mortal.untilStopped()
  await open(false)
  await eventually('the service is closed', async () => {
    const { status } = await call(gateway, `POST ${initPath}`, initBody({ serviceCode: code }))
    return status === 400
  })
  await lapse(key)
  const second = await send(gateway, key, initPath, body)
  assert.deepEqual([second.status, second.body.code], [400, 'SERVICE_NOT_ENABLED'])
  await open(true)
  mortal.wake()
  assert.equal((await first).status, 409)
  assert.equal((await send(process, key, initPath, body)).text, second.text)
  const made = await db`select from transactions where external_id = ${body.externalTransactionId}`
  assert.deepEqual(made, [])
})

it('money and records agree after all this', () => assertMoney(gateway))
