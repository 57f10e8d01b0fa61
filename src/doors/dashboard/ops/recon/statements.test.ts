import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { builtIn } from '#formats/statements/built-in.ts'
import { signedInOperator, tokenIn } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { confirmed, imported, upload } from '#test/recon-forms.ts'
import { reconOrders } from '#test/recon-orders.ts'
import { usualTest as it } from '#test/size.ts'
import { csvOf, lineOf } from '#test/statement-maker.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '1000' } })
const { db, approvals } = gateway
const awa = await signedInOperator(gateway)
const binta = await signedInOperator(gateway, 'finance-operator')
const auditor = await signedInOperator(gateway, 'auditor')
const root = '/dashboard/ops/recon'
const { started, ended, later, importLater } = reconOrders(gateway, {
  actor: awa.email,
  numbersFrom: 778_100_000,
})

const audits = async (action: string) =>
  (await db`select from audit_log where action = ${action}`).length

describe('a statement', () => {
  it('is seen before: lines, time, sums and matches, and a doubt asks again', async () => {
    const paid = await ended('WALLETB_SN_CASHOUT', 'succeed')
    const line = await lineOf(db, paid, { fee: 7 })
    const far = { ...line, reference: 'far', our_reference: '', moment: '2026-01-02T10:00:00Z' }
    const out = { ...line, reference: 'out', our_reference: '', kind: 'disburse', amount: 300 }
    const fields = { file: csvOf([line, out, out, far]), provider: 'WALLETB_SN' }
    const { location } = await upload(awa, fields)
    const { visible } = await awa.get(location)
    assert.match(visible, /Lines 4 .*Paid in at the provider 10.000 F CFA Paid out 600 F CFA/)
    assert.match(visible, /Fees 28 F CFA .*among ours 1 of 4 .*Few payments .*A few lines are far/)
    const asked = await awa.post(location, confirmed)
    assert.equal(asked.headers.get('location'), location)
    assert.match((await awa.get(location)).visible, /What would be imported/)
    // What is as usual is imported at once.
    const usual = await upload(awa, { ...fields, file: csvOf([line]) })
    assert.doesNotMatch((await awa.get(usual.location)).text, /name="sure"/)
  })

  it('is doubted where its lines are not what its balances differ by', async () => {
    const party = { provider: 'WALLETF', country: 'CI' }
    const balances = { opening: 'opening', closing: 'closing' }
    await later.saveMapping({ ...party, content: { ...builtIn[0], balances }, actor: awa.email })
    const line = await lineOf(db, await ended('WALLETF_CI_CASHOUT', 'succeed'), { fee: 20 })
    const told = (closing: number) =>
      `opening;;;;;1000;;\n${csvOf([line])}closing;;;;;${closing};;\n`
    const right = await upload(awa, { file: told(5980), provider: 'WALLETF_CI' })
    const page = await awa.get(right.location)
    assert.match(page.visible, /Opening balance 1.000 F CFA Closing balance 5.980 F CFA/)
    assert.doesNotMatch(page.text, /name="sure"/)
    const wrong = { file: told(5990), provider: 'WALLETF_CI' }
    const { location } = await upload(awa, wrong)
    const { visible } = await awa.get(location)
    assert.match(visible, /Closing less opening and lines 10 F CFA .*Is the file whole/)
    const at = await imported(awa, wrong)
    assert.match((await awa.get(at)).visible, /do not add up to .* 1 10 F CFA/)
  })

  it('is about days of the country of its provider', async () => {
    const line = await lineOf(db, await ended('WALLETB_SN_CASHOUT', 'succeed'))
    const days = { from: '2026-11-16', to: '2026-11-17' }
    const times = async (provider: string) => {
      const { location } = await upload(awa, { file: csvOf([line]), provider, ...days })
      const { fromAt, toAt } = (await later.file(location.slice(-36))) ?? {}
      return [fromAt, toAt].map((at) => at?.toISOString())
    }
    const night = '2026-11-15T23:00:00.000Z'
    assert.deepEqual(await times('WALLETF_CM'), [night, '2026-11-17T23:00:00.000Z'])
    const midnight = '2026-11-16T00:00:00.000Z'
    assert.deepEqual(await times('WALLETA_SN'), [midnight, '2026-11-18T00:00:00.000Z'])
  })

  it('is taken back by two people, on its page', async () => {
    const stranger = { moment: systemClock.now().toISOString(), reference: 'mistaken', fee: 3 }
    const line = { ...stranger, our_reference: '', kind: 'collect', number: '', amount: 70 }
    const party = { provider: 'WALLETG', country: 'CI' }
    const { id } = await importLater([{ ...line, status: 'succeeded' }], party)
    const at = `${root}/statements/${id}`
    assert.equal((await auditor.get(at)).text.includes('Propose to withdraw it'), false)
    const empty = await awa.post(`${at}/withdraw`, { reason: ' ' }, { from: at })
    assert.match(empty.visible, /Withdraw this statement.*reason is needed/i)
    const sent = await awa.post(`${at}/withdraw`, { reason: 'Another wallet' }, { from: at })
    const proposal = sent.headers.get('location') ?? ''
    const { visible } = await binta.get(proposal)
    assert.match(visible, /Withdraw a statement.*later.csv.*Another wallet.*Provider fees 3 F CFA/)
    await binta.post(`${proposal}/decide`, { verb: 'approve' }, { from: proposal })
    assert.match((await awa.get(at)).visible, /was withdrawn: nothing that it said counts/)
    assert.deepEqual(await later.cases({ ...party, isUnclosed: true }, { limit: 5 }), [])
    assert.equal((await awa.get(at)).text.includes('Propose to withdraw it'), false)
  })
})

