import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { makeAnchor } from '#money/ledger/anchor.ts'
import { settle } from '#money/ledger/settlement.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { missing } from '#test/needs.ts'
import {
  assertRefused,
  commandLine,
  dataFolder,
  isIdle,
  runOnTerminal,
  startProgram,
} from '#test/program.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const { url, db, connect } = await testDatabase()
const folder = await dataFolder()
const environment = { DATABASE_URL: url, DATA_DIR: folder }
const passerelle = commandLine(environment)
const clock = testClock()
const owner = connect({ asOwner: true })

const clients: number[] = []
for (let count = 0; count < 4; count += 1) {
  const clientId = await newClient(db, clock, 5000)
  const order = { clientId, now: clock.now(), actor: 'test' }
  await db.transaction((tx) => settle(tx, { ...order, amount: 700, ref: 'second' }))
  await db.transaction((tx) => settle(tx, { ...order, amount: -200, ref: 'third' }))
  clients.push(clientId)
}
const anchor = await makeAnchor({ db, clock })

describe('passerelle verify on a ledger that holds', () => {
  const seen = '12 postings, 12 merchant entries, 8 accounts, 1 anchor'

  it('prints one line of counts', async () => {
    assert.match(
      await passerelle.text('verify'),
      new RegExp(`^${seen}: the ledger holds \\(\\d+ ms\\)\n$`),
    )
  })

  it('prints the counts as JSON', async () => {
    const { durationMs, ...verdict } = await passerelle.json('verify')
    assert.ok(Number.isInteger(durationMs))
    assert.deepEqual(verdict, {
      postings: 12,
      entries: 12,
      accounts: 8,
      anchors: 1,
      breaks: [],
      keptAnchors: 0,
    })
  })

  it('says of an empty one that it is empty', async () => {
    const { url: empty } = await testDatabase()
    const seen = '0 postings, 0 merchant entries, 0 accounts, 0 anchors'
    assert.match(
      await passerelle.text('verify', { DATABASE_URL: empty }),
      new RegExp(`^${seen}: the ledger is empty, nothing was proved \\(\\d+ ms\\)\n$`),
    )
  })

  it('stops on SIGINT before the end', async () => {
    await owner.session(async (run) => {
      await run`begin`
      await run`lock table ledger_postings in access exclusive mode`
      const program = startProgram(['verify'], environment)
      const isWaiting = async () => {
        const rows = await db`
          select from pg_locks where relation = 'ledger_postings'::regclass and not granted`
        return rows.length > 0
      }
      await eventually('it waits for the table', isWaiting)
      program.kill('SIGINT')
      await eventually('it has the signal', () => isIdle(program.pid))
      await run`commit`
      assertRefused(await program.ended, /^passerelle: Stopped by SIGINT before the end\.$/)
    })
  })
})

describe('passerelle verify on a terminal', { skip: missing('script') }, () => {
  const erased = '\r\u001b[K'

  it('draws a progress bar and erases it', async () => {
    const { code, stdout } = await runOnTerminal('verify', environment)
    assert.equal(code, 0)
    const drawn = stdout.split(erased)
    assert.match(drawn[1] ?? '', /^Verifying the ledger ░{30} 0 %$/)
    assert.match(drawn.at(-2) ?? '', /^Verifying the ledger █{30} 100 %$/)
    assert.match(drawn.at(-1) ?? '', /^12 postings, [^\r\n]* the ledger holds \(\d+ ms\)\r\n$/)
  })

  slowTest('prints no colour with NO_COLOR', async () => {
    const { stdout } = await runOnTerminal('verify', { ...environment, NO_COLOR: '1' })
    assert.match(stdout, /the ledger holds/)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout, /\u001b\[[\d;]*m/)
  })

  slowTest('prints JSON and nothing else with --json', async () => {
    const { stdout } = await runOnTerminal('verify --json', environment)
    assert.equal(JSON.parse(stdout).postings, 12)
  })

  slowTest('reports an unreachable database in one sentence', async () => {
    const unreachable = { ...environment, DATABASE_URL: 'postgresql://127.0.0.1:1/none' }
    const { code, stdout } = await runOnTerminal('verify', unreachable)
    assert.equal(code, 1)
    assert.match(stdout, /^passerelle: The database of DATABASE_URL cannot be used: [^\r\n]*\r\n$/)
  })
})

