import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { meterPayment, query, submit, topUpState } from '#test/provider-answers.ts'

test('a search that finds two orders of one id waits for both, and reports each', async () => {
  const [airtime, meter] = [topUpState('SUCCESSFUL'), meterPayment('SUCCESSFUL')]
  for (const [operation, order] of [
    ['top_up', airtime],
    ['pay_bill', meter],
  ] as const) {
    const ask = (content: object[]) => query('top-up', operation, null, () => [200, { content }])
    assert.equal((await ask([order])).kind, 'succeeded')
    const other = { ...order, transactionId: 8, id: 8 }
    assert.equal((await ask([order, { ...other, status: 'PROCESSING' }])).kind, 'unknown')
    const one = await ask([order, { ...other, status: 'FAILED' }])
    assert.ok(one.kind === 'succeeded' && one.others === undefined)
    const both = await ask([order, other])
    assert.ok(both.kind === 'succeeded' && both.reference !== '8')
    assert.deepEqual(
      both.others?.map(({ reference }) => reference),
      ['8'],
    )
    assert.equal((await ask([])).kind, 'not_found')
  }
})

describe('recharge codes', () => {
  const [a, b, c] = ['1111-2222-3333-4444-5555', '0000-0000-0000-0000-0001', '9'.repeat(20)]
  const grouped = '9999-9999-9999-9999-9999'
  // name, token of the provider, codes for the merchant
  const scenarios: [string, unknown, string[] | undefined][] = [
    ['one', a, [a]],
    ['one without groups', c, [grouped]],
    ['three in order', `${b} ${a} ${c}`, [b, a, grouped]],
    ['three in one', `${b}${a}${c}`, [b, a, grouped]],
    ['lines', `${a}\n${b}`, [a, b]],
    ['groups of five', '11112-22233-33444-45555', [a]],
    ['spaces all over', ' 1111 2222 3333 4444 5555 ', [a]],
    ['of another length', '1234-5678', ['1234-5678']],
    ['of letters', 'AB12-CD34 (type #)', ['AB12-CD34 (type #)']],
    ['none', null, undefined],
    ['an empty one', '', undefined],
    ['white space', ' \n', undefined],
    ['a number', 12, undefined],
  ]
  for (const [name, token, codes] of scenarios)
    it(name, async () => {
      const paid = meterPayment('SUCCESSFUL', token)
      const sent = await submit('top-up', 'pay_bill', null, () => [200, paid])
      assert.deepEqual(sent.kind === 'succeeded' ? sent.tokens : undefined, codes)
      // Paid, but without a code: it is queried again.
      if (codes === undefined) assert.equal(sent.kind, 'unknown')
      for (const digits of [a, b, c].flatMap((one) => [one, one.replaceAll('-', '')]))
        assert.ok(!JSON.stringify(sent.evidence).includes(digits))
    })
})

describe('the state of an order of which there is no transaction', () => {
  // status, code, outcome, cause
  for (const [status, code, kind, cause] of [
    ['FAILED', null, 'declined', 'declined'],
    ['FAILED', 'INVALID_RECIPIENT_PHONE', 'declined', 'payer_not_found'],
    ['REFUNDED', undefined, 'declined', 'declined'],
    ['PROCESSING', null, 'pending', undefined],
    // What was delivered is not told.
    ['SUCCESSFUL', null, 'unknown', undefined],
    ['LOST', null, 'unknown', undefined],
  ] as const)
    for (const transaction of [null, undefined])
      it(`${status} ${code} (${transaction}) is ${kind}`, async () => {
        const body = { code, message: 'x', status, transaction }
        const outcome = await query('top-up', 'top_up', '77', () => [200, body])
        assert.equal(outcome.kind, kind)
        assert.equal(outcome.kind === 'declined' ? outcome.cause : undefined, cause)
        assert.equal('reference' in outcome && outcome.reference, '77')
      })
})
