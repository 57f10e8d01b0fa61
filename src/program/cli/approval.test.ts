import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { newClient } from '#test/clients.ts'
import { addPerson, testPassword } from '#test/dashboard.ts'
import { holdLong, testDatabase, untilBlocked } from '#test/database.ts'
import { balances } from '#test/ledger.ts'
import {
  assertRefused,
  commandLine,
  dataFolder,
  type Ended,
  launcher,
  startShell,
} from '#test/program.ts'

const { url, db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const environment = { DATABASE_URL: url, DATA_DIR: await dataFolder(), APPROVAL_ABOVE: '1000' }
const passerelle = commandLine(environment)
const clientId = await newClient(db, clock, 500)
const awa = await addPerson({ db }, { email: 'awa@ops.example', operatorRole: 'operator' })
const auditor = await addPerson({ db }, { operatorRole: 'auditor' })
const binta = await addPerson(
  { db },
  { email: 'binta@ops.example', operatorRole: 'finance-operator' },
)
await addPerson({ db }, { email: 'owner@shop.example', clientId, role: 'owner' })

/** Runs a command that reads a password. */
const typing = (args: string): Promise<Ended> =>
  passerelle.run(`${args} --password-stdin`, {}, `${testPassword}\n`)

const availableOf = async () => (await balances(db, clientId))[0]
const ids = async () => {
  const { approvals } = await passerelle.json('approval list --all')
  return approvals.map(({ id, state }: { id: string; state: string }) => [id, state])
}

let alone: [string, string][] = []

describe('passerelle retention', () => {
  it('exports what a number took part in, and proposes to forget it by name', async () => {
    const number = '--number +221779876501'
    const file = await passerelle.text(`retention export ${number} --language en`)
    assert.match(file, /What;Id;Merchant.*Number of rows: 0/s)
    const forget = `retention forget ${number} --reason letter`
    assertRefused(await passerelle.run(forget), /give --by EMAIL/)
    assertRefused(await typing(`${forget} --by ${auditor}`), /This operator is not allowed/)
    assertRefused(await typing(`${forget} --by ${awa}`), /Nothing can be forgotten/)
  })
})

describe('passerelle key', () => {
  for (const right of ['pay', 'refund'])
    it(`names who makes a key with the right ${right}, or gives it a new secret`, async () => {
      const issue = `key issue ${clientId} --rights read ${right}`
      assertRefused(await passerelle.run(issue), /give --by EMAIL/)
      assertRefused(await typing(`${issue} --by ${binta}`), /not allowed to do this/)
      const { id } = JSON.parse((await typing(`${issue} --by ${awa} --json`)).stdout)
      assertRefused(await passerelle.run(`key rotate ${id}`), /give --by EMAIL/)
      assert.equal((await typing(`key rotate ${id} --by ${awa}`)).code, 0)
      const told = await db<{ action: string }>`
        select action from audit_log
        where actor like ${`${awa} via %`} and details ->> 'keyId' = ${id} order by id`
      assert.deepEqual(
        told.map(({ action }) => action),
        ['key.issue', 'key.rotate'],
      )
    })
})

describe('passerelle approval', () => {
  it('is not needed up to the amount', async () => {
    const money = commandLine(environment, undefined, awa)
    const done = await money.json(`client fund ${clientId} 800 --ref small`)
    assert.deepEqual(done, { clientId, amount: 800, available: 1300 })
    const given = `client adjust ${clientId} 100 --from fees --ref t1 --reason "charged twice"`
    assert.equal((await money.json(given)).available, 1400)
    const taken = `client adjust ${clientId} 100 --to fees --ref t2 --reason "given twice"`
    assert.equal((await money.json(taken)).available, 1300)
  })

  it('needs the name and the password of an operator', async () => {
    const fund = `client fund ${clientId} 5000 --ref large`
    assertRefused(await passerelle.run(fund), /give --by EMAIL/)
    const wrong = /This operator is not allowed to do this, or the password is wrong/
    for (const person of [auditor, 'owner@shop.example'])
      assertRefused(await typing(`${fund} --by ${person}`), wrong)
    alone = await ids()
    assert.deepEqual(
      alone.map(([, state]: string[]) => state),
      ['alone', 'alone', 'alone'],
    )
  })

  it('is given by another person, once, also when the command is killed', async () => {
    const { code, stdout } = await typing(`client fund ${clientId} 5000 --ref large --by ${awa}`)
    assert.equal(code, 0)
    const [, id = ''] = /passerelle approval approve (\S+) --by EMAIL/.exec(stdout) ?? []
    assert.deepEqual(await ids(), [[id, 'open'], ...alone])
    assert.match(await passerelle.text(`approval show ${id}`), /fund of 5 000 F CFA .*: open/)
    assertRefused(await typing(`approval approve ${id} --by ${awa}`), /Another person must approve/)

    let killed: Promise<unknown> = Promise.resolve()
    await owner.transaction(async (tx) => {
      // However long the command takes to start.
      await holdLong(tx)
      // The approval waits for the account, with its own row locked.
      await tx`select from ledger_accounts where client_id = ${clientId} for update`
      const approving =
        `exec '${process.execPath}' '${launcher}' approval approve ${id} --by ${binta} ` +
        `--password-stdin <<'END'\n${testPassword}\nEND`
      const program = startShell(approving, environment)
      await untilBlocked(owner)
      program.kill('SIGKILL')
      killed = program.ended
      await killed
    })
    assert.deepEqual([await ids(), await availableOf()], [[[id, 'open'], ...alone], 1300])

    const approved = await typing(`approval approve ${id} --by ${binta}`)
    assert.deepEqual([approved.code, approved.stderr], [0, ''])
    assert.deepEqual([await ids(), await availableOf()], [[[id, 'approved'], ...alone], 6300])
  })

  it('is refused with a reason', async () => {
    const fund = await typing(`client withdraw ${clientId} 2000 --ref out --by ${awa} --json`)
    const { id } = JSON.parse(fund.stdout).approval
    const refused = await typing(`approval refuse ${id} --by ${binta} --reason "too early" --json`)
    assert.equal(JSON.parse(refused.stdout).reason, 'too early')
    const [last] = (await passerelle.json('audit --limit 1')).records
    assert.deepEqual(
      [last.action, last.actor, last.details.id, typeof last.address],
      ['approval.refuse', binta, id, 'string'],
    )
    assert.equal(await availableOf(), 6300)
    assert.deepEqual((await passerelle.json('verify')).breaks, [])
  })
})
