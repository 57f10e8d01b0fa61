/** Sources that decide about money, and the tests that must notice a change of them. */
export interface Room {
  sources: string[]
  /** In the order in which they are run: until one is red. */
  tests: string[]
}

export const rooms: Room[] = [
  { sources: ['src/merchants/clients/fees.ts'], tests: ['src/merchants/clients/fees.test.ts'] },
  {
    sources: ['src/money/ledger/decide.ts', 'src/money/ledger/postings.ts'],
    tests: [
      'src/money/ledger/decide.test.ts',
      'src/money/ledger/postings.test.ts',
      'src/money/ledger/post.test.ts',
      'src/money/ledger/settlement.test.ts',
    ],
  },
  {
    sources: [
      'src/money/ledger/post.ts',
      'src/money/ledger/settlement.ts',
      'src/money/ledger/adjustment.ts',
      'src/money/ledger/balance.ts',
      'src/money/ledger/chain.ts',
      'src/money/ledger/store.ts',
    ],
    tests: [
      'src/money/ledger/post.test.ts',
      'src/money/ledger/settlement.test.ts',
      'src/money/ledger/chain.test.ts',
      'src/money/ledger/postings.test.ts',
      'src/money/ledger/races.test.ts',
      'src/program/sandbox/history.test.ts',
    ],
  },
  {
    sources: ['src/money/lifecycle/transitions.ts', 'src/money/transactions/decide.ts'],
    tests: [
      'src/money/lifecycle/transitions.test.ts',
      'src/money/transactions/decide.test.ts',
      'src/money/transactions/simulation.test.ts',
    ],
  },
  {
    sources: ['src/money/transactions/refund.ts'],
    tests: [
      'src/money/transactions/refund.test.ts',
      'src/money/float/float.test.ts',
      'src/money/limits/limits.test.ts',
      'src/operations/retention/retention.test.ts',
    ],
  },
  {
    sources: ['src/money/limits/rules.ts', 'src/money/limits/take.ts'],
    tests: [
      'src/money/limits/rules.test.ts',
      'src/money/limits/model.test.ts',
      'src/money/limits/locks.test.ts',
      'src/money/limits/limits.test.ts',
    ],
  },
]
