import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PayerStep } from '#money/providers/contract.ts'
import { type PayerTask, payerTaskOf } from './payer-task.ts'
import type { Transaction } from './transaction.ts'

const now = new Date('2026-01-15T10:00:00Z')
const waiting = {
  attemptState: 'taken',
  attemptNumber: 1,
  paymentUrl: null,
  createdAt: now,
  otpTries: 0,
  otpWrong: 0,
} as Transaction
const old = new Date(now.getTime() - 600_001)

describe('what a payer has to do', () => {
  // step, what is known, what keeps the payer from it
  const table: [PayerStep, Partial<Transaction>, PayerTask['obstacle']][] = [
    ['push', {}, null],
    ['push', { attemptState: 'recorded' }, null],
    ['push', { attemptState: 'not_sent' }, 'not_sent'],
    ['push', { attemptState: 'recorded', attemptNumber: 2 }, 'not_sent'],
    ['push', { attemptNumber: 2 }, null],
    ['push', { createdAt: old }, null],
    ['redirect', { paymentUrl: 'https://pay.example/1' }, null],
    ['redirect', {}, 'no_address'],
    ['redirect', { attemptState: 'not_sent' }, 'not_sent'],
    ['otp', {}, null],
    ['otp', { otpTries: 4, otpWrong: 4 }, null],
    ['otp', { otpTries: 5, otpWrong: 4 }, 'code_spent'],
    ['otp', { createdAt: old }, 'code_spent'],
    ['otp', { attemptState: 'not_sent', createdAt: old }, 'not_sent'],
    ['none', { attemptState: 'not_sent' }, null],
  ]
  for (const [step, known, obstacle] of table)
    it(`${step} of ${JSON.stringify(known)}: ${obstacle}`, () => {
      assert.deepEqual(payerTaskOf({ ...waiting, ...known }, step, now), { step, obstacle })
    })
})
