import type { Config } from '#base/config/config.ts'
import { randomText } from '#base/kit/ids.ts'
import { demoKey, demoWebhookSecret } from '#program/sandbox/demo-keys.ts'
import { demoLogins } from '#program/sandbox/demo-people.ts'
import type { Role } from './role.ts'

/** What the banner shows besides the configuration. */
interface Facts {
  url: string
  publicUrl: string
  metricsUrl: string | null
  labUrl: string | null
  /** A payment link to try. */
  linkUrl: string | null
  isEmbedded: boolean
  role: Role
}

/** The text printed once the gateway serves: one line in live mode, every address in a sandbox. */
export function bannerOf(config: Config, facts: Facts): string {
  const { url, publicUrl, metricsUrl, role } = facts
  const ready = `Passerelle is ready (${config.mode})`
  // It becomes one JSON line of the log.
  if (config.mode === 'live')
    return `${ready} at ${publicUrl}, listening on ${url}, metrics ${metricsUrl ?? 'nowhere'}.`
  return [
    '',
    `${ready}.`,
    '',
    ...(role === 'worker' ? [] : interfaceLines(facts)),
    `  Health     ${url}/livez  ${url}/readyz`,
    `  Metrics    ${metricsUrl}`,
    ...baseLines(config, facts),
    ...(role === 'worker' ? [] : trialLines(url)),
    '',
  ].join('\n')
}

function interfaceLines({ url, publicUrl, linkUrl }: Facts): string[] {
  return [
    `  API        ${url}/api/v1`,
    `  Dashboard  ${url}/dashboard`,
    `  Reference  ${url}/docs`,
    `  Guides     ${url}/docs/guides`,
    `  OpenAPI    ${url}/openapi.json`,
    ...(linkUrl === null ? [] : [`  Pay        ${linkUrl} (a link to try)`]),
    ...(publicUrl === url ? [] : [`  Public     ${publicUrl}`]),
  ]
}

function baseLines({ dataDir }: Config, { isEmbedded, labUrl, role }: Facts): string[] {
  return [
    `  Database   ${isEmbedded ? `embedded, in ${dataDir}` : 'from DATABASE_URL'}`,
    `  Lab        ${labUrl} (plays the providers)`,
    ...(role === 'all' ? [] : [`  Role       ${role}`]),
  ]
}

function trialLines(url: string): string[] {
  return [
    `  Demo key   ${demoKey}`,
    `  Logins     ${demoLogins.map(({ email, password }) => `${email} / ${password}`).join(', ')}`,
    `  Webhooks   signed with ${demoWebhookSecret}`,
    '',
    'In another terminal, see webhooks arrive, and make a first payment by questions:',
    `  npx passerelle listen --url ${url}`,
    `  npx passerelle pay --url ${url}`,
    '',
    'Collect 5 000 F CFA, then look it up a second later:',
    ...firstPayment(url),
  ]
}

function firstPayment(url: string): string[] {
  // A new id at each start: one that was used before is refused.
  const id = `try-${randomText(4)}`
  const body = {
    externalTransactionId: id,
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 5000,
    number: '771234567',
    callBackURL: 'http://127.0.0.1:9000/webhooks',
    successUrl: 'http://127.0.0.1:9000/thanks',
    failureUrl: 'http://127.0.0.1:9000/sorry',
  }
  return [
    `  curl -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(body)}' \\`,
    `    ${url}/api/v1/transaction/init`,
    `  curl -H 'Authorization: Bearer ${demoKey}' ${url}/api/v1/transaction/${id}`,
  ]
}
