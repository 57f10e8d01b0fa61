import type { KeyRing } from '#base/sealing/seal.ts'
import type { ReadSetting } from './settings.ts'

type Refuse = (sentence: string) => void

/**
 * Reads SECRET_KEY, and SECRET_KEY_OTHERS: keys that only open, separated by commas. During a
 * rotation that is first the next key, and then the one before.
 */
export function readSecretKeys(text: ReadSetting, otherwise: string, refuse: Refuse): KeyRing {
  const sealing = readKey('SECRET_KEY', text('SECRET_KEY') ?? otherwise, refuse)
  const others = (text('SECRET_KEY_OTHERS') ?? '')
    .split(',')
    .filter((value) => value.trim() !== '')
    .map((value) => readKey('SECRET_KEY_OTHERS', value, refuse))
  if (others.some((other) => other.equals(sealing)))
    refuse('SECRET_KEY_OTHERS must not repeat SECRET_KEY.')
  return { sealing, others }
}

/** Whether a ring holds a key, given in base64. */
export function holdsKey({ sealing, others }: KeyRing, value: string): boolean {
  const key = Buffer.from(value, 'base64')
  return [sealing, ...others].some((one) => one.equals(key))
}

function readKey(name: string, value: string, refuse: Refuse): Buffer {
  const key = Buffer.from(value.trim(), 'base64')
  if (key.length < 32)
    refuse(`${name} must be at least 32 bytes in base64, for example: openssl rand -base64 32`)
  return key
}
