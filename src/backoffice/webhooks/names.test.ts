import assert from 'node:assert/strict'
import { it } from 'node:test'
import { occupyThreads } from '#test/busy-threads.ts'
import { call, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openNameServer } from '#test/name-server.ts'
import { missing } from '#test/needs.ts'
import { openReceiver } from '#test/receiver.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const nameServer = await openNameServer((name) =>
  name === 'shop.test' ? ['127.0.0.1'] : 'silence',
)
const gateway = await liveGateway({
  pace: 50,
  dnsServers: [nameServer.address],
  // By name, so that calls to providers need it to be resolved.
  bind: (binding) => ({ ...binding, baseUrl: binding.baseUrl.replace('127.0.0.1', 'localhost') }),
})

async function pay(caller: { url: string; secret: string }, change: object): Promise<string> {
  const answer = await call(caller, 'POST /api/v1/transaction/init', initBody(change))
  assert.equal(answer.status, 201, answer.text)
  return String(answer.body.transaction.transactionId)
}

const skip = missing('localhost')

it("hosts that never resolve hold up no other merchant's payment or webhook", {
  skip,
}, async () => {
  const hanging = sized(60, 300)
  const noMoney = '770000001'
  const declined = await Promise.all(
    Array.from({ length: hanging }, (_, index) =>
      pay(gateway, { number: noMoney, callBackURL: `http://${index}.hanging.test/hook` }),
    ),
  )
  for (const id of declined) assert.equal(await until(gateway, id, isEnd), 'FAILED')
  await eventually('the first of the hosts are asked for', () => nameServer.asked.length >= 32)

  // What is left hanging elsewhere in this process must not matter either.
  const free = occupyThreads()
  const receiver = await openReceiver()
  const { port } = new URL(receiver.url)
  const other = { url: gateway.url, ...(await gateway.newMerchant()) }
  // No connection to the provider of this service is open yet.
  const serviceCode = 'WALLETC_SN_CASHOUT'
  const paid = await Promise.all(
    ['localhost', 'shop.test'].flatMap((host) => {
      const callBackURL = `http://${host}:${port}/hook`
      return Array.from({ length: 5 }, () => pay(other, { serviceCode, callBackURL }))
    }),
  )
  for (const id of paid) assert.equal(await until(other, id, isEnd), 'SUCCESS')
  const got = await receiver.has(paid.length)
  free()
  assert.deepEqual(new Set(got.map(({ body }) => JSON.parse(body).id)), new Set(paid))
  const [row] = await gateway.db<{ tries: number }>`
    select count(*) as tries from delivery_attempts where client_id = ${gateway.clientId}`
  assert.ok((row?.tries ?? 0) <= hanging, 'no host was tried more often than once')
  await assertMoney(gateway)
})
