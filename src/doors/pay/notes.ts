import { keysFor, type SecretKey, seal, unsealByAny } from '#base/sealing/seal.ts'
import { type PhoneProblem, phoneProblems } from '#merchants/catalog/phone.ts'
import { type LimitProblem, limitProblems } from '#money/links/checkout.ts'

/** The payer's input, as it was typed. */
export interface Entry {
  serviceCode: string
  country: string
  phone: string
}

export const walletProblems = ['unavailable', ...limitProblems, 'service'] as const
const codeProblems = ['code', 'wrong_code', 'code_expired', 'code_unavailable'] as const

export type WalletProblem = 'service' | 'unavailable' | LimitProblem
export type CodeProblem = (typeof codeProblems)[number]

/** What a form tells the page that answers it. */
export interface Note {
  entry?: Entry
  problem?: PhoneProblem | WalletProblem | CodeProblem
  /** Why nothing was done. */
  remark?: 'too_late' | 'busy' | 'internal' | 'foreign' | 'malformed'
  /** Until the payer may try again. */
  waitSeconds?: number
}

export type Notes = ReturnType<typeof openNotes>

// Longer than anyone looks at a form; then the address shows what it shows to everybody.
const validMs = 3_600_000

/**
 * Notes stand in the address of a page, so that it can be reloaded and gone back to: sealed, since
 * addresses are logged and sent on, and a payer's number must not be read there.
 */
export function openNotes(secretKey: SecretKey) {
  const keys = keysFor(secretKey, 'payment page notes')
  return {
    write: (linkId: string, note: Note, now: Date): string =>
      seal(keys, JSON.stringify({ at: now.getTime(), note }), linkId).toString('base64url'),
    /** Empty: there is none, it is too old, or not one that we wrote for this link. */
    read: (linkId: string, text: unknown, now: Date): Note => {
      if (typeof text !== 'string' || text === '') return {}
      const opened = unsealByAny(keys, Buffer.from(text, 'base64url'), linkId)
      if (opened === undefined) return {}
      const { at, note } = JSON.parse(opened.text) as { at: number; note: Note }
      return now.getTime() - at < validMs ? note : {}
    },
  }
}

/** What is wrong with the number, if that is what a note tells. */
export function phoneProblemOf({ problem }: Note): PhoneProblem | undefined {
  return phoneProblems.find((one) => one === problem)
}

export function walletProblemOf({ problem }: Note): WalletProblem | undefined {
  return walletProblems.find((one) => one === problem)
}

export function codeProblemOf({ problem }: Note): CodeProblem | undefined {
  return codeProblems.find((one) => one === problem)
}
