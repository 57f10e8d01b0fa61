import { Type } from 'typebox'

export const BalanceWire = Type.Object(
  {
    success: Type.Boolean(),
    balance: Type.Integer({ description: 'What can be spent, in FCFA; held money is not in it' }),
    currency: Type.String({ examples: ['XOF'] }),
    lastUpdate: Type.String({ format: 'date-time' }),
  },
  { title: 'Balance' },
)

export const BalanceAnswer = Type.Object(
  { message: Type.String(), balance: BalanceWire },
  { title: 'Balance answer' },
)

export function writeBalance(account: { balance: number; updatedAt: Date }) {
  return {
    message: 'Balance fetched successfully',
    balance: {
      success: true,
      balance: account.balance,
      currency: 'XOF',
      lastUpdate: account.updatedAt.toISOString(),
    },
  }
}
