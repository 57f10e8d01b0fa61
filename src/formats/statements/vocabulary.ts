import { oneLine } from '#base/kit/one-line.ts'
import { type Mapping, usualSign } from './mapping.ts'
import type { LineKind, LineStatus } from './statement.ts'
import { folded } from './words.ts'

/** A kind of line, and its direction; undefined: that of the amount as written. */
export interface SignedKind {
  kind: LineKind
  sign: 1 | -1 | undefined
}

/** The words of a mapping, made ready to be looked up. */
export interface Vocabulary {
  kinds: Map<string, SignedKind>
  statuses: Map<string, LineStatus>
  signs: Map<string, 1 | -1>
}

/** Makes the words of a mapping ready. */
export function vocabularyOf({ kinds = {}, statuses = {}, signs = {} }: Mapping): Vocabulary {
  return {
    kinds: lookup(kinds, signedKind),
    statuses: lookup(statuses, (status) => status),
    signs: lookup(signs, (sign) => (sign === '+' ? 1 : -1)),
  }
}

function lookup<Meaning, T>(words: Record<string, Meaning>, read: (one: Meaning) => T) {
  return new Map(
    Object.entries(words).map(([word, meaning]): [string, T] => [folded(word), read(meaning)]),
  )
}

function signedKind(text: string): SignedKind {
  const [, kind, sign] = /^([a-z_]+)([+-]?)$/.exec(text) ?? []
  const own = kind as LineKind
  if (sign === '') return { kind: own, sign: usualSign(own) }
  return { kind: own, sign: sign === '+' ? 1 : -1 }
}

/** The words that a mapping knows, for sentences. */
export function knownWords(words: Map<string, unknown>): string {
  return oneLine([...words.keys()].join(', '), 300)
}
