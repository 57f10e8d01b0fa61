import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { openDb } from '#data/db/db.ts'
import { testInstallation } from '#test/installation.ts'
import { call, initBody, post } from '#test/live.ts'
import { missing } from '#test/needs.ts'
import { commandLine, startGateway } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { startPrometheus } from '#test/watching.ts'

const skip = missing('prometheus')

async function listenAnywhere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The database behind a TCP proxy that can be cut. */
async function cuttable(databaseUrl: string) {
  const [, user = '', name = ''] = /^postgresql:\/\/([^@]*)@[^/]*\/([^?]+)/.exec(databaseUrl) ?? []
  const given = new URL(databaseUrl.replace('@/', '@localhost/')).searchParams
  const path = join(given.get('host') ?? '', `.s.PGSQL.${given.get('port') ?? 5432}`)
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(path)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  const port = await listenAnywhere(server)
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  after(cut)
  return { url: `postgresql://${user}@127.0.0.1:${port}/${name}?sslmode=disable`, cut }
}

it('faults of real gateways fire in a real Prometheus', { skip }, async () => {
  const { lab, environment } = await testInstallation()
  const owner = openDb({ url: environment.DATABASE_URL, name: 'test', connectionsMax: 2 })
  after(() => owner.close())
  const passerelle = commandLine(environment, 'shared')
  const database = await cuttable(environment.DATABASE_URL)
  const receiver = await openReceiver((_got, response) => response.writeHead(500).end())
  after(() => receiver.close())
  const api = await startGateway(environment, ['--role', 'api'])
  const far = await startGateway({ ...environment, DATABASE_URL: database.url }, ['--role', 'api'])
  const caller = { url: api.url, secret: 'sk_sandbox_demo_enterprise' }
  const pay = (change: object) => call(caller, 'POST /api/v1/transaction/init', initBody(change))

  // All is well: proved, backed up, restored.
  await passerelle.text('verify')
  await owner`
    insert into drills (id, started_at, ended_at, backup_at, problems)
    values (gen_random_uuid(), now(), now(), now(), '[]')`
  const before = await startGateway(environment, ['--role', 'worker'])
  const calm = await startPrometheus([api.url, far.url, before.url])
  let seen: string[] | undefined
  await eventually(
    () => `silence instead of ${seen?.join()}`,
    async () => {
      seen = await calm.firing()
      return seen?.length === 0
    },
  )
  calm.stop()
  await before.stop()

  // A provider is away, a merchant's address and a float too; the backup is old; a balance was
  // changed by hand; one gateway loses its database, another its life.
  const { body } = await pay({ callBackURL: `${receiver.url}/hook` })
  await receiver.has(1)
  await owner`update deliveries set created_at = now() - interval '1 hour'`
  await post(`${lab.url}/lab/outage`, {
    connector: 'request-to-pay',
    provider: 'WALLETF',
    mode: 'error',
    seconds: 600,
  })
  await eventually('the breaker is open', async () => {
    await Promise.all(Array.from({ length: 8 }, () => pay({ serviceCode: 'WALLETF_CI_CASHOUT' })))
    const text = await (await fetch(`${api.url}/metrics`)).text()
    return text.includes('passerelle_provider_up{provider="WALLETF_CI"} 0')
  })
  const float = { connector: 'gsma', provider: 'WALLETA', country: 'SN', balance: 10_000 }
  await post(`${lab.url}/lab/float`, float)
  await passerelle.text('float set WALLETA SN --warn 50000 --alarm 20000')
  await owner`
    update drills set backup_at = now() - interval '3 days',
      problems = '["a file was changed"]'`
  await owner.transaction(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update ledger_accounts set balance = balance + 1, updated_at = now()
      where client_id = 1 and kind = 'available'`
  })
  const worker = await startGateway(environment, ['--role', 'worker'])
  const watching = await startPrometheus([api.url, far.url, worker.url, 'http://127.0.0.1:1'])
  database.cut()
  const expected = [
    'BackupOld',
    'DatabaseDown',
    'DrillFailed',
    'FloatTooLow',
    'GatewayDown',
    'LedgerBroken',
    'ProviderDown',
    'WebhookBacklog',
  ]
  await eventually(
    () => `${expected.join()} instead of ${seen?.join()}`,
    async () => {
      seen = await watching.firing()
      return expected.every((name) => seen?.includes(name))
    },
  )
  assert.equal(body.success, true)
  await owner.transaction(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update ledger_accounts set balance = balance - 1
      where client_id = 1 and kind = 'available'`
  })
  await Promise.all([api.stop(), far.stop('SIGKILL'), worker.stop()])
  assert.match(await passerelle.text('verify'), /the ledger holds/)
})
