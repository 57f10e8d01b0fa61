import { createHmac } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { demoSecrets, demoWebhookSecret } from '#program/sandbox/demo-keys.ts'

/**
 * The secret that signs what `listen` forwards: the same each time for a key, so that it is set
 * once in a developer's program, and no secret of the account (docs/decisions/0073). The account's
 * own is used where it is public, as in the demo.
 */
export function listenSecretOf(key: string): string {
  if (demoSecrets.includes(key)) return demoWebhookSecret
  return `whsec_${createHmac('sha256', key).update('passerelle listen').digest('base64')}`
}

/** Reads a secret that is given instead. */
export function webhookSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/_-]{24,}=*$/.test(text)) return text
  throw new InvalidArgumentError('It must begin with whsec_, as it was shown.')
}
