import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditedFields } from './audited-fields.ts'

/** A text of which every ASCII character is encoded. */
const percent = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /(?<!%.?)[\w.\-()]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  )

describe('the fields of a form in the audit log', () => {
  const scenarios: [string, Record<string, string>, Record<string, string>][] = [
    ['no password', { password: 'hush', name: 'Awa' }, { password: '…', name: 'Awa' }],
    ['no number of a payer', { to: '77 123 45 67' }, { to: '••••••67' }],
    ['no blocked number', { number: '+221771234567' }, { number: '••••••67' }],
    [
      'no customer of a link',
      { customer: 'Awa', phone: '771234567', email: 'awa@example.com', item: 'Riz' },
      { customer: '…', phone: '••••••67', email: '…', item: 'Riz' },
    ],
    ['the address of a colleague', { email: 'awa@shop.sn' }, { email: 'awa@shop.sn' }],
    ['dates', { from: '2026-01-01', to: '2026-02-01' }, { from: '2026-01-01', to: '2026-02-01' }],
    ['amounts', { amount: '10000000' }, { amount: '10000000' }],
    [
      'filters without numbers',
      { query: 'number=771234567&from=2026-01-01' },
      { query: 'number=••••••67&from=2026-01-01' },
    ],
    ['empty fields', { phone: '', customer: '' }, { phone: '', customer: '' }],
  ]
  for (const [name, given, kept] of scenarios)
    it(`has ${name}`, () => assert.deepEqual(auditedFields(given), kept))

  const numbers = [
    '771234567',
    '+221771234567',
    '00221771234567',
    '77 123 45 67',
    '77.123.45.67',
    '77-123-45-67',
    '(77) 123/45/67',
    '+221 77 123 45 67',
    '+221\u00a077\u202f123\u00a045\u00a067',
    '771 234 567',
    '0712345678967',
    '77 12 34 67',
    '７７１２３４５６７',
    '77_123_45_67',
    '77·123·45·67',
    '77\u200b123\u200b45\u200b67',
  ]
  const places: [where: string, put: (text: string) => Record<string, string>][] = [
    ['a reason', (text) => ({ reason: `rappel du ${text}, merci` })],
    ['a name', (text) => ({ name: `Awa${text}` })],
    ['a search', (text) => ({ q: text })],
    ['filters', (text) => ({ query: `q=${text.replace('+', '%2B')}&from=2026-01-01` })],
    ['encoded filters', (text) => ({ query: new URLSearchParams({ q: text }).toString() })],
    ['an encoded number of filters', (text) => ({ query: `number=${encodeURIComponent(text)}` })],
    ['an address', (text) => ({ back: `/dashboard/links?q=${encodeURIComponent(text)}` })],
    [
      'an address of a form',
      (text) => ({ back: `/a?${new URLSearchParams({ q: text }).toString()}` }),
    ],
    [
      'an address encoded twice',
      (text) => ({ back: encodeURIComponent(`/a?q=${encodeURIComponent(text)}`) }),
    ],
    ['a field of an amount, with words', (text) => ({ amount: `au ${text}` })],
    ['bytes that are no text', (text) => ({ back: `/a?q=%FF${percent(text)}` })],
    ['the field of a number', (text) => ({ number: text })],
  ]
  for (const [where, put] of places)
    for (const number of numbers)
      it(`has no ${number} in ${where}`, () => {
        const [value = ''] = Object.values(auditedFields(put(number)))
        const digits = decodeURIComponent(value).normalize('NFKC').replaceAll('2026-01-01', '')
        assert.ok(digits.replaceAll(/\D/g, '').length <= 2, value)
        assert.match(value, /••••••/)
      })

  const untouched: Record<string, string>[] = [
    { amount: '10000000' },
    { amountMin: '10 000 000', countMax: '100000000', rate: '99999999' },
    { reason: 'payé 10 000 000 F CFA le 2026-01-31, pas 12500000 FCFA' },
    { reason: 'du 31/01/2026 au 28.02.2026' },
    { since: '2026-01-31T10:20', until: '2026-02-01 2026-02-03' },
    { shop: 'sm-712345678901', transaction: '01812345-0000-7000-8000-000000000000' },
    { logoHash: '12345678901234567890abcdef123456' },
    { addresses: '196.207.100.10 10.0.0.0/8' },
    { address: 'https://192.168.100.10:9000/webhooks?x=%C3%A9' },
    { label: '100 % caisse 12' },
    { query: 'amountMin=10000000&from=2026-01-01&to=2026-01-31' },
  ]
  for (const fields of untouched)
    it(`keeps ${JSON.stringify(fields)}`, () => assert.deepEqual(auditedFields(fields), fields))
  it('has so many of them, under names so long, that the log cannot be filled by a form', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, 'x']))
    const kept = auditedFields({ ['n'.repeat(50_000)]: 'x'.repeat(50_000), ...many })
    assert.deepEqual(Object.keys(kept).length, 101)
    assert.equal(kept['n'.repeat(200)], 'x'.repeat(200))
    assert.equal(kept['…'], '+ 901')
    assert.ok(JSON.stringify(kept).length < 2000)
  })
})
