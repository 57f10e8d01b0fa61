import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditedFields } from './audited-fields.ts'

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
})
