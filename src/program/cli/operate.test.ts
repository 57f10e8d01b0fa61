import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { addPerson } from '#test/dashboard.ts'
import { testDatabase } from '#test/database.ts'
import { call, initBody, isEnd, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { assertRefused, commandLine, dataFolder, startGateway } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const { url, db } = await testDatabase()
const environment = { DATABASE_URL: url, DATA_DIR: await dataFolder(), LAB_PORT: '0' }
const by = await addPerson({ db }, { operatorRole: 'operator' })
const passerelle = commandLine(environment, undefined, by)
const gateway = await startGateway(environment)
let isBroken = false
const receiver = await openReceiver((_got, response) =>
  response.writeHead(isBroken ? 500 : 200).end(),
)
after(async () => {
  receiver.close()
  await gateway.stop()
})
const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
let paid = ''
// A list without conflicts.
const headings = 'Conflict  Since  Client  Transaction  What  Ordered  Reported  Details  Closed\n'
let stuck = ''

async function pay(externalTransactionId: string, number: string): Promise<string> {
  const callBackURL = `${receiver.url}/hook`
  const body = initBody({ externalTransactionId, number, callBackURL })
  const answer = await call(caller, 'POST /api/v1/transaction/init', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.transaction.transactionId
}

before(async () => {
  paid = await pay('cli-paid', '771234567')
  stuck = await pay('cli-stuck', '770000010')
  await until(caller, paid, isEnd)
  await receiver.has(1)
  // The other one waits for a person.
  await eventually('it is parked', async () => {
    const rows = await db`select from conflicts where transaction_id = ${stuck}`
    return rows.length > 0
  })
})

describe('passerelle retention', () => {
  it('shows what is kept how long, and forgets', async () => {
    const text = await passerelle.text('retention show')
    assert.match(text, /^Rule +After +Setting +Last run/)
    assert.match(text, /\nevidence +400 days +EVIDENCE_DAYS/)
    assert.match(text, /\nnumbers +never +PSEUDONYMISE_AFTER_DAYS/)
    const dry = await passerelle.text('retention run --dry-run')
    assert.match(dry, /evidence: 0 would be erased\n.*numbers: never erased/s)
    // The gateway itself may be at it.
    const { rules } = await eventually('no other process works on them', async () => {
      const ran = await passerelle.json('retention run')
      return ran.rules.evidence.kind !== 'busy' && ran
    })
    assert.deepEqual(rules.evidence, { kind: 'done', forgotten: 0 })
  })
})

describe('passerelle transaction', () => {
  it('show prints the timeline, by our id or the merchant’s', async () => {
    for (const id of [paid, 'cli-paid']) {
      const text = await passerelle.text(`transaction show ${id}`)
      assert.match(text, new RegExp(`^${paid} \\(cli-paid\\) of client \\d+\n`))
      for (const part of [/attempt 1 CASHOUT/, /answer: accepted/, /→ SUCCESS/, /money collect:/])
        assert.match(text, part)
    }
  })

  it('show tells of webhooks and the number, and with --raw the evidence itself', async () => {
    await eventually('the webhook is recorded', async () => {
      const told = await passerelle.text('transaction show cli-paid')
      return /webhook to http\S+, try 1: 200\n/.test(told)
    })
    const text = await passerelle.text('transaction show cli-paid')
    assert.match(text, /fee -\d+ F CFA, number 77 123 45 67\n/)
    assert.ok(!text.includes('{'), text)
    assert.match(await passerelle.text('transaction show cli-paid --raw'), /accepted.*\{"kind":/)
  })

  it('list shows the transactions of a client, by the filters of the interface', async () => {
    const client = 'Boutique Démo'
    const { transactions } = await passerelle.json(
      `transaction list "${client}" --external-id cli-`,
    )
    assert.deepEqual(
      transactions.map((one: { id: string }) => one.id),
      [stuck, paid],
    )
    const text = await passerelle.text(`transaction list "${client}" --status SUCCESS --limit 1`)
    assert.match(
      text,
      /^Created +Transaction +External id +Service +Type +Number +Amount +Fee +Status\n/,
    )
    assert.match(
      text,
      new RegExp(`${paid} +cli-paid +WALLETA_SN_CASHOUT +CASHOUT +77 123 45 67 +5000 +-\\d+`),
    )
    const { next } = await passerelle.json(`transaction list "${client}" --limit 1`)
    const rest = await passerelle.text(`transaction list "${client}" --after ${next}`)
    assert.ok(rest.includes(paid) && !rest.includes(stuck))
    const wrong = await passerelle.run(`transaction list "${client}" --after here`)
    assert.match(wrong.stderr, /--after is not a cursor/)
  })

  it('show and list tell why a payment failed, and that it cost nothing', async () => {
    await until(caller, await pay('poor', '770000001'), isEnd)
    const text = await passerelle.text('transaction show poor')
    assert.match(text, / F CFA, fee 0 F CFA, number /)
    assert.match(text, /\nFAILED: The customer's balance is too low, attempt /)
    const listed = await passerelle.text('transaction list 1 --status FAILED')
    assert.match(listed, /\d+ +0 +FAILED\n/)
  })

  it('requery asks the provider and shows the status', async () => {
    const shown = await passerelle.json('transaction requery cli-paid --client 1')
    assert.equal(shown.status, 'SUCCESS')
  })

  it('show refuses an unknown id', async () => {
    const refused = /^passerelle: No transaction found$/
    assertRefused(await passerelle.run('transaction show nobody'), refused)
  })

  it('conflict and suspense show what came, and a conflict is closed once', async () => {
    const { conflicts } = await passerelle.json('conflict list')
    const [{ id, kind, transactionId }, ...more] = conflicts
    assert.deepEqual([kind, transactionId, more], ['wrong_amount', stuck, []])
    assert.match(
      await passerelle.text('suspense list'),
      new RegExp(`${stuck} +4 950 F CFA\n\nIn all 4 950 F CFA\n$`),
    )
    // What was ordered, and what came.
    assert.match(await passerelle.text('conflict list'), / wrong_amount +5 000 F CFA +4 950 F CFA /)
    await passerelle.text(`conflict close ${id} --reason "asked the payer"`)
    assertRefused(
      await passerelle.run(`conflict close ${id} --reason again`),
      /^passerelle: There is no open conflict \S+$/,
    )
    assert.equal(await passerelle.text('conflict list'), headings)
    assert.match(await passerelle.text('conflict list --all'), /cli:\S+: asked the payer\n$/)
    const reopened = await db`update conflicts set closed_at = null, closed_by = null,
      closing_reason = null where id = ${id} returning id`
    assert.equal(reopened.length, 1)
  })

  it('resolve ends a transaction that was parked because another amount was paid', async () => {
    const { parked } = await passerelle.json('transaction parked')
    assert.deepEqual(
      parked.map((one: { id: string; why: string }) => [one.id, one.why]),
      [[stuck, 'another amount was paid']],
    )
    assertRefused(
      await passerelle.run('transaction resolve cli-stuck --client 1 --as success --reason seen'),
      /different amount/,
    )
    const resolved = await passerelle.json(
      'transaction resolve cli-stuck --client 1 --as failed --reason "50 francs short"',
    )
    assert.equal(resolved.status, 'FAILED')
    const audit = await db`select details from audit_log where action = 'transaction.resolve'`
    assert.equal(audit.length, 1)
    assertRefused(
      await passerelle.run('transaction resolve cli-stuck --client 1 --as failed --reason again'),
      /is final: FAILED/,
    )
  })

  it('send-back refunds, once, what was paid for a failed collection', async () => {
    const wrong = await passerelle.run('transaction send-back cli-paid --client 1 --reason asked')
    assertRefused(wrong, /^passerelle: Only a collection that failed can be sent back$/)
    assert.equal((await passerelle.run('transaction send-back cli-stuck --client 1')).code, 1)
    // This number paid 50 francs less than asked; the refund is of the amount that it paid.
    const lab = JSON.parse(await readFile(join(environment.DATA_DIR, 'lab.json'), 'utf8'))
    await script({ lab }, '770000010', [{ do: 'succeed' }, { do: 'callback' }])
    const text = await passerelle.text(
      'transaction send-back cli-stuck --client 1 --reason "payer asked"',
    )
    assert.match(text, /REFUND WALLETA_SN_CASHOUT 4.950.F.CFA, fee 0/)
    const refund = text.slice(0, 36)
    await eventually('it is sent back', async () => {
      const [row] = await db<{ status: string }>`
        select status from transactions where id = ${refund}`
      return row?.status === 'SUCCESS'
    })
    const again = await passerelle.run('transaction send-back cli-stuck --client 1 --reason again')
    assertRefused(again, /^passerelle: Nothing is left to send back$/)
    const [audit, ...more] = await db<{ details: object }>`
      select details from audit_log where action = 'transaction.send_back'`
    const details = { id: stuck, refundId: refund, amount: 4950, reason: 'payer asked' }
    assert.deepEqual([audit?.details, more], [details, []])
    const { conflicts } = await passerelle.json('conflict list')
    assert.deepEqual(conflicts, [], 'what was sent back is dealt with')
    assert.equal((await passerelle.json('suspense')).total, 0)
    const timeline = await passerelle.text('transaction show cli-stuck')
    assert.match(timeline, /money suspend: .*suspense 4950 XOF/)
    assert.match(timeline, /money explain: suspense -4950 XOF, available 4950 XOF/)
  })
})

describe('passerelle provider', () => {
  it('pause stops new orders and shows in the status, resume lets them in again', async () => {
    await passerelle.text('provider pause WALLETC SN --reason strike')
    const order = { serviceCode: 'WALLETC_SN_CASHOUT' }
    const init = () => call(caller, 'POST /api/v1/transaction/init', initBody(order))
    await eventually('the pause is seen', async () => (await init()).status === 503)
    assert.equal((await init()).body.code, 'SERVICE_UNAVAILABLE')
    assert.match(await passerelle.text('provider status'), /WALLETC +SN +paused/)
    await passerelle.text('provider resume WALLETC SN')
    await eventually('its end is seen', async () => (await init()).status === 201)
  })

  it('requery has the open orders of a provider asked about, and is recorded', async () => {
    const { asked } = await passerelle.json('provider requery WALLETC SN')
    assert.equal(typeof asked, 'number')
    const rows = await db`select from audit_log where action = 'provider.requery'`
    assert.equal(rows.length, 1)
    assertRefused(await passerelle.run('provider requery WALLETZ SN'), /no provider WALLETZ in SN/)
  })

  it('refuses to pause an unknown provider, or to resume one that is not paused', async () => {
    assertRefused(await passerelle.run('provider pause WALLETZ SN'), /no provider WALLETZ in SN/)
    assertRefused(await passerelle.run('provider resume WALLETC SN'), /not paused/)
  })
})

describe('passerelle webhook', () => {
  it('lists, shows and replays events', async () => {
    const { deliveries } = await passerelle.json('webhook list "Boutique Démo" --state delivered')
    const [{ eventId }] = deliveries.slice(-1)
    const before = receiver.got.length
    const replayed = await passerelle.text(`webhook replay evt_${eventId}`)
    assert.match(
      replayed,
      /^Event +State +Answer +Next attempt +Address\nevt_\S+ +delivered +20\d /,
    )
    assert.match(replayed, /\n\n1 of 1 event delivered\.\n$/)
    assert.equal(receiver.got.length, before + 1)
    const shown = await passerelle.json(`webhook show ${eventId}`)
    assert.equal(shown.event.externalTransactionId, 'cli-paid')
    assert.deepEqual(
      shown.attempts.map((one: { httpStatus: number }) => Math.floor(one.httpStatus / 100)),
      [2, 2],
    )
    const all = 'webhook replay-range 1 --from 2020-01-01 --to 2100-01-01'
    const isReplayed = async (range: string) => {
      const { stdout } = await passerelle.run(`${range} --json`)
      return JSON.parse(stdout).replayed.includes(`evt_${eventId}`)
    }
    assert.equal(await isReplayed(all), false, 'it was delivered')
    assert.equal(await isReplayed(`${all} --all`), true)
  })

  it('replay tells when the address answers 500, and exits with 1', async () => {
    isBroken = true
    const [row] = await db<{ id: string }>`select id from events where record_id = ${paid}`
    const { code, stdout } = await passerelle.run(`webhook replay ${row?.id} --json`)
    isBroken = false
    const [{ state, httpStatus, tries, nextTryAt }] = JSON.parse(stdout).deliveries
    assert.deepEqual([code, state, httpStatus, tries], [1, 'pending', 500, 1])
    assert.ok(Date.parse(nextTryAt) > Date.now() - 60_000)
  })

  it('test sends an example, rotate-secret gives a new secret', async () => {
    const sent = await passerelle.json(`webhook test 1 --url ${receiver.url}/try`)
    assert.equal(Math.floor(sent.status / 100), 2)
    const onlyPublic = { WEBHOOK_ADDRESSES: 'public' }
    const kept = await passerelle.run(`webhook test 1 --url ${receiver.url}/try`, onlyPublic)
    assert.deepEqual([kept.code, /only plain https addresses/.test(kept.stdout)], [1, true])
    const { secret } = await passerelle.json('webhook rotate-secret 1 --overlap 1h')
    assert.match(secret, /^whsec_/)
    assertRefused(await passerelle.run('webhook replay evt_nothing'), /No event found/)
  })
})

describe('passerelle batch', () => {
  let clientId = 0
  const [proposer, approver] = ['awa@demo.example', 'binta@demo.example']
  const file = join(environment.DATA_DIR, 'salaires.csv')
  const header = 'Numéro;Montant;Service;Nom'

  before(async () => {
    clientId = await clientIdOf(db, 'Boutique Démo')
    for (const email of [proposer, approver])
      await addPerson({ db }, { clientId, role: 'finance', email })
    await addPerson({ db }, { clientId, role: 'viewer', email: 'vera@demo.example' })
  })

  it('create shows each line with all that is wrong, and exits with 1', async () => {
    await writeFile(file, `${header}\n12;-5;NOPE;Awa\n771234567;1500;WALLETA_SN_CASHIN;Ibou`)
    const args = `batch create ${file} --client ${clientId} --by ${proposer}`
    const { code, stdout } = await passerelle.run(args)
    assert.equal(code, 1)
    assert.match(stdout, /\(salaires\.csv\) is draft\n2 lines: 1 with errors, 1 waiting/)
    assert.match(stdout, /2 +12 +faulty +NOPE is not a service that pays out.*not a whole amount/)
    assert.match(stdout, /WALLETA_SN_CASHIN +1 +1500/)
    const [, id = ''] = /^([\w-]{36})/.exec(stdout) ?? []
    assertRefused(
      await passerelle.run(`batch propose ${id} --by ${proposer}`),
      /1 lines have errors/,
    )
  })

  it('is proposed by one person, approved by another, and paid', async () => {
    await writeFile(
      file,
      `${header}\n771234567;1500;WALLETA_SN_CASHIN;Ibou\n771234568;2500;WALLETA_SN_CASHIN;Awa`,
    )
    const args = `batch create ${file} --client ${clientId} --by ${proposer} --name Salaires`
    const { batch } = await passerelle.json(args)
    const { id } = batch
    const step = (verb: string, by: string) => passerelle.run(`batch ${verb} ${id} --by ${by}`)
    const nobody = /is not allowed to do this for this client/
    for (const by of ['vera@demo.example', 'who@demo.example'])
      assertRefused(await step('propose', by), nobody)
    const guessed = `batch propose ${id} --by ${proposer} --password-stdin`
    assertRefused(await passerelle.run(guessed, {}, 'a guess\n'), nobody)
    assertRefused(await passerelle.run(`batch propose ${id}`, {}, ''), /give --by EMAIL/)
    assert.equal((await step('propose', proposer)).code, 0)
    assertRefused(await step('approve', proposer), /Another person must approve/)
    assert.equal((await step('approve', approver)).code, 0)
    const shown = await eventually('it is finished', async () => {
      const text = await passerelle.text(`batch show ${id}`)
      return text.includes('is finished') && text
    })
    assert.match(shown, /2 lines: 0 with errors, 0 waiting, 0 open, 2 paid/)
    assert.match(shown, new RegExp(`proposed +${proposer}`))
    assert.match(shown, new RegExp(`approved +${approver}`))
    assert.match(await passerelle.text(`batch list ${clientId}`), /Salaires +finished +2 +2/)
    const result = await passerelle.text(`batch result ${id}`)
    assert.match(result, /77.123.45.67;WALLETA_SN_CASHIN;1500.*SUCCESS/)
    const sheet = join(environment.DATA_DIR, 'result.xlsx')
    await passerelle.text(`batch result ${id} --form xlsx --output ${sheet}`)
    assert.equal((await readFile(sheet)).subarray(0, 2).toString(), 'PK')
    const audit = await passerelle.text(`audit --client ${clientId} --limit 30`)
    assert.match(audit, /cli:\S+ +\S+ +batch\.command/)
  })

  it('is paused, resumed, refused with a reason and cancelled', async () => {
    const lines = Array.from(
      { length: 60 },
      (_, index) => `7712${40_000 + index};500;WALLETA_SN_CASHIN;A`,
    )
    await writeFile(file, [header, ...lines].join('\n'))
    const create = `batch create ${file} --client ${clientId} --by ${proposer}`
    const [{ batch }, { batch: other }] = [
      await passerelle.json(create),
      await passerelle.json(create),
    ]
    const step = (verb: string, by: string) =>
      passerelle.text(`batch ${verb} ${batch.id} --by ${by}`)
    await step('propose', proposer)
    await step('approve', approver)
    await eventually('it runs', async () =>
      (await passerelle.text(`batch show ${batch.id}`)).includes('is running'),
    )
    assert.match(await step('pause', proposer), /is paused: It was paused by awa/)
    assert.match(await step('resume', approver), /is running/)
    await step('pause', proposer)
    assert.match(await step('cancel', proposer), /is cancelled/)
    await passerelle.text(`batch propose ${other.id} --by ${proposer}`)
    assert.equal((await passerelle.run(`batch refuse ${other.id} --by ${approver}`)).code, 1)
    const refused = await passerelle.text(
      `batch refuse ${other.id} --by ${approver} --reason november`,
    )
    assert.match(refused, /is refused: november/)
  })

  it('says what is wrong with a file or an id', async () => {
    const by = `--client ${clientId} --by ${proposer}`
    assertRefused(await passerelle.run(`batch create /nowhere.csv ${by}`), /cannot be read/)
    assertRefused(await passerelle.run('batch show 7'), /No batch found/)
  })
})

describe('after these commands', () => {
  it('the ledger holds and agrees with the transactions', () => assertMoney({ db }))
})

describe('passerelle limit, block and float', () => {
  it('sets, lists and removes limits', async () => {
    assert.match(await passerelle.text('limit list'), /^There are no limits\.\n$/)
    await passerelle.text('limit set 1 WALLETA_SN_CASHIN --amount 900000 --count 9')
    await passerelle.text('limit set 1 NUMBERS --tries 4')
    const text = await passerelle.text('limit list 1')
    assert.match(text, /\n1 +WALLETA_SN_CASHIN +900 000 F CFA +0 F CFA +9 +0\n/)
    assert.match(text, /\n1 +NUMBERS +4\n$/)
    const { limits } = await passerelle.json('limit list')
    assert.equal(limits.length, 2)
    for (const scope of ['WALLETA_SN_CASHIN', 'NUMBERS'])
      assert.equal(
        await passerelle.text(`limit remove 1 ${scope}`),
        `No limit any more: ${scope}.\n`,
      )
    assertRefused(await passerelle.run('limit remove 1 REFUND'), /There is no limit of REFUND$/)
    assertRefused(await passerelle.run('limit set 1 NUMBERS --count 4'), /Attempts must be/)
    assertRefused(await passerelle.run('limit set 1 WALLETX'), /no service WALLETX; A limit needs/)
  })

  it('blocks numbers in any form, with a reason and an end', async () => {
    assert.equal(await passerelle.text('block list'), 'No number is blocked.\n')
    await passerelle.text('block add "+221 77 444 00 01" --reason fraud --until 2099-01-01')
    assertRefused(
      await passerelle.run('block add 512345678 --reason x'),
      /country of this number is not clear/,
    )
    await passerelle.text('block add 774440002 --country SN --reason stolen')
    const text = await passerelle.text('block list')
    assert.match(text, /\nSN 77 444 00 02 .* cli:\w+ +stolen\nSN 77 444 00 01 .* 2099-01-01T\S+ /)
    assert.equal(
      await passerelle.text('block remove 00221774440001'),
      'No longer blocked: SN 77 444 00 01.\n',
    )
    await passerelle.text('block remove 774440002 --country SN')
    assertRefused(await passerelle.run('block remove SN774440002'), /is not blocked$/)
  })

  it('shows floats, which the worker asks for, and sets thresholds', async () => {
    await eventually('they are asked', async () => {
      const { floats } = await passerelle.json('float list')
      return floats.some((one: { source: string }) => one.source === 'told')
    })
    await passerelle.text('float set WALLETA SN --warn 2000000000000 --alarm 5')
    assert.match(await passerelle.text('float list'), /\nWALLETA SN +warning /)
    await passerelle.text('float set WALLETA SN --warn 0 --alarm 0')
    assert.match(await passerelle.text('float list'), /\nWALLETA SN +fine /)
    assertRefused(await passerelle.run('float set WALLETA SN --balance 5'), /by itself$/)
    assertRefused(await passerelle.run('float set WALLETA XX --warn 5'), /no provider WALLETA/)
  })
})
