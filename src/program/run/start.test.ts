import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { inDatabase } from '#test/administer.ts'
import { emptyDatabase, testDatabase } from '#test/database.ts'
import { missing } from '#test/needs.ts'
import {
  assertRefused,
  commandLine,
  dataFolder,
  filesOf,
  type Gateway,
  isGone,
  labOf,
  postmasterOf,
  runProgram,
  runShell,
  startGateway,
  startProgram,
} from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { sized, slowTest, usualTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const balance = '/api/v1/api-services/balance'
const demoKeys = [
  'sk_sandbox_demo_standard',
  'sk_sandbox_demo_enterprise',
  'sk_sandbox_other_merchant',
]

const live = {
  MODE: 'live',
  PUBLIC_URL: 'https://pay.example.com',
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
}

const folder = await dataFolder()
// Of commands that end: where the process itself is not the point, npm test has one for all.
const starting = commandLine({})

// The tests share a folder and build on each other, in this order.
describe('an installation with its own PostgreSQL', () => {
  const passerelle = commandLine({ DATA_DIR: folder })
  let gateway: Gateway
  let key: string
  // An empty list of providers is none: the lab stands in.
  const PROVIDERS_FILE = join(folder, '../none.json')
  const start = async () => {
    await writeFile(PROVIDERS_FILE, '[]')
    return startGateway({ DATA_DIR: folder, PROVIDERS_FILE })
  }
  const balanceOfKey = async () => {
    const { status, body } = await gateway.get(balance, key)
    return status === 200 ? (body.balance as { balance: number }).balance : status
  }

  it('starts on an empty folder, and every address of the banner answers', async () => {
    gateway = await start()
    const banner = gateway.printed()
    assert.match(banner, new RegExp(`Database +embedded, in ${folder}`))
    const urls = banner.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/g) ?? []
    const places = new Set(urls.filter((url) => !url.includes('/api/')))
    const paths = new Set([...places].map((url) => new URL(url).pathname))
    for (const path of ['/docs', '/openapi.json', '/livez', '/readyz', '/metrics'])
      assert.ok(paths.has(path), path)
    for (const url of places) if (url.startsWith(gateway.url)) assert.ok((await fetch(url)).ok, url)
  })

  it('runs the lab at a lower priority', async () => {
    const lab = await labOf(folder)
    assert.ok(lab !== null)
    assert.ok(getPriority(lab) >= 10)
  })

  it('writes the demo merchants to demo.json, and their keys work', async () => {
    const demo = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'))
    assert.equal(demo.baseUrl, gateway.url)
    assert.deepEqual(
      demo.merchants.map((one: { name: string }) => one.name),
      ['Boutique Démo', 'Marché Témoin'],
    )
    const secrets: string[] = []
    for (const { keys, webhookSecret } of demo.merchants) {
      assert.equal(webhookSecret, 'whsec_c2FuZGJveC1kZW1vLXNlY3JldC0wMDAx')
      for (const { secret } of keys) secrets.push(secret)
    }
    assert.deepEqual(secrets, demoKeys)
    for (const secret of secrets) {
      const { status, body } = await gateway.get(balance, secret)
      assert.equal(status, 200)
      assert.equal((body.balance as { balance: number }).balance, 5_000_000)
    }
  })

  it('prints curl commands that work as they are', { skip: missing('curl') }, async () => {
    const banner = gateway.printed()
    const script = banner.slice(banner.indexOf('  curl'))
    assert.match(script, /Authorization: Bearer sk_sandbox_demo_standard/)
    const quiet = script.replaceAll('  curl ', '  curl --silent --show-error --fail ')
    const { code, stdout, stderr } = await runShell(`set -e\n${quiet}`, {})
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.match(stdout, /"message":/)
  })

  slowTest('shows how to see the webhook of that payment, which its secret signs', async () => {
    const banner = gateway.printed()
    const [, options = ''] = /^ {2}npx passerelle (listen .*)$/m.exec(banner) ?? []
    const [, secret = ''] = /signed with (whsec_\S+)/.exec(banner) ?? []
    const [, id = ''] = /"externalTransactionId":"(try-\w+)"/.exec(banner) ?? []
    const receiver = await openReceiver()
    const listening = startProgram(
      [...options.split(' '), '--after', 'start', '--forward-to', receiver.url, '--json'],
      {},
    )
    const isIt = ({ body }: { body: string }) => body.includes(`"${id}"`)
    await eventually('its webhook', () => receiver.got.some(isIt))
    // It is printed with the answer to the forwarded webhook.
    await eventually('it is shown', () => listening.printed().includes(`"${id}"`))
    listening.kill('SIGTERM')
    await listening.ended
    const { body, headers } = receiver.got.find(isIt) ?? { body: '', headers: {} }
    new Webhook(secret).verify(body, headers as Record<string, string>)
  })

  it('has a front page, and tells its version', async () => {
    const root = await fetch(gateway.url, { redirect: 'manual' })
    assert.deepEqual(
      [root.status, root.headers.get('content-type')],
      [200, 'text/html; charset=utf-8'],
    )
    const { version, commit = 'a'.repeat(40) } = (await gateway.get('/version')).body
    assert.match(String(version), /^\d+\.\d+\.\d+/)
    assert.match(String(commit), /^[0-9a-f]{40}$/)
  })

  it('lets commands use its PostgreSQL while the gateway runs', async () => {
    const server = await postmasterOf(folder)
    await passerelle.text('client create Boulangerie')
    const fund = 'client fund Boulangerie 1234 --ref deposit --by ops@passerelle.test'
    assert.equal((await passerelle.run(`${fund} --password-stdin`, {}, 'ops\n')).code, 0)
    key = (await passerelle.json('key issue Boulangerie')).secret
    assert.equal(await balanceOfKey(), 1234)
    const anchors = join(folder, 'anchors.ndjson')
    assert.match(await passerelle.text(`verify --anchors ${anchors}`), /the ledger holds/)
    assert.equal(await postmasterOf(folder), server)
  })

  slowTest(
    'lets a second gateway use its PostgreSQL, also after the first has stopped',
    async () => {
      const first = gateway
      const server = await postmasterOf(folder)
      gateway = await start()
      assert.notEqual(gateway.url, first.url)
      const { code } = await first.stop()
      assert.equal(code, 0)
      assert.equal(await postmasterOf(folder), server)
      assert.equal(await balanceOfKey(), 1234)
      // The lab was the first one's, and ended with it.
      await eventually('another lab', async () => (await labOf(folder)) !== null)
    },
  )

  it('keeps its data when gateway and PostgreSQL are killed', async () => {
    const server = await postmasterOf(folder)
    assert.ok(server !== null)
    process.kill(server, 'SIGKILL')
    await gateway.stop('SIGKILL')
    assert.ok(await isGone(server))
    gateway = await start()
    assert.equal(await balanceOfKey(), 1234)
  })

  it('stops gateway, PostgreSQL and lab on SIGTERM', async () => {
    const server = await postmasterOf(folder)
    const { code, stdout, stderr } = await gateway.stop()
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    // Between them, lines of the log: a webhook that nobody takes may be tried in this moment.
    assert.match(stdout, /SIGTERM: finishing what is under way…\n(\{.*\}\n)*Stopped\.\n$/)
    assert.ok(server !== null && (await isGone(server)))
    assert.equal(await labOf(folder), null)
  })

  slowTest('starts its PostgreSQL for a command and stops it afterwards', async () => {
    const { stdout } = await runProgram(['client', 'show', 'Boulangerie', '--json'], {
      DATA_DIR: folder,
    })
    assert.equal(JSON.parse(stdout).available, 1234)
    assert.equal(await postmasterOf(folder), null)
  })

  slowTest('keeps its data when the gateway is killed, and uses its PostgreSQL again', async () => {
    gateway = await start()
    assert.equal(await balanceOfKey(), 1234)
    const server = await postmasterOf(folder)
    await gateway.stop('SIGKILL')
    gateway = await start()
    assert.equal(await postmasterOf(folder), server)
    assert.equal(await balanceOfKey(), 1234)
    await gateway.stop('SIGKILL')
  })

  slowTest('takes two signals in a row for one: a terminal and npm both send them', async () => {
    gateway = await start()
    // Two of a kind could arrive as one.
    gateway.kill('SIGINT')
    const { code, stdout } = await gateway.stop('SIGTERM')
    assert.equal(code, 0)
    assert.match(stdout, /SIG(INT|TERM): .*\n(\{.*\}\n)*Stopped\.\n$/)
    assert.equal(await postmasterOf(folder), null)
  })

  slowTest('stops PostgreSQL and lab when it is interrupted while it starts', async () => {
    const program = startProgram(['serve'], { DATA_DIR: folder, PORT: '0' })
    await eventually('PostgreSQL starts', async () => (await postmasterOf(folder)) !== null)
    program.kill('SIGINT')
    const { code, stdout } = await program.ended
    assert.equal(code, 0)
    assert.doesNotMatch(stdout, /is ready/)
    assert.equal(await postmasterOf(folder), null)
    assert.equal(await labOf(folder), null)
  })

  slowTest('stops PostgreSQL and lab when its start fails', async () => {
    // Read after the lab has started.
    const PROVIDERS_FILE = join(folder, 'missing.json')
    const ended = await runProgram(['serve'], { DATA_DIR: folder, PORT: '0', PROVIDERS_FILE })
    assertRefused(ended, /missing\.json/)
    assert.equal(await postmasterOf(folder), null)
    assert.equal(await labOf(folder), null)
  })
})

