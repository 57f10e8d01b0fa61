import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import type { Passkey } from './store.ts'

/** A person as devices show them. */
export interface Named {
  personId: string
  email: string
  name: string
}

/** The site that passkeys belong to. */
export interface Site {
  origin: string
  rpID: string
}

// ES256, EdDSA and RS256: what devices of today have.
const supportedAlgorithmIDs = [-7, -8, -257]

// Loaded when it is first needed: a start need not wait for it.
const library = () => import('@simplewebauthn/server')

/** The site of an address; undefined: browsers allow no passkeys there. */
export function siteOf(url: string): Site | undefined {
  const { origin, protocol, hostname } = new URL(url)
  const isNamed = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0
  const isSafe = protocol === 'https:' || hostname === 'localhost'
  return isNamed && isSafe ? { origin, rpID: hostname } : undefined
}

/** What a browser needs to make a passkey on a device that has none of these. */
export async function optionsForNew(
  { rpID }: Site,
  person: Named,
  { challenge, known }: { challenge: Buffer; known: Passkey[] },
): Promise<object> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Passerelle',
    rpID,
    userID: new Uint8Array(handleOf(person.personId)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: new Uint8Array(challenge),
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** What a browser needs to use one of these passkeys, or any that it has if there are none. */
export async function optionsForUse(
  { rpID }: Site,
  { challenge, known }: { challenge: Buffer; known: Passkey[] },
): Promise<object> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(challenge),
    allowCredentials: known.map(({ id, transports }) => ({ id, transports })),
    userVerification: 'required',
  })
}

/** What a browser sends: its shape is checked here, its content when it is verified. */
export interface Signed {
  id: string
  response: { clientDataJSON: string }
}

export function readSigned(text: string): Signed | undefined {
  const value = parse(text) as Partial<Signed> | null | undefined
  const isShaped =
    typeof value?.id === 'string' && typeof value.response?.clientDataJSON === 'string'
  return isShaped ? (value as Signed) : undefined
}

/** The challenge that a device says it has signed. */
export function challengeIn({ response }: Signed): string | undefined {
  const data = parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
  const { challenge } = (data ?? {}) as { challenge?: unknown }
  return typeof challenge === 'string' ? challenge : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A passkey that a device has made; undefined: it is not what was asked for. */
export async function verifyNew(
  signed: Signed,
  { origin, rpID, challenge }: Site & { challenge: string },
): Promise<WebAuthnCredential | undefined> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: signed as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      supportedAlgorithmIDs,
      requireUserVerification: true,
    })
    return verified ? registrationInfo.credential : undefined
  } catch {
    // The library throws whatever is wrong with what it was sent.
    return undefined
  }
}

/** The new counter of a passkey; undefined: its signature is wrong. */
export async function verifyUse(
  signed: Signed,
  { origin, rpID, challenge, passkey }: Site & { challenge: string; passkey: Passkey },
): Promise<number | undefined> {
  const response = signed as AuthenticationResponseJSON
  const { id, publicKey, counter, transports, personId } = passkey
  const { userHandle } = response.response
  if (userHandle !== undefined && userHandle !== handleOf(personId).toString('base64url'))
    return undefined
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: { id, publicKey: new Uint8Array(publicKey), counter, transports },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}

/** How devices know a person: the bytes of their id, which tell nothing about them. */
function handleOf(personId: string): Buffer {
  return Buffer.from(personId.replaceAll('-', ''), 'hex')
}
