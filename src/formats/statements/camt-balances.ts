import { type Reason, reason } from '#base/kit/refusal.ts'
import type { EntryParts } from './camt-entry.ts'
import { type CamtScope, readCamtAmount, readCamtSide } from './camt-scope.ts'
import { sentences } from './sentences.ts'
import type { StatementItem } from './statement.ts'

interface Balance {
  amount: number
  at: Date
}

/** The balances of one account, over all statements of the file. */
interface Account {
  opening: Balance | undefined
  closing: Balance | undefined
}

// A provider may keep an account for collections and others for payouts.
const accountsMax = 100
const dayMs = 86_400_000

const types: Record<string, 'opening' | 'previous' | 'closing'> = {
  OPBD: 'opening',
  PRCD: 'previous',
  CLBD: 'closing',
}

/** Follows the balances of the accounts in a document; the file's are their sums. */
export class CamtBalances {
  readonly #parts: EntryParts
  readonly #accounts = new Map<string, Account>()
  /** Of the statement that is open. */
  #own = new Map<string, Balance>()

  constructor(parts: EntryParts) {
    this.#parts = parts
  }

  /** Notes a balance of a statement; what is wrong with it otherwise. */
  take(scope: CamtScope): Reason | undefined {
    const type = types[scope.text('balanceType') ?? '']
    if (type === undefined) return undefined
    const amount = readCamtAmount(scope, 'balanceAmount', 'Amt', this.#parts.currency)
    if (typeof amount !== 'number') return amount
    const sign = readCamtSide(scope, 'balanceSide')
    if (typeof sign !== 'number') return sign
    const at = this.#readAt(scope, type)
    if (at === undefined)
      return scope.problem('balanceDate', 'Dt', 'noDate', {
        formats: 'ISO 8601',
        example: '2026-11-16',
      })
    const isNegative = sign === -1 && amount > 0
    this.#own.set(type, { amount: isNegative ? -amount : amount, at })
    return undefined
  }

  /** The balance of a day opens at its beginning, and closes at its end. */
  #readAt(scope: CamtScope, type: string): Date | undefined {
    const moment = scope.text('balanceMoment')
    if (moment !== undefined) return this.#parts.readMoment(moment)
    const start = this.#parts.readMoment(scope.text('balanceDate') ?? '')
    if (start === undefined || type === 'opening') return start
    return new Date(start.getTime() + dayMs - 1)
  }

  /** Statements of the same account must follow each other. */
  endStatement(scope: CamtScope): Reason[] {
    const opening = this.#own.get('opening') ?? this.#own.get('previous')
    const closing = this.#own.get('closing')
    this.#own = new Map()
    const name = scope.text('account') ?? ''
    const account = this.#accounts.get(name)
    const { line } = scope
    if (account === undefined) {
      if (this.#accounts.size === accountsMax)
        return [reason(sentences.manyAccounts, { line, accountsMax })]
      this.#accounts.set(name, { opening, closing })
      return []
    }
    const before = account.closing
    account.closing = closing ?? before
    account.opening ??= opening
    if (opening === undefined || before === undefined || opening.amount === before.amount) return []
    const values = { line, opening: opening.amount, closing: before.amount }
    return [reason(sentences.notFollowing, values)]
  }

  /** The balances of the file, where all of its accounts tell them. */
  items(): StatementItem[] {
    return (['opening', 'closing'] as const).flatMap((which): StatementItem[] => {
      const told = [...this.#accounts.values()].map((account) => account[which])
      const known = told.filter((one) => one !== undefined)
      if (known.length === 0 || known.length < told.length) return []
      const amount = known.reduce((sum, one) => sum + one.amount, 0)
      const times = known.map(({ at }) => at.getTime())
      const at = new Date(which === 'opening' ? Math.min(...times) : Math.max(...times))
      return [{ kind: 'balance', which, amount, at }]
    })
  }
}