describe('an installation on the PostgreSQL of DATABASE_URL', () => {
  slowTest(
    'starts no PostgreSQL of its own, and refuses to go live with its demo data',
    async () => {
      const own = { DATA_DIR: await dataFolder(), DATABASE_URL: await emptyDatabase() }
      const gateway = await startGateway(own)
      assert.match(gateway.printed(), /Database +from DATABASE_URL/)
      assert.equal((await gateway.get(balance, demoKeys[0])).status, 200)
      assert.equal((await gateway.stop()).code, 0)
      const files = await filesOf(own.DATA_DIR)
      assert.ok(files.includes('demo.json'))
      assert.ok(!files.some((name) => name.startsWith('postgres')), files.join(' '))
      assertRefused(
        await starting.run('serve', { ...live, ...own, PORT: '0' }),
        /MODE=live refuses this database: it holds sandbox demo data \(Boutique Démo, Marché/,
      )
    },
  )

  slowTest(
    'serves even if the database fails once it is ready, before its banner is made',
    async () => {
      const DATABASE_URL = await emptyDatabase()
      const own = { DATA_DIR: await dataFolder(), DATABASE_URL }
      await (await startGateway(own)).stop()
      await execute(DATABASE_URL, [
        `create function fail() returns trigger language plpgsql as
        $$begin raise 'the database is away'; end$$`,
        'create trigger fail before insert on links for each row execute function fail()',
      ])
      const gateway = await startGateway(own)
      assert.doesNotMatch(gateway.printed(), /Pay +http/)
      assert.equal((await gateway.get(balance, demoKeys[0])).status, 200)
      assert.equal((await gateway.stop()).code, 0)
    },
  )

  usualTest('says what an administrator must do for a login that lacks rights', async () => {
    const owner = await emptyDatabase()
    await execute(owner, [
      'create role newcomer login',
      'create role "New Owner" login',
      'alter schema public owner to "New Owner"',
      'grant passerelle_app to newcomer',
    ])
    const as = (login: string) => owner.replace('//passerelle@', `//${encodeURIComponent(login)}@`)
    const DATA_DIR = await dataFolder()
    try {
      assertRefused(
        await starting.run('serve', { PORT: '0', DATA_DIR, DATABASE_URL: as('New Owner') }),
        /login "New Owner" of DATABASE_URL may not act as passerelle_app: .* to "New Owner";"\.$/,
      )
      assertRefused(
        await starting.run('migrate up', { DATA_DIR, DATABASE_URL: as('newcomer') }),
        /^passerelle: The login newcomer of DATABASE_URL must own the schema: /,
      )
    } finally {
      await execute(owner, [
        'alter schema public owner to current_user',
        'drop role newcomer',
        'drop role "New Owner"',
      ])
    }
  })
})

describe('the gateway says in one sentence why it cannot start', { concurrency: 4 }, () => {
  const unreachable = 'postgresql://someone:hush@127.0.0.1:1/some'
  // cause, environment, sentence
  const causes: [string, () => Promise<Record<string, string>>, RegExp][] = [
    [
      'DATA_DIR is a file',
      async () => {
        const path = join(await dataFolder(), 'file')
        await writeFile(path, '')
        return { DATA_DIR: path }
      },
      /file is in the way: it should be a folder\.$/,
    ],
    [
      'DATA_DIR is inside a file, with DATABASE_URL set',
      async () => {
        const path = join(await dataFolder(), 'file')
        await writeFile(path, '')
        return { DATA_DIR: join(path, 'data'), DATABASE_URL: (await testDatabase()).url }
      },
      /^passerelle: The folder \S+ cannot be written: set DATA_DIR to another\.$/,
    ],
    [
      'PORT is taken',
      async () => ({ PORT: await listen(), DATABASE_URL: (await testDatabase()).url }),
      /^passerelle: Port \d+ is taken: stop the other program, or set PORT to another\.$/,
    ],
    [
      'METRICS_ADDRESS is taken',
      async () => ({
        METRICS_ADDRESS: `127.0.0.1:${await listen()}`,
        DATABASE_URL: (await testDatabase()).url,
      }),
      /^passerelle: Port \d+ is taken: stop the other .+, or set METRICS_ADDRESS to another\.$/,
    ],
    [
      'HOST is an address of another machine',
      async () => ({ HOST: '192.0.2.1', DATABASE_URL: (await testDatabase()).url }),
      /^passerelle: HOST=192\.0\.2\.1 is not an address of this machine\.$/,
    ],
    [
      'PORT is not a port number',
      async () => ({ PORT: '99999' }),
      /^passerelle: PORT must be a port number from 0 to 65535, not "99999"\.$/,
    ],
    [
      'nothing listens at DATABASE_URL',
      async () => ({ DATABASE_URL: unreachable }),
      /^passerelle: The database of DATABASE_URL cannot be used: connect ECONNREFUSED/,
    ],
    [
      'the host of DATABASE_URL has no address',
      async () => ({ DATABASE_URL: 'postgresql://someone@host.invalid/some' }),
      /^passerelle: The database of DATABASE_URL cannot be used: getaddrinfo \w+ host\.invalid\.$/,
    ],
    [
      'the password of DATABASE_URL is wrong',
      async () => ({ DATABASE_URL: `postgresql://a:hush@127.0.0.1:${await refuseLogins()}/b` }),
      /^passerelle: The database of DATABASE_URL cannot be used: password authentication failed/,
    ],
    [
      'the database of DATABASE_URL does not exist',
      async () => ({ DATABASE_URL: inDatabase((await testDatabase()).url, 'unknown') }),
      /^passerelle: The database of DATABASE_URL cannot be used: database "unknown" does not/,
    ],
    [
      'DATABASE_URL is not a URL',
      async () => ({ DATABASE_URL: 'localhost:5432' }),
      /^passerelle: DATABASE_URL must look like postgresql:\/\//,
    ],
    [
      'the port of DATABASE_URL is out of range',
      async () => ({ DATABASE_URL: 'postgresql://a:hush@127.0.0.1:99999/b' }),
      /^passerelle: The database of DATABASE_URL cannot be used: Invalid URL\.$/,
    ],
    [
      'DATABASE_URL requires TLS and the server has none',
      async () => {
        const server = `127.0.0.1:${await refuseLogins()}`
        return { DATABASE_URL: `postgresql://a:hush@${server}/b?sslmode=require` }
      },
      /^passerelle: The database of DATABASE_URL cannot be used: The server does not support SSL/,
    ],
  ]
  // In npm test every third: the start of a process for each takes seconds.
  const some = causes.filter((_, index) => index % 3 === 0)
  for (const [cause, environment, sentence] of sized(some, causes))
    it(cause, async () => {
      const own = { DATA_DIR: await dataFolder(), PORT: '0' }
      const ended = await starting.run('serve', { ...own, ...(await environment()) })
      assertRefused(ended, sentence)
      assert.doesNotMatch(ended.stderr + ended.stdout, /hush/)
    })
})

describe('live mode', () => {
  usualTest('names all missing settings at once', async () => {
    assertRefused(
      await starting.run('serve', { MODE: 'live' }),
      /MODE=live needs DATABASE_URL/,
      /MODE=live needs PUBLIC_URL/,
      /MODE=live needs SECRET_KEY/,
    )
  })

  usualTest('names all unsafe settings at once, without their secrets', async () => {
    const ended = await starting.run('serve', {
      MODE: 'live',
      DATABASE_URL: 'postgresql://a:hush@db.example.com/b?sslmode=disable',
      PUBLIC_URL: 'http://pay.example.com',
      SECRET_KEY: 'c2FuZGJveC1zZWNyZXQta2V5LTAwMDEtbm90LWZvci1saXZlLXVzZSE=',
      LOG_LEVEL: 'debug',
    })
    assert.doesNotMatch(ended.stderr, /hush|c2FuZGJveC1/)
    assertRefused(
      ended,
      /needs sslmode=verify-full in a DATABASE_URL on another machine/,
      /PUBLIC_URL that begins with https/,
      /refuses the sandbox's SECRET_KEY/,
      /refuses LOG_LEVEL trace and debug/,
    )
  })

  usualTest('finds the remote host of a database in PGHOST', async () => {
    const remote = { DATABASE_URL: 'postgresql://a:hush@/b', PGHOST: 'db.example.com' }
    assertRefused(
      await starting.run('serve', { ...live, ...remote }),
      /needs sslmode=verify-full in a DATABASE_URL on another machine/,
    )
  })

  usualTest('starts with a complete configuration, and logs nothing but JSON', async () => {
    const DATA_DIR = await dataFolder()
    const own = { DATA_DIR, DATABASE_URL: await emptyDatabase() }
    const environment = { ...live, ...own, METRICS_ADDRESS: '127.0.0.1:0' }
    const gateway = await startGateway(environment)
    const passerelle = commandLine(environment)
    await passerelle.text('client create Pharmacie')
    const { secret } = await passerelle.json('key issue Pharmacie')
    assert.match(secret, /^sk_live_[\w-]{43}$/)
    assert.equal((await gateway.get(balance, secret)).status, 200)
    assert.equal((await gateway.get(balance, demoKeys[0])).status, 401)
    assert.equal((await gateway.get('/metrics')).status, 404)
    const [, metrics = ''] = /metrics (http:[^\s"]+)\./.exec(gateway.printed()) ?? []
    assert.match(await (await fetch(metrics)).text(), /^passerelle_http_request_duration_seconds/m)
    assert.equal((await fetch(metrics.replace('/metrics', '/livez'))).status, 404)
    const { code, stdout } = await gateway.stop()
    assert.equal(code, 0)
    const lines = stdout.split('\n').filter(Boolean)
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    assert.ok(messages.some((msg) => msg.startsWith('Passerelle is ready (live) at https://pay.')))
    assert.ok(messages.includes('SMTP_URL is not set: emails are kept, not sent'))
    assert.equal(messages.at(-1), 'Stopped.')
    assert.ok(!(await filesOf(DATA_DIR)).includes('demo.json'))
  })
})

async function execute(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const one of statements) await client.query(one)
  await client.end()
}

/** A port on which a server of this test listens until the tests are over. */
async function listen(server = createServer()): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return String((server.address() as AddressInfo).port)
}

/** The port of a fake PostgreSQL that refuses every login and has no TLS. */
function refuseLogins(): Promise<string> {
  const fields = 'SFATAL\0C28P01\0Mpassword authentication failed for user "a"\0\0'
  const refusal = Buffer.concat([Buffer.from('E\0\0\0\0'), Buffer.from(fields)])
  refusal.writeInt32BE(refusal.length - 1, 1)
  return listen(
    createServer((socket) => {
      socket.on('error', () => {})
      // A message of 8 bytes is an SSLRequest.
      socket.once('data', (message) => socket.end(message.length === 8 ? 'N' : refusal))
    }),
  )
}
