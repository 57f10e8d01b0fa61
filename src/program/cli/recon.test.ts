import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { closeAuditChain } from '#data/db/audit-chain.ts'
import { addPerson, testPassword } from '#test/dashboard.ts'
import { holdLong, untilBlocked } from '#test/database.ts'
import { call, collected, initBody, isEnd, liveGateway, post, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { assertRefused, commandLine, dataFolder, launcher, startShell } from '#test/program.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { statement } from '#test/statement.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, lab, clientId } = gateway
const owner = gateway.connect({ asOwner: true })
const folder = await dataFolder()
const environment = { DATABASE_URL: gateway.databaseUrl, DATA_DIR: folder }
const by = await addPerson({ db }, { operatorRole: 'operator' })
const passerelle = commandLine(environment, undefined, by)
const party = '--provider WALLETA --country SN'

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

/** What the lab would send as the statement of today. */
async function labStatement(): Promise<string> {
  const day = clock.now().toISOString().slice(0, 10)
  const query = `provider=WALLETA&country=SN&day=${day}`
  return (await fetch(`${lab.url}/lab/statement?${query}`)).text()
}

const stranger: MadeLine = {
  moment: clock.now().toISOString(),
  reference: 'of-a-stranger',
  our_reference: '',
  kind: 'collect',
  number: '771234567',
  amount: 700,
  fee: 0,
  status: 'succeeded',
}

describe('passerelle recon', () => {
  let file = ''
  let id = ''
  let caseId = ''

  it('imports a file with the fees that the lab keeps, and the same file once', async () => {
    const fee = { provider: 'WALLETA', country: 'SN', basisPoints: 100, fixed: 5 }
    assert.deepEqual(await post(`${lab.url}/lab/statement-fee`, fee), { ok: true })
    for (const wrong of [{ basisPoints: -1 }, { fixed: 0.5 }, { country: '' }])
      assert.match(
        JSON.stringify(await post(`${lab.url}/lab/statement-fee`, { ...fee, ...wrong })),
        /message/,
      )
    await collected(gateway, { amount: 5000 })
    await collected(gateway, { amount: 1000 })
    const text = await labStatement()
    assert.match(text, /;5000;55;succeeded\n/)
    file = await fileOf('lab.csv', text + csvOf([stranger]).split('\n')[1] + '\n')
    const counts = { lines: 3, matched: 2, oursOnly: 0, theirsOnly: 1, different: 0 }
    const all = { ...counts, ended: 0, cases: 1 }
    assert.deepEqual(await passerelle.json(`recon import ${file} ${party}`), all)
    assert.deepEqual(await passerelle.json(`recon import ${file} ${party}`), all)
    // Where it takes long, it also says how far it is.
    assert.match((await passerelle.run(`recon import ${file} ${party}`)).stdout, /3/)
    const { statements } = await passerelle.json('recon list --provider WALLETA --country SN')
    assert.deepEqual(
      statements.map((one: { name: string; fees: number }) => [one.name, one.fees]),
      [['lab.csv', 55 + 15]],
    )
    id = statements[0].id
    assert.match(await passerelle.text('recon list'), /WALLETA +SN.*lab\.csv|lab\.csv/)
  })

  it('exits with 2 and every problem of a file that cannot be understood', async () => {
    const lines = [stranger, { ...stranger, amount: 0.5 }, { ...stranger, moment: 'x' }]
    const bad = await fileOf('bad.csv', csvOf(lines))
    const plain = await passerelle.run(`recon import ${bad} ${party}`)
    assert.equal(plain.code, 2)
    assert.equal(plain.stdout, '')
    assert.match(plain.stderr, /Line 3.*\n.*Line 4.*\n.*2 problems: nothing was imported\.\n$/)
    const json = await passerelle.run(`recon import ${bad} ${party} --json`)
    assert.equal(json.code, 2)
    const { code, count, message } = JSON.parse(json.stderr)
    assert.deepEqual([code, count, message.length], ['VALIDATION_FAILED', 2, 2])
    const { statements } = await passerelle.json('recon list')
    assert.equal(statements.length, 1)
    assertRefused(await passerelle.run(`recon import nothing.csv ${party}`), /cannot be read/)
    assertRefused(
      await passerelle.run(`recon import ${file} --provider WALLETZ --country SN`),
      /There is no provider WALLETZ in SN/,
    )
  })

  it('shows a statement with its balance, differences, and one of them', async () => {
    const shown = await passerelle.json(`recon show ${id}`)
    assert.deepEqual([shown.statement.id, shown.cases.length], [id, 1])
    assert.equal(shown.balance.difference, 700)
    assert.match(await passerelle.text(`recon show ${id}`), /700/)
    assertRefused(await passerelle.run('recon show nothing'), /No statement found/)
    const { cases, ages } = await passerelle.json('recon cases --kind theirs_only')
    assert.deepEqual([cases.length, ages[0].count], [1, 1])
    caseId = cases[0].id
    assert.match(await passerelle.text('recon cases'), new RegExp(caseId))
    assert.deepEqual((await passerelle.json('recon cases --kind fee')).cases, [])
    await passerelle.text(`recon assign ${caseId} binta@ops.example`)
    await passerelle.text(`recon note ${caseId} "asked them"`)
    const one = await passerelle.json(`recon case ${caseId}`)
    assert.deepEqual(
      [one.case.person, one.notes[0].text, one.line.reference],
      ['binta@ops.example', 'asked them', 'of-a-stranger'],
    )
  })

  it('writes differences as a file', async () => {
    assert.match(await passerelle.text('recon report'), /Chez eux seulement/)
    assert.match(await passerelle.text('recon report --language en'), /Only theirs/)
    const output = join(folder, 'report.xlsx')
    await passerelle.text(`recon report --form xlsx --output ${output}`)
    assert.equal((await readFile(output)).subarray(0, 2).toString(), 'PK')
  })

  it('mends a difference once', async () => {
    const mend = `recon mend ${caseId} --reason "theirs" --as`
    assert.match((await passerelle.run(`${mend} adjust`)).stderr, /needs --client, --amount/)
    assertRefused(await passerelle.run(`${mend} send-back`), /No transaction of ours/)
    const adjust = `${mend} adjust --client ${clientId} --amount 700 --direction give`
    assert.equal(await passerelle.text(adjust), 'The difference is closed: adjusted.\n')
    assertRefused(await passerelle.run(adjust), /The difference is closed/)
    assert.deepEqual((await passerelle.json('recon cases')).cases, [])
    assert.equal((await passerelle.json('recon cases --all')).cases.length, 1)
  })

  it('previews a file, proposes a mapping for it and keeps one', async () => {
    const titles = 'Date;Référence;Type;Montant;Statut\n'
    const row = '31/01/2026 10:00:00;A1;Paiement;1 500;Réussi\n'
    const foreign = await fileOf('foreign.csv', titles + row)
    const preview = `recon preview ${foreign} ${party}`
    assert.match(await passerelle.text(preview), /A mapping is suggested/)
    const mapping = JSON.parse(await passerelle.text(`${preview} --proposal`))
    assert.equal(mapping.columns.reference, 'Référence')
    const complete = {
      ...mapping,
      kinds: { Paiement: 'collect' },
      statuses: { Réussi: 'succeeded' },
    }
    const path = await fileOf('mapping.json', JSON.stringify(complete))
    const tried = await passerelle.json(`${preview} --mapping ${path}`)
    assert.deepEqual([tried.problems, tried.lines[0].amount], [[], 1500])
    assert.deepEqual([tried.survey.lines, tried.survey.paidIn], [1, 1500])
    const balances = { opening: 'Ouverture', closing: 'Clôture' }
    const told = await fileOf('told.json', JSON.stringify({ ...complete, balances }))
    const closed = `Ouverture;;;100\n${titles}${row}Clôture;;;1 700\n`
    const file = await fileOf('closed.csv', closed)
    const whole = await passerelle.text(`recon preview ${file} ${party} --mapping ${told}`)
    assert.match(whole, /An import would have 1 line, 0 problems\nfrom 2026-01-31T10:00:00.000Z/)
    assert.match(whole, /\n0 of 1 payments are ours\nFew payments/)
    assert.match(whole, /Closing less opening and lines: 100 F/)
    assert.match(whole, /Opening balance and lines do not come to the closing balance/)
    const set = 'recon mapping set WALLETA SN'
    assert.match(await passerelle.text(`${set} --file ${path}`), /Kept: WALLETA SN\./)
    const [kept] = (await passerelle.json('recon mapping list')).mappings
    assert.deepEqual(kept.content, complete)
    const wrong = await fileOf('wrong.json', '{"version":1,"columns":{}}')
    assert.equal((await passerelle.run(`${set} --file ${wrong}`)).code, 1)
    assertRefused(await passerelle.run(`${set} --file ${foreign}`), /is not JSON/)
    assert.match((await passerelle.run(set)).stderr, /one of --file, --fees and --remove is needed/)
    await passerelle.text(`${set} --remove`)
  })

  it('asks again before it imports what is doubtful', async () => {
    const strange = await fileOf('strange.csv', csvOf([{ ...stranger, reference: 'other' }]))
    const words = `recon import ${strange} --provider WALLETD --country SN`
    const asked = [/Few payments of this file are ours/, /Nothing was imported: .* --sure/]
    assertRefused(await passerelle.run(words), ...asked)
    const { statements } = await passerelle.json('recon list --provider WALLETD')
    assert.deepEqual(statements, [])
    assert.equal((await passerelle.json(`${words} --sure`)).theirsOnly, 1)
  })
})

it('what a statement would end is shown line by line to who approves it', async () => {
  await script(gateway, '778800001', [])
  const order = initBody({ serviceCode: 'WALLETB_SN_CASHOUT', number: '778800001', amount: 5000 })
  const { transaction } = (await call(gateway, 'POST /api/v1/transaction/init', order)).body
  const of = '--provider WALLETB --country SN'
  const path = await fileOf('forged.csv', csvOf([await lineOf(db, transaction.transactionId)]))
  const asked = commandLine({ ...environment, APPROVAL_ABOVE: '1000' }, undefined, by)
  await asked.json(`recon import ${path} ${of}`)
  const [{ id, amount }] = (await asked.json('approval list')).approvals
  assert.equal(amount, 5000)
  const shown = await asked.text(`approval show ${id}`)
  const line = `lines that wait:.* ${transaction.transactionId} +succeeded +5 000 F CFA`
  assert.match(shown, new RegExp(line, 's'))
  const { lines } = await asked.json(`approval show ${id}`)
  assert.deepEqual(
    lines.map((one: { transactionId: string }) => one.transactionId),
    [transaction.transactionId],
  )
  const refused = `approval refuse ${id} --by ${by} --reason forged --password-stdin`
  assert.equal((await asked.run(refused, {}, `${testPassword}\n`)).code, 0)
})

describe('an import whose process is killed', () => {
  const code = 'WALLETC_SN_CASHOUT'
  let numbers = 776_100_000

  async function started(steps: object[]): Promise<string> {
    numbers += 1
    await script(gateway, String(numbers), steps)
    const order = initBody({ number: String(numbers), serviceCode: code })
    return (await call(gateway, 'POST /api/v1/transaction/init', order)).body.transaction
      .transactionId
  }

  // where it hangs when it is killed, by the table that is locked
  const places: [string, string][] = [
    ['while lines are stored', 'statement_lines'],
    ['while lines are compared', 'recon_cases'],
    ['between the booking of fees and the end', 'audit_log'],
  ]
  for (const [where, table] of places)
    slowTest(`${where} is done by the next one as if it had not been`, async () => {
      const paid = await started([{ do: 'succeed' }, { do: 'callback' }])
      assert.equal(await until(gateway, paid, isEnd), 'SUCCESS')
      const open = await started([])
      const lines = [
        await lineOf(db, paid, { fee: 30 }),
        await lineOf(db, open, { fee: 20 }),
        { ...stranger, reference: `stranger in ${table}` },
      ]
      const file = await fileOf(`${table}.csv`, csvOf(lines))
      const words = `recon import ${file} --provider WALLETC --country SN`
      const importing =
        `exec '${process.execPath}' '${launcher}' ${words} --by ${by} ` +
        `--password-stdin <<'END'\n${testPassword}\nEND`
      let killed: ReturnType<typeof startShell> | undefined
      await owner.transaction(async (tx) => {
        // However long the command takes to start.
        await holdLong(tx)
        await tx(statement(`lock table ${table} in share row exclusive mode`))
        killed = startShell(importing, environment)
        await untilBlocked(gateway.connect({ asOwner: true }))
        killed.kill('SIGKILL')
        await killed.ended
      })
      const counts = { lines: 3, matched: 2, oursOnly: 0, theirsOnly: 1, different: 0 }
      const json = await passerelle.json(words)
      assert.deepEqual(json, { ...counts, ended: 1, cases: 1 })
      const [booked] = await db`
        select count(*) as postings, sum(s.fees)::int as fees from statements s
        join ledger_postings p on p.ref = s.id::text and p.kind = 'provider_fee'
        where s.name = ${`${table}.csv`}`
      assert.deepEqual(booked, { postings: 1, fees: 50 })
      const [rows] = await db`
        select count(distinct s.id) as statements, count(l.line) as lines from statements s
        join statement_lines l on l.statement_id = s.id where s.name = ${`${table}.csv`}`
      assert.deepEqual(rows, { statements: 1, lines: 3 })
    })

  it('goes on without its lock only until another one begins', async () => {
    const provider = { provider: 'WALLETE', country: 'CI' }
    const fee = { ...stranger, kind: 'fee', amount: 9 }
    const importing = (name: string, file: AsyncIterable<Uint8Array>) =>
      gateway.recon.import({ ...provider, name, file, actor: 'test' })
    const one = [fee, { ...fee, reference: 'two' }]
    let go: (() => void) | undefined
    const waiting = new Promise<void>((resolve) => void (go = resolve))
    async function* slow() {
      yield* chunksOf(csvOf(one))
      await waiting
      yield Buffer.from('\n')
    }
    const first = importing('first.csv', slow())
    const refused = assert.rejects(first, /Another statement of this provider is being imported/)
    await eventually('the first one has begun', async () => {
      const begun = await db`select from statements where name = 'first.csv'`
      return begun.length === 1
    })
    await owner`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`
    const second = await importing(
      'second.csv',
      chunksOf(csvOf([...one, { ...fee, reference: 'three' }])),
    )
    assert.deepEqual([second.lines, second.fees], [3, 27])
    go?.()
    await refused
    const [sum] = await db`
      select sum(fees)::int as fees, count(*) as count from statements where provider = 'WALLETE'`
    assert.deepEqual(sum, { fees: 27, count: 1 })
    const lines = await db`
      select from statement_lines l where not exists (
        select from statements s where s.id = l.statement_id)`
    assert.equal(lines.length, 0)
  })
})

test('the money agrees in the end', async () => {
  await closeAuditChain(db)
  await assertMoney({ db })
})
