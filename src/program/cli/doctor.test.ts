import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { keepCellName } from '#merchants/cells/own-name.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { keepKeys } from '#operations/secrets/kept-keys.ts'
import { certificate, key } from '#test/certificate.ts'
import { testClock } from '#test/clock.ts'
import { emptyDatabase, testDatabase } from '#test/database.ts'
import { openMailServer } from '#test/mail-server.ts'
import { commandLine, dataFolder, runProgram } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'

const { url, db } = await testDatabase()
const folder = await dataFolder()
const passerelle = commandLine({ DATABASE_URL: url, DATA_DIR: folder, PORT: '0' })

describe('passerelle doctor', () => {
  it('finds nothing wrong with a working installation', async () => {
    const lines = (await passerelle.text('doctor')).trimEnd().split('\n')
    assert.ok(lines.every((line) => line.startsWith('ok       ')))
    const text = lines.join('\n')
    assert.match(text, /Node 24\.\S+, sandbox mode/)
    assert.ok(text.includes(`DATA_DIR ${folder} can be written, `))
    assert.match(text, /PostgreSQL of DATABASE_URL answers, \d+ migrations? applied/)
    assert.match(text, /no demo data/)
    assert.match(text, /port 0 is free/)
  })

  it('reminds of what is closed for maintenance, and of an end that has passed', async () => {
    await passerelle.text('maintenance on SN')
    const open = await passerelle.text('doctor')
    assert.match(open, /^WARNING {2}SN is closed for maintenance since \S+, planned until nobody/m)
    await db`update maintenance set until = now() - interval '1 minute'`
    const { code, stdout } = await passerelle.run('doctor')
    assert.match(stdout, /^PROBLEM {2}SN is closed .*beyond its planned end: open it by `maint/m)
    assert.equal(code, 1)
    await passerelle.text('maintenance off SN')
  })

  it('checks that the mail server answers', async () => {
    const { url: SMTP_URL } = await openMailServer()
    const text = await passerelle.text('doctor', { SMTP_URL })
    assert.match(text, /^ok {7}the mail server answers, mail comes from no-reply@localhost$/m)
  })

  it('asks each provider what it holds for us', async () => {
    let [status, body] = [200, '{"availableBalance":"750000","currency":"XOF"}']
    const server = createHttpsServer({ cert: certificate, key }, (_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    after(() => server.close())
    const NODE_EXTRA_CA_CERTS = join(folder, 'authority.pem')
    await writeFile(NODE_EXTRA_CA_CERTS, certificate)
    const address = `https://localhost:${(server.address() as AddressInfo).port}`
    const PROVIDERS_FILE = await providersFile(address)
    // A process of its own: authorities are read when one starts.
    const given = { DATABASE_URL: url, DATA_DIR: folder, PORT: '0', PROVIDERS_FILE }
    const ask = () => runProgram(['doctor'], { ...given, NODE_EXTRA_CA_CERTS })
    const good = await ask()
    assert.match(good.stdout, /^ok {7}WALLETA_SN answers, and holds 750000 francs for us$/m)
    ;[status, body] = [401, '{}']
    const bad = await ask()
    assert.match(bad.stdout, /^PROBLEM {2}WALLETA_SN at https:\S+ does not tell its .*HTTP 401/m)
    assert.equal(bad.code, 1)
    const otp = { connector: 'otp-confirm', provider: 'WALLETD' }
    const own = ['headerPrefix', 'masterKey', 'privateKey', 'token']
    const credentials = Object.fromEntries(own.map((name) => [name, 'hush']))
    await writeFile(
      PROVIDERS_FILE,
      JSON.stringify([{ ...otp, country: 'SN', baseUrl: address, credentials }]),
    )
    assert.match((await ask()).stdout, /^ok {7}WALLETD_SN answers; its protocol has nothing/m)
  })

  it('asks Alertmanager, and warns live when nobody would be told of an outage', async () => {
    assert.match(await passerelle.text('doctor', live), /^WARNING {2}ALERTMANAGER_URL is not set/m)
    const away = await passerelle.run('doctor', { ALERTMANAGER_URL: 'http://127.0.0.1:1' })
    assert.match(away.stdout, /^PROBLEM {2}ALERTMANAGER_URL cannot be used: ECONNREFUSED$/m)
    const receiver = await openReceiver((_, response) => response.end('[]'))
    after(() => receiver.close())
    const text = await passerelle.text('doctor', { ALERTMANAGER_URL: receiver.url })
    assert.match(text, /^ok {7}Alertmanager answers: 0 alerts now$/m)
  })

  const providersFile = async (baseUrl: string) => {
    const path = join(folder, 'providers.json')
    const credentials = { apiKey: 'hush', organisationId: 'us' }
    const one = { provider: 'WALLETA', country: 'SN', connector: 'gsma', baseUrl, credentials }
    await writeFile(path, JSON.stringify([one]))
    return path
  }

  it('warns in live mode when there is no mail server or no provider', async () => {
    const PROVIDERS_FILE = join(folder, 'none.json')
    await writeFile(PROVIDERS_FILE, '[]\n')
    for (const environment of [live, { ...live, PROVIDERS_FILE }]) {
      const text = await passerelle.text('doctor', environment)
      assert.match(text, /^WARNING {2}PROVIDERS_FILE names no provider: nothing can be paid$/m)
      assert.match(text, /^WARNING {2}SMTP_URL is not set: emails are kept, not sent$/m)
    }
  })

  it('checks that the archive can be restored', async () => {
    const RESTORE_COMMAND = 'nowhere-to-be-found {folder}'
    const { code, stdout } = await passerelle.run('doctor', { RESTORE_COMMAND })
    assert.equal(code, 1)
    assert.match(stdout, /^PROBLEM {2}RESTORE_COMMAND cannot be run: nowhere-to-be-found is not/m)
    assert.match(stdout, /^ok {7}PostgreSQL \d+ is here for a drill$/m)
    assert.match(stdout, /^WARNING {2}the server archives its WAL nowhere/m)
    assert.match(stdout, /^WARNING {2}no drill was made: passerelle drill$/m)
    assert.match(await passerelle.text('doctor', live), /^WARNING {2}RESTORE_COMMAND is not set/m)
  })

  it('tells all that does not belong to a cell', async () => {
    const cell = await testDatabase()
    const set = { DATABASE_URL: cell.url }
    assert.match(
      await passerelle.text('doctor', { ...set, CELL: 'c1' }),
      /^WARNING {2}The database has no cell's name yet: a start with CELL=c1 gives it this one\.$/m,
    )
    await keepCellName({ db: cell.db, clock: testClock() }, 'c1')
    assert.match(
      await passerelle.text('doctor', { ...set, CELL: 'c1' }),
      /^ok {7}cell c1, its database and its addresses$/m,
    )
    const wrong = {
      CELL: 'c2',
      PUBLIC_URL: 'https://pay.example.com/cells/c2',
      PAY_URL: 'https://pay.example.com/cells/c3/pay',
    }
    const { code, stdout } = await passerelle.run('doctor', { ...set, ...wrong })
    assert.equal(code, 1)
    assert.match(stdout, /^PROBLEM {2}The database belongs to the cell c1, but CELL is c2/m)
    assert.match(stdout, /^PROBLEM {2}PUBLIC_URL names the cell c2 in its path/m)
    assert.match(stdout, /^PROBLEM {2}PAY_URL names the cell c3, and this is the cell c2$/m)
    const bare = await passerelle.run('doctor', {
      ...set,
      CELL: 'c1',
      PAY_URL: 'https://p.example',
    })
    assert.match(bare.stdout, /^PROBLEM {2}PAY_URL does not name the cell c1/m)
    const { stderr } = await passerelle.run('key list', { ...set, CELL: 'c2' })
    assert.match(stderr, /The database belongs to the cell c1, but CELL is c2/)
  })

  it('warns of pending migrations and of a port in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    after(() => server.close())
    const PORT = String((server.address() as AddressInfo).port)
    const text = await passerelle.text('doctor', { PORT, DATABASE_URL: await emptyDatabase() })
    assert.match(text, /^WARNING {2}\d+ migrations? pending: `serve` will apply them$/m)
    assert.match(text, new RegExp(`^WARNING  port ${PORT} is in use \\(by the gateway`, 'm'))
  })

  it('warns of a second key and of the database of a newer program', async () => {
    const { url: newer, connect } = await testDatabase()
    await connect({ asOwner: true })`
      insert into schema_migrations (version, name, checksum)
      select max(version) + 1, '9999_newer.sql', '' from schema_migrations`
    const SECRET_KEY_OTHERS = Buffer.alloc(32, 8).toString('base64')
    const text = await passerelle.text('doctor', { DATABASE_URL: newer, SECRET_KEY_OTHERS })
    assert.match(text, /^WARNING {2}1 key in SECRET_KEY_OTHERS: see passerelle secrets status$/m)
    assert.match(text, /^WARNING {2}the database is of a newer program, up to 9999_newer\.sql:/m)
  })

  const live = {
    MODE: 'live',
    PUBLIC_URL: 'https://pay.example.com',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }

  // name, environment, problems
  const cases: [string, () => Promise<Record<string, string>>, RegExp[]][] = [
    [
      'all invalid settings at once',
      async () => ({ PORT: 'x', MODE: 'play', DATABASE_URL: 'db' }),
      [/^MODE must be one of sandbox, live/, /^PORT must be a port/, /^DATABASE_URL must look/],
    ],
    [
      'an unreachable database',
      async () => ({ DATABASE_URL: 'postgresql://a:hush@127.0.0.1:1/b' }),
      [/^The database of DATABASE_URL cannot be used: connect ECONNREFUSED/],
    ],
    [
      'an unreachable mail server',
      async () => ({ SMTP_URL: 'smtp://a:hush@127.0.0.1:1' }),
      [/^SMTP_URL cannot be used: connect ECONNREFUSED/],
    ],
    [
      'a mail server that refuses the login',
      async () => {
        const account = { user: 'joe', pass: 'secret' }
        const { url } = await openMailServer({ tls: 'starttls', account })
        return { SMTP_URL: url.replace('secret', 'hush') }
      },
      [/^SMTP_URL cannot be used: Invalid login: 535/],
    ],
    [
      'a provider whose address is not safe',
      async () => ({ PROVIDERS_FILE: await providersFile('http://api.provider.example') }),
      [/^WALLETA_SN: baseUrl must begin with https/],
    ],
    [
      'a folder that cannot be written',
      async () => {
        const path = join(folder, 'file')
        await writeFile(path, '')
        return { DATA_DIR: join(path, 'data') }
      },
      [/^DATA_DIR \S+ cannot be used: ENOTDIR/],
    ],
    [
      'keys of hashes that SECRET_KEY does not open',
      async () => {
        const { url: other, db: own } = await testDatabase()
        const ring = { sealing: Buffer.alloc(32, 8), others: [] }
        await keepKeys(own, ring, ring.sealing)
        return { ...live, DATABASE_URL: other }
      },
      [/^What was sealed cannot be opened: SECRET_KEY is not the one it was sealed with/],
    ],
    ['a HOST of another machine', async () => ({ HOST: '192.0.2.1' }), [/^port 0 on 192\.0\.2\.1/]],
    [
      'demo data in live mode',
      async () => {
        const clock = testClock()
        const order = { name: 'Boutique Démo', isDemo: true, actor: 'test' }
        await db.transaction((tx) => createClient(tx, { clock }, order))
        return live
      },
      [/^the database holds sandbox demo data, which live mode refuses$/],
    ],
  ]
  for (const [name, environment, problems] of cases)
    it(`finds ${name}`, async () => {
      const { code, stdout, stderr } = await passerelle.run('doctor --json', await environment())
      assert.deepEqual({ code, stderr }, { code: 1, stderr: '' })
      assert.doesNotMatch(stdout, /hush/)
      const { findings } = JSON.parse(stdout) as { findings: { level: string; what: string }[] }
      const found = findings.filter(({ level }) => level === 'problem').map(({ what }) => what)
      assert.equal(found.length, problems.length, stdout)
      for (const [index, problem] of problems.entries()) assert.match(found[index] ?? '', problem)
    })
})