describe('differences', async () => {
  const party = { provider: 'WALLETA', country: 'CI' }
  const [paid, missing, late] = [
    await ended('WALLETA_CI_CASHOUT', 'succeed'),
    await ended('WALLETA_CI_CASHOUT', 'succeed'),
    await ended('WALLETA_CI_CASHOUT', 'decline'),
  ]
  const open = await started('WALLETA_CI_CASHOUT', [])
  const base = await lineOf(db, paid)
  const lines = [
    base,
    await lineOf(db, late),
    await lineOf(db, open, { amount: 5500 }),
    { ...base, reference: 'unknown', our_reference: '', amount: 300 },
  ]
  const statement = await importLater(lines, party)
  const [waiting] = await approvals.list({ limit: 1 })
  await approvals.approve({ id: waiting?.id ?? '', person: binta.email })
  const cases = await later.cases({ statementId: statement.id }, { limit: 500 })
  const caseOf = (id: string | null) =>
    `${root}/cases/${cases.find(({ transactionId }) => transactionId === id)?.id}`

  it('show reference, number, merchant and moment, and are found by them', async () => {
    const line = { ...base, our_reference: '', number: '771112233', amount: 77 }
    await importLater([{ ...line, reference: 'find-me' }], { provider: 'WALLETA', country: 'CI' })
    const list = `${root}/cases`
    for (const q of ['find-me', '771112233', '77 111 22 33', '+221771112233']) {
      const { visible } = await awa.get(`${list}?q=${encodeURIComponent(q)}`)
      assert.match(visible, /Only theirs find-me .*77 111 22 33/, q)
      assert.doesNotMatch(visible, /Other amount \S+ Open/)
    }
    assert.match((await awa.get(`${list}?q=${missing}`)).visible, /Only ours \S+ Open .*Client \d/)
  })

  it('offer what is possible only', async () => {
    const shown = async (at: string) => (await awa.get(at)).text
    assert.doesNotMatch(await shown(caseOf(missing)), /how=(success|failed|send_back|suspend)/)
    assert.match(await shown(caseOf(late)), /how=send_back/)
    assert.match(await shown(caseOf(open)), /how=failed/)
    assert.match(await shown(caseOf(null)), /how=suspend/)
    assert.doesNotMatch(await shown(caseOf(null)), /how=(success|failed|send_back)/)
  })

  it('are closed by a filter, as many as were seen', async () => {
    const names = ['close-1', 'close-2', 'close-3']
    const made = names.map((reference, index) => ({
      ...base,
      our_reference: '',
      reference,
      amount: 10 + index,
    }))
    const { id } = await importLater(made, { provider: 'WALLETD', country: 'SN' })
    const at = `${root}/cases?statement=${id}`
    const page = await awa.get(at)
    assert.match(page.visible, /Close these differences \(3\).* 33 F CFA/)
    assert.doesNotMatch((await auditor.get(at)).text, /Close these differences/)
    const fields = { statement: id, reason: 'A file of tests' }
    await later.mend(
      (await later.cases({ statementId: id }, { limit: 1 }))[0]?.id ?? '',
      { how: 'ignore', reason: 'by itself' },
      { person: binta.email, actor: binta.email },
    )
    const token = tokenIn(page.text.slice(page.text.indexOf('Close these')))
    const changed = await awa.post(`${root}/cases`, { ...fields, token })
    assert.match(changed.visible, /Nothing was done/)
    assert.equal((await later.cases({ statementId: id, state: 'open' }, { limit: 9 })).length, 2)
    const now = await awa.get(at)
    const fresh = tokenIn(now.text.slice(now.text.indexOf('Close these')))
    const closed = await audits('recon.closed')
    assert.equal((await awa.post(`${root}/cases`, { ...fields, token: fresh })).status, 303)
    assert.deepEqual(await later.cases({ statementId: id, isUnclosed: true }, { limit: 9 }), [])
    assert.equal(await audits('recon.closed'), closed + 2)
  })
})

// Without the lab: statements here tell of money that it never had.
test('the money holds', () => assertMoney({ db }))