describe('passerelle verify --anchors', () => {
  const { number = 0, hash = '' } = anchor ?? {}
  const other = hash.replaceAll(/./g, (digit) => (digit === '0' ? '1' : '0'))
  const keep = async (...lines: unknown[]): Promise<string> => {
    const path = join(folder, 'kept.ndjson')
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return path
  }

  it('counts the anchors that agree', async () => {
    const path = await keep({ number, hash, createdAt: clock.now() })
    const text = await passerelle.text(`verify --anchors ${path}`)
    assert.match(text, / 1 anchor, 1 anchor kept elsewhere: the ledger holds /)
  })

  it('reports anchors that differ or are missing as breaks', async () => {
    const path = await keep({ number, hash: other }, { number: 7, hash })
    const { code, stdout } = await passerelle.run(`verify --anchors ${path}`)
    assert.equal(code, 1)
    assert.deepEqual(stdout.split('\n').slice(0, 2), [
      'BREAK anchor: anchor 1 differs from the one kept elsewhere',
      'BREAK anchor: anchor 7 is missing',
    ])
    assert.match(stdout, /: 2 breaks \(\d+ ms\)\n$/)
  })

  // name, text of the file (null: there is none), end of the refusal
  const cases: [string, string | null, RegExp][] = [
    ['no file', null, /ENOENT/],
    ['an empty file', '\n', /there are none\.$/],
    ['a file that is not JSON', 'hello', /line 1 is not an anchor\.$/],
    ['a line that is null', 'null', /line 1 is not an anchor\.$/],
    ['a line without a hash', '{"number":1}', /line 1 is not an anchor\.$/],
    ['half a line', `{"number":1,"hash":"${hash}"}\n{"number":2,"ha`, /line 2 is not an anchor\.$/],
  ]
  for (const [name, text, refusal] of cases)
    it(`refuses ${name}`, async () => {
      const path = join(folder, 'other.ndjson')
      if (text !== null) await writeFile(path, text)
      const ended = await passerelle.run(`verify --anchors ${path}`)
      assertRefused(ended, /^passerelle: The anchors in \S+ cannot be read: /)
      assert.match(ended.stderr, new RegExp(refusal.source, 'm'))
    })
})

describe('passerelle verify on a ledger that was tampered with', () => {
  it('reports a break at each change and nowhere else', async () => {
    const [first = 0, second = 0, third = 0, untouched = 0] = clients
    const ids = await db<{ clientId: number; ref: string; id: string }>`
      select client_id as "clientId", ref, id from ledger_postings`
    const postingOf = (client: number, ref: string) =>
      ids.find((one) => one.clientId === client && one.ref === ref)?.id
    await owner.transaction(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`update ledger_accounts set balance = balance + 1
        where client_id = ${first} and kind = 'available'`
      await tx`update ledger_entries set amount = amount + 1, after = after + 1
        where client_id = ${second} and account = 'available' and version = 2`
      await tx`update ledger_postings set ref = ${'forged\n0 breaks'}
        where client_id = ${third} and ref = 'third'`
    })
    const { code, stdout, stderr } = await passerelle.run('verify')
    assert.deepEqual({ code, stderr }, { code: 1, stderr: '' })
    const lines = stdout.split('\n').filter((line) => line.startsWith('BREAK'))
    const forged = `posting ${postingOf(third, 'third')} (withdraw forged 0 breaks)`
    const changed = `posting ${postingOf(second, 'second')}`
    for (const start of [
      `BREAK balance: client ${first} account available stores 5501, its entries end at 5500`,
      `BREAK balanced: client ${second} ${changed} (fund second) sums to 1 XOF`,
      `BREAK untouched: client ${second} available version 2 (${changed}) its hash`,
      `BREAK untouched: client ${third} ${forged} its content differs from its digest`,
    ])
      assert.ok(
        lines.some((line) => line.startsWith(start)),
        `${start}\n\n${stdout}`,
      )
    assert.ok(!lines.some((line) => line.includes(`client ${untouched} `)), stdout)
    assert.match(stdout, new RegExp(`: ${lines.length} breaks \\(\\d+ ms\\)\n$`))
  })

  it('reports the breaks as JSON', async () => {
    const { code, stdout } = await passerelle.run('verify --json')
    assert.equal(code, 1)
    const { breaks } = JSON.parse(stdout)
    for (const one of breaks)
      assert.deepEqual(Object.keys(one), ['promise', 'clientId', 'where', 'what'])
    assert.ok(breaks.some((one: { clientId: number }) => one.clientId === clients[0]))
  })
})
