/** Sources that decide about money, and the tests that must notice a change of them. */
export interface Room {
  sources: string[]
  /** In the order in which they are run: until one is red. */
  tests: string[]
}

export const rooms: Room[] = [
  { sources: ['src/clients/fees.ts'], tests: ['src/clients/fees.test.ts'] },
  {
    sources: ['src/ledger/decide.ts', 'src/ledger/postings.ts'],
    tests: [
      'src/ledger/decide.test.ts',
      'src/ledger/postings.test.ts',
      'src/ledger/post.test.ts',
      'src/ledger/settlement.test.ts',
    ],
  },
  {
    sources: [
      'src/ledger/post.ts',
      'src/ledger/settlement.ts',
      'src/ledger/adjustment.ts',
      'src/ledger/balance.ts',
      'src/ledger/chain.ts',
      'src/ledger/store.ts',
    ],
    tests: [
      'src/ledger/post.test.ts',
      'src/ledger/settlement.test.ts',
      'src/ledger/chain.test.ts',
      'src/ledger/postings.test.ts',
      'src/ledger/races.test.ts',
      'src/sandbox/history.test.ts',
    ],
  },
  {
    sources: ['src/lifecycle/transitions.ts', 'src/transactions/decide.ts'],
    tests: [
      'src/lifecycle/transitions.test.ts',
      'src/transactions/decide.test.ts',
      'src/transactions/simulation.test.ts',
    ],
  },
  {
    sources: ['src/transactions/refund.ts'],
    tests: [
      'src/transactions/refund.test.ts',
      'src/float/float.test.ts',
      'src/limits/limits.test.ts',
      'src/retention/retention.test.ts',
    ],
  },
  {
    sources: ['src/limits/rules.ts', 'src/limits/take.ts'],
    tests: [
      'src/limits/rules.test.ts',
      'src/limits/model.test.ts',
      'src/limits/locks.test.ts',
      'src/limits/limits.test.ts',
    ],
  },
]
