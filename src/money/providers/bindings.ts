import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { ConfigProblems } from '#base/config/problems.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Country } from '#merchants/catalog/countries.ts'
import { services } from '#merchants/catalog/services.ts'
import { type Credentials, operationFor, type Protocol } from './contract.ts'
import { jsonReader } from './json-reader.ts'
import { protocolNamed } from './protocols.ts'

/** A provider in a country: its protocol, its address and our credentials. */
export interface Binding {
  provider: string
  country: Country
  /** The name of a protocol. */
  connector: string
  baseUrl: string
  credentials: Credentials
}

const sandboxConnectors: Record<string, string> = {
  WALLETA: 'gsma',
  WALLETB: 'checkout-session',
  WALLETC: 'gsma',
  WALLETD: 'otp-confirm',
  WALLETE: 'gsma',
  WALLETF: 'request-to-pay',
  WALLETG: 'gsma',
  OPERATOR1: 'top-up',
  OPERATOR2: 'top-up',
  OPERATOR3: 'top-up',
  OPERATOR4: 'top-up',
  WATER: 'gsma',
  ELEC: 'gsma',
  PREPAID: 'top-up',
}

// Public, like everything in a sandbox; live mode refuses them.
const sandboxCredentials: Record<string, Credentials> = {
  gsma: { apiKey: 'lab_key', organisationId: 'passerelle' },
  'request-to-pay': {
    subscriptionKey: 'lab_subscription',
    apiUser: 'lab_user',
    apiKey: 'lab_key',
    targetEnvironment: 'sandbox',
  },
  'otp-confirm': {
    headerPrefix: 'lab-',
    masterKey: 'lab_master',
    privateKey: 'lab_private',
    token: 'lab_token',
  },
  'checkout-session': { apiKey: 'lab_key', webhookSecret: 'lab_checkout_secret' },
  'top-up': { clientId: 'lab_client', clientSecret: 'lab_secret', audience: 'lab' },
}

/** Every provider of the catalogue, bound to the lab at this address. */
export function sandboxBindings(labUrl: string): Binding[] {
  return providersOffered().map(({ provider, country }) => {
    const connector = sandboxConnectors[provider] ?? ''
    const credentials = sandboxCredentials[connector] ?? {}
    // In the lab an operator's id is the digit in its name, and the only biller has id 1.
    const operatorId = /\d$/.exec(provider)?.[0] ?? '1'
    return {
      provider,
      country,
      connector,
      baseUrl: `${labUrl}/${connector}/${provider}/${country}`,
      credentials: connector === 'top-up' ? { ...credentials, operatorId } : credentials,
    }
  })
}

const readList = jsonReader(
  Type.Array(
    Type.Object({
      provider: Type.String(),
      country: Type.String(),
      connector: Type.String(),
      baseUrl: Type.String(),
      credentials: Type.Record(Type.String(), Type.String()),
    }),
  ),
)

/** Reads the bindings of PROVIDERS_FILE; throws a `Problem` with everything that is wrong. */
export async function readBindingsFile(path: string): Promise<Binding[]> {
  const json = await readFile(path, 'utf8').catch((problem: Error) => {
    throw new Problem(`PROVIDERS_FILE cannot be read: ${problem.message}.`)
  })
  return readBindings(json)
}

/**
 * Reads the bindings of live mode from a JSON list. Throws one `ConfigProblems` with every problem
 * found; it never contains a credential.
 */
export function readBindings(json: string): Binding[] {
  const bindings = readList(json)
  if (bindings === undefined)
    throw new ConfigProblems([
      'Bindings must be a JSON list of {provider, country, connector, baseUrl, credentials}.',
    ])
  const problems = bindings.flatMap((one, index) => {
    const twin = bindings.findIndex((other) => nameOf(other) === nameOf(one))
    return twin < index ? [`${nameOf(one)} is bound twice.`] : problemsOf(one)
  })
  if (problems.length > 0) throw new ConfigProblems(problems)
  return bindings as Binding[]
}

/** The name of a provider in a country, as in logs and on the command line: `WALLETA_SN`. */
export function nameOf({ provider, country }: { provider: string; country: string }): string {
  return `${provider}_${country}`
}

type Unchecked = NonNullable<ReturnType<typeof readList>>[number]

function problemsOf(binding: Unchecked): string[] {
  const { connector, baseUrl } = binding
  const name = nameOf(binding)
  if (!providersOffered().some((offered) => nameOf(offered) === name))
    return [`${name} is not in the catalogue.`]
  const protocol = protocolNamed(connector)
  return [
    ...(isGoodAddress(baseUrl)
      ? []
      : [`${name}: baseUrl must begin with https:// and have no credentials or query.`]),
    ...(protocol === undefined
      ? [`${name}: there is no connector "${connector}".`]
      : [...operationProblems(binding, protocol), ...credentialProblems(binding, protocol)]),
  ]
}

function isGoodAddress(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false
  const { protocol, username, password, search, hash } = new URL(baseUrl)
  return protocol === 'https:' && `${username}${password}${search}${hash}` === ''
}

function operationProblems(binding: Unchecked, protocol: Protocol): string[] {
  return services
    .filter((service) => nameOf(service) === nameOf(binding))
    .filter(({ operation }) => protocol.capabilities[operationFor[operation]] === undefined)
    .map(({ code }) => `${code} cannot be served by the connector "${protocol.name}".`)
}

function credentialProblems(binding: Unchecked, { name, credentialNames }: Protocol): string[] {
  const known = Object.values(sandboxCredentials[name] ?? {})
  const secrets = new Set(known.filter((one) => one.startsWith('lab_')))
  return credentialNames.flatMap((credential) => {
    const value = binding.credentials[credential]?.trim() ?? ''
    if (value === '') return [`${nameOf(binding)}: credentials.${credential} is missing.`]
    if (secrets.has(value))
      return [`${nameOf(binding)}: credentials.${credential} is the sandbox's.`]
    return []
  })
}

function providersOffered(): { provider: string; country: Country }[] {
  return services.filter(
    (service, index) => services.findIndex((one) => nameOf(one) === nameOf(service)) === index,
  )
}
