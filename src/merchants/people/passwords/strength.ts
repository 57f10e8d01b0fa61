import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { passwordLengthMax, passwordLengthMin } from './passwords.ts'

// Those that are long enough and still among the first that anybody tries.
const guessed = new Set([
  '1234567890',
  '12345678910',
  '0123456789',
  '0987654321',
  'azertyuiop',
  'qwertyuiop',
  'motdepasse',
  'motdepasse1',
  'password12',
  'password123',
  'passerelle',
  'administrateur',
])
const differentMin = 5

/** Refuses a password that people guess: too short, too plain, or with the mail address. */
export function refuseWeak(password: string, email: string): void {
  const plain = password.toLowerCase()
  if (password.length < passwordLengthMin || password.length > passwordLengthMax)
    refuse('A password must have {min} to {max} characters', {
      min: passwordLengthMin,
      max: passwordLengthMax,
    })
  if (guessed.has(plain) || new Set(plain).size < differentMin)
    refuse('This password is too easy to guess')
  if (plain.includes(email.toLowerCase())) refuse('A password must not contain the email address')
}

function refuse(text: string, values: Reason['values'] = {}): never {
  throw new Refusal('validation_failed', reason(text, values, 'password'))
}
