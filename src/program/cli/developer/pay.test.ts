import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openProxy } from '#test/lab-proxy.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { missing } from '#test/needs.ts'
import {
  assertRefused,
  commandLine,
  type Ended,
  runShell,
  startOnTerminal,
  startProgram,
} from '#test/program.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const { url, secret, db } = live
const passerelle = commandLine({}, 'shared')
const there = { PASSERELLE_URL: url, PASSERELLE_KEY: secret }
const pay = (args: string, more = {}) => passerelle.run(`pay ${args}`, { ...there, ...more })
const order = '--service WALLETA_SN_CASHOUT --number 771234567 --amount 5000'

/** What it printed with --json. */
function resultOf({ stdout, stderr }: Ended) {
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

async function countOf(externalId: string): Promise<number> {
  const [row] = await db<{ count: number }>`
    select count(*) as count from transactions where external_id = ${externalId}`
  return row?.count ?? -1
}

describe('passerelle pay', () => {
  // what happens, options, exit code, status, failure
  const outcomes: [string, string, number, string, string | undefined][] = [
    ['paid', order, 0, 'SUCCESS', undefined],
    ['paid as is usual', '--yes', 0, 'SUCCESS', undefined],
    [
      'a number as people write it',
      `${order} --number "+221 77 123-45-67"`,
      0,
      'SUCCESS',
      undefined,
    ],
    ['no money', `${order} --number 770000001`, 2, 'FAILED', 'PAYER_BALANCE_LOW'],
    ['refused by the customer', `${order} --number 770000002`, 2, 'CANCELLED', 'PAYER_REFUSED'],
    ['silence', `${order} --number 770000004 --timeout 1s`, 3, 'PENDING', undefined],
    ['a payout', `${order} --service WALLETA_SN_CASHIN`, 0, 'SUCCESS', undefined],
    ['a one-time code', `${order} --service WALLETD_SN_CASHOUT`, 0, 'SUCCESS', undefined],
    ['in Mali', `${order} --service WALLETA_ML_CASHOUT --number 70123456`, 0, 'SUCCESS', undefined],
  ]
  for (const [name, args, code, status, cause] of outcomes)
    it(`${name} exits with ${code}`, async () => {
      const ended = await pay(`${args} --json`)
      const result = resultOf(ended)
      const { success, transaction, states, request, answer } = result
      assert.deepEqual([ended.code, result.status], [code, status])
      assert.equal(success, code === 0)
      assert.equal(transaction?.failure?.code, cause)
      assert.equal(states.at(-1).status, status)
      assert.equal(answer.status, 201)
      assert.equal(
        answer.body.transaction.externalTransactionId,
        request.body.externalTransactionId,
      )
    })

  it('shows the request, the answer, states and what comes next', async () => {
    const { code, stdout, stderr } = await pay(order)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.match(stdout, /\nPOST http:\S+\/api\/v1\/transaction\/init\n\{\n/)
    assert.match(stdout, /\n201 in \d+ ms\n\{\n/)
    assert.match(stdout, /\n\d\d:\d\d:\d\d {2}SUCCESS\n\nPaid: 5 000 F CFA, fee 100 F CFA\.\n/)
    assert.match(stdout, /\nNext:\n {2}npx passerelle open [0-9a-f-]{36} --url http/)
    // Neither colours nor the key, which is not public.
    assert.ok(!stdout.includes('\u001b'))
    assert.ok(!stdout.includes(secret))
  })

  it('shows a curl that does the same', { skip: missing('curl') }, async () => {
    const { stdout } = await pay(order)
    const curl = stdout.slice(stdout.indexOf('  curl'), stdout.indexOf('\n\n201'))
    const repeated = await runShell(curl.replace('curl', 'curl --silent'), there)
    assert.match(repeated.stdout, /DUPLICATE_TRANSACTION.*"Status":"SUCCESS"/)
  })

  it('with the same external id shows the payment again, and pays nothing', async () => {
    const args = `${order} --external-id twice --json`
    const first = resultOf(await pay(args))
    const second = await pay(args)
    assert.equal(second.code, 0)
    assert.equal(resultOf(second).answer.status, 409)
    assert.equal(resultOf(second).transaction.transactionId, first.transaction.transactionId)
    const text = await pay(`${order} --external-id twice`)
    assert.match(text.stdout, /nothing is paid a second time/)
    const other = await pay(`${order} --amount 700 --external-id twice`)
    assert.equal(other.code, 1)
    assert.match(other.stderr, /twice is another payment already: WALLETA_SN_CASHOUT, 5000 F CFA/)
    assert.equal(await countOf('twice'), 1)
  })

  it('refuses what cannot be, and says what to do', async () => {
    const wrongCode = '--service WALLETD_SN_CASHOUT --otp 111111'
    const cases: [string, Record<string, string>, RegExp][] = [
      ['', {}, /Nobody can be asked here: give --service, --number, --amount, or --yes/],
      [`${order} --number 12`, {}, /12 is not a number of Senegal: type nine digits, such as 77/],
      [`${order} --number +2250712345678`, {}, /is a number of Côte d'Ivoire, and WALLETA_SN_CASH/],
      [`${order} --service WALLETA_SN_CASHOOT`, {}, /Did you mean WALLETA_SN_CASHOUT\?/],
      [`${order} --service WATER_SN_BILL`, {}, /pays bills: see docs\/bills\.md/],
      [
        `${order} --amount 5`,
        {},
        /The gateway refuses: amount must be .*\(400, INVALID_AMOUNT, req_/,
      ],
      [`${order} ${wrongCode}`, {}, /The one-time code is wrong \(400, OTP_INVALID/],
      [
        '--yes --url http://127.0.0.1:1',
        {},
        /No gateway answers at \S+: start it with `npm start`/,
      ],
      ['--yes --key sk_sandbox_wrong', {}, /does not know this key \(sk_sandbox_\.\.\.rong\)/],
      ['--yes', { PASSERELLE_KEY: '' }, /does not know the demo key: give yours with --key/],
      [order, { PASSERELLE_KEY: 'sk_live_x' }, /This key is live: give --yes to move real money/],
      [
        '--yes',
        { PASSERELLE_KEY: 'sk_live_x', PASSERELLE_URL: 'http://pay.example.com' },
        /A live key is not sent over http/,
      ],
      ['--yes', { PASSERELLE_URL: 'pay.example.com' }, /PASSERELLE_URL must be an address/],
    ]
    for (const [args, more, says] of cases) {
      const { code, stderr } = await pay(args, more)
      assert.match(stderr, says)
      assert.equal(code, 1, args)
      assert.doesNotMatch(stderr, /^ {4}at /m)
    }
    assertRefused(await pay('--json', {}), /^\{"success":false,"code":"FAILED","message":\["Nobody/)
  })
})

describe('when an answer is lost', () => {
  const init = 'POST /api/v1/transaction/init'

  it('the payment is looked up, and there is one', async () => {
    const proxy = await openProxy(url)
    let lost = 0
    proxy.losesAnswerTo = (name) => name === init && (lost += 1) === 1
    const { code, stdout } = await pay(`${order} --external-id lost --url ${proxy.url}`)
    assert.equal(code, 0)
    assert.match(stdout, /\nThe answer was lost\. Looking the payment up as lost\.\n/)
    assert.match(stdout, /\nThe gateway has it\.\n/)
    assert.deepEqual(proxy.requests.slice(1, 4), [init, 'GET /api/v1/transaction/lost', init])
    assert.equal(await countOf('lost'), 1)
  })

  it('in a page of a proxy, it is no refusal: looked up, and sent again with pauses', async () => {
    const proxy = await openProxy(url)
    let answers = 0
    const badGateway: [number, string] = [502, '<html>Bad gateway</html>']
    proxy.answerInstead = (name) => (name === init && (answers += 1) === 1 ? badGateway : undefined)
    const { code } = await pay(`${order} --external-id bad-gateway --url ${proxy.url}`)
    assert.equal(code, 0)
    const lookUp = 'GET /api/v1/transaction/bad-gateway'
    assert.deepEqual(proxy.requests.slice(1, 4), [init, lookUp, init])
    assert.equal(await countOf('bad-gateway'), 1)
    proxy.answerInstead = (name) => (name === init ? badGateway : undefined)
    proxy.requests.length = 0
    const ended = await pay(`${order} --external-id never --url ${proxy.url} --timeout 2s`)
    assert.equal(ended.code, 3)
    assert.match(ended.stderr, /not known whether the gateway has never/)
    assert.ok(proxy.requests.filter((name) => name === init).length <= 3)
  })

  it('and the gateway is gone, a code of its own tells it; later it is paid once', async () => {
    const proxy = await openProxy(url)
    proxy.losesAnswerTo = (name) => {
      if (name !== init) return false
      void proxy.refuseConnections()
      return true
    }
    const args = `${order} --external-id gone --url ${proxy.url}`
    const { code, stderr } = await pay(`${args} --timeout 3s`)
    assert.equal(code, 3)
    assert.match(stderr, /not known whether the gateway has gone: run the same command with --ext/)
    proxy.losesAnswerTo = () => false
    await proxy.acceptConnections()
    assert.equal((await pay(args)).code, 0)
    assert.equal(await countOf('gone'), 1)
  })
})

describe('a signal', () => {
  it('ends it with 130 and one sentence; the payment goes on', async () => {
    const args = [...`pay ${order} --number 770000004`.split(' '), '--external-id', 'stopped']
    const program = startProgram(args, there)
    await eventually('it waits', () => program.printed().includes('PENDING\n'))
    program.kill('SIGINT')
    const { code, stderr } = await program.ended
    assert.equal(code, 130)
    assert.match(
      stderr,
      /^passerelle: Stopped\. The payment goes on: `passerelle open \S+` shows it\.\n$/,
    )
    assert.equal(await countOf('stopped'), 1)
  })
})

describe('on a terminal', { skip: missing('script') }, () => {
  /** Answers questions one after the other, each once it is there. */
  async function answer(args: string, steps: [question: string, typed: string][]): Promise<Ended> {
    const program = startOnTerminal(args, { ...there, TERM: 'xterm' })
    let from = 0
    for (const [question, typed] of steps) {
      await eventually(
        () => `${question} in ${program.printed()}`,
        () => program.printed().includes(question, from),
      )
      from = program.printed().indexOf(question, from) + question.length
      program.type(typed)
    }
    return program.ended
  }

  it('it asks, repeats what was wrong, and takes what is offered on Enter', async () => {
    const { code, stdout } = await answer('pay', [
      ['Which country?', '\r'],
      ['WALLETD_SN_CASHOUT)', '4\r'],
      ['770000013', '+2250712345678\r'],
      ["is a number of Côte d'Ivoire", '\r'],
      ['Amount in F CFA', 'x\r'],
      ['Type whole francs', '700\r'],
      ['One-time code', '111111\r'],
      ['is wrong', '\r'],
    ])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /Paid: 700 F CFA/)
    assert.ok(stdout.includes('\u001b[32mSUCCESS'))
  })

  it('it asks for five one-time codes at most', async () => {
    const args = 'pay --service WALLETD_SN_CASHOUT --number 781234567 --amount 700'
    const wrong: [string, string] = ['One-time code of the customer', '111111\r']
    const { code, stdout } = await answer(args, [wrong, wrong, wrong, wrong, wrong])
    assert.notEqual(code, 0)
    assert.match(stdout, /The one-time code is wrong \(400, OTP_INVALID/)
  })

  slowTest('Ctrl-C at a question pays nothing, exits with 130 and shows no stack', async () => {
    const { code, stdout } = await answer('pay', [['Which country?', '\u0003']])
    assert.equal(code, 130)
    assert.match(stdout, /passerelle: Stopped: nothing was paid\./)
    assert.doesNotMatch(stdout, /^ {4}at /m)
  })
})

test('after all of these the money is right', () => assertMoney(live))
