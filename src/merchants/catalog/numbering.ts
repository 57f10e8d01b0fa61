import type { Country } from './countries.ts'

interface Numbering {
  /** How many digits a national number has. */
  digits: number
  /** The groups that people write these digits in. */
  groups: number[]
  /**
   * The first digits of mobile numbers, each with the wallet of the operator that was assigned
   * them; null: none of our wallets. The longest one that matches counts. Only good for a
   * suggestion: people keep their number when they change the operator, and some wallets take the
   * numbers of any operator.
   */
  prefixes: Record<string, string | null>
}

/** The national numbers of each country. */
export const numbering: Record<Country, Numbering> = {
  SN: {
    digits: 9,
    groups: [2, 3, 2, 2],
    prefixes: { '70': 'WALLETD', '75': null, '76': 'WALLETC', '77': 'WALLETA', '78': 'WALLETA' },
  },
  ML: {
    digits: 8,
    groups: [2, 2, 2, 2],
    prefixes: { '5': null, '6': 'WALLETE', '7': 'WALLETA', '8': null, '9': null },
  },
  CI: {
    digits: 10,
    groups: [2, 2, 2, 2, 2],
    prefixes: { '01': 'WALLETE', '05': 'WALLETF', '07': 'WALLETA' },
  },
  CM: {
    digits: 9,
    groups: [1, 2, 2, 2, 2],
    prefixes: {
      '6': null,
      '650': 'WALLETF',
      '651': 'WALLETF',
      '652': 'WALLETF',
      '653': 'WALLETF',
      '654': 'WALLETF',
      '655': 'WALLETA',
      '656': 'WALLETA',
      '657': 'WALLETA',
      '658': 'WALLETA',
      '659': 'WALLETA',
      '67': 'WALLETF',
      '68': 'WALLETF',
      '69': 'WALLETA',
    },
  },
}
