import { resolve } from 'node:path'
import { addressOfCell } from '#base/kit/cell-names.ts'
import { type Mailbox, readMailbox } from '#base/kit/mail-address.ts'
import type { KeyRing } from '#base/sealing/seal.ts'
import { readMetricsAddress, readProxies, urlHost } from './addresses.ts'
import { readCell } from './cells.ts'
import { isExposedDatabase, readDatabaseUrl } from './database-url.ts'
import { readApprovalAbove, readWhole } from './numbers.ts'
import { ConfigProblems } from './problems.ts'
import { readRestoreCommand } from './restore.ts'
import { type RetentionSettings, readRetention } from './retention.ts'
import { secretNames, withSecretFiles } from './secret-files.ts'
import { holdsKey, readSecretKeys } from './secret-keys.ts'
import type { ReadSetting, SettingName } from './settings.ts'

export type Mode = 'sandbox' | 'live'

/** All settings of the program, read from the environment and checked once at the start. */
export interface Config {
  mode: Mode
  host: string
  port: number
  /** The address of /metrics alone; null: beside the API in a sandbox, nowhere live. */
  metricsAddress: { host: string; port: number } | null
  /** The address for callers; without PUBLIC_URL the address that the program listens on. */
  publicUrl: string
  payUrl: string
  /** The name of this cell; null: there are no cells. */
  cell: string | null
  /** The port of the provider lab in a sandbox; null: 8081, or any free one if that is taken. */
  labPort: number | null
  dataDir: string
  /** Null: an embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | null
  /** The JSON file with the provider bindings of live mode. */
  providersFile: string | null
  /** Null: mails are stored and not sent. */
  smtpUrl: string | null
  mailFrom: Mailbox
  /** Null: nobody is told of alerts, or by means that are not known here. */
  alertmanagerUrl: string | null
  /** Where to report a weakness; null: nowhere is told. */
  securityContact: string | null
  logLevel: string
  /** Encrypts secrets at rest; during a rotation with further keys that only open. */
  secretKey: KeyRing
  /** Addresses of reverse proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[]
  /** Whether a new sandbox begins with a month of payments of its demo merchant. */
  demoHistory: boolean
  /** Whole francs above which two people decide on what moves money by hand; null: never. */
  approvalAbove: number | null
  /** For how many days an operator has had the right to approve before they do. */
  approverAge: number
  /** What restores the database into a folder, which `passerelle drill` tries; null: nothing. */
  restoreCommand: string | null
  /** Which addresses webhooks may have: those of live mode, or also near ones, as in a sandbox. */
  webhookRules: Mode
  retention: RetentionSettings
  /** Whether traces go anywhere: OpenTelemetry's SDK reads its variables itself. */
  sendsTraces: boolean
}

// Public, like everything in a sandbox; live mode refuses it.
const sandboxSecretKey = 'c2FuZGJveC1zZWNyZXQta2V5LTAwMDEtbm90LWZvci1saXZlLXVzZSE='
const receiversOfTraces = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

type Environment = Record<string, string | undefined>

/** Reads the configuration from the environment of this process. */
export function loadConfig(overrides: Environment = {}): Config {
  return readConfig({ ...process.env, ...overrides })
}

/** The environment of this process and these variables, for a program that it starts. */
export function environmentWith(variables: Record<string, string>): Environment {
  return { ...process.env, ...variables }
}

/** The environment of this process without our secrets, for programs of others. */
export function environmentWithoutSecrets(): Environment {
  const ours = new Set<string>(secretNames)
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)))
}

/** Reads a configuration, or throws all its problems at once. */
export function readConfig(given: Environment): Config {
  const problems: string[] = []
  const refuse = (sentence: string) => void problems.push(sentence)
  const environment = withSecretFiles(given, refuse)
  const text: ReadSetting = (name) => environment[name]?.trim() || undefined
  const whole = (name: SettingName, otherwise: number, range: [number, number]) =>
    readWhole(name, { value: text(name), otherwise, range }, refuse)

  const mode = oneOf('MODE', text('MODE'), ['sandbox', 'live'] as const, 'sandbox', refuse)
  const port = readPort('PORT', text('PORT'), 8080, refuse)
  const host = text('HOST') ?? '127.0.0.1'
  const publicUrl =
    readUrl('PUBLIC_URL', text('PUBLIC_URL'), ['http:', 'https:'], refuse) ??
    `http://${urlHost(host)}:${port}`
  const cell = readCell(text('CELL'), refuse)
  const payUrl = readUrl('PAY_URL', text('PAY_URL'), ['http:', 'https:'], refuse)
  const config: Config = {
    mode,
    host,
    port,
    metricsAddress: readMetricsAddress(text('METRICS_ADDRESS'), refuse),
    publicUrl,
    payUrl: payUrl ?? `${addressOfCell(publicUrl, cell)}/pay`,
    cell,
    labPort: readOptionalPort('LAB_PORT', text('LAB_PORT'), refuse),
    providersFile: text('PROVIDERS_FILE') ?? null,
    dataDir: resolve(text('DATA_DIR') ?? '.data'),
    databaseUrl: readDatabaseUrl(text('DATABASE_URL'), refuse),
    smtpUrl: readSmtpUrl(text('SMTP_URL'), refuse),
    mailFrom: readMailFrom(text('MAIL_FROM'), publicUrl, refuse),
    alertmanagerUrl: readUrl(
      'ALERTMANAGER_URL',
      text('ALERTMANAGER_URL'),
      ['http:', 'https:'],
      refuse,
    ),
    securityContact: readContact(text('SECURITY_CONTACT'), refuse),
    logLevel: oneOf(
      'LOG_LEVEL',
      text('LOG_LEVEL'),
      logLevels,
      mode === 'live' ? 'info' : 'warn',
      refuse,
    ),
    secretKey: readSecretKeys(text, sandboxSecretKey, refuse),
    trustedProxies: readProxies(text('TRUSTED_PROXIES'), refuse),
    demoHistory: oneOf('DEMO_HISTORY', text('DEMO_HISTORY'), ['0', '1'], '1', refuse) === '1',
    approvalAbove: readApprovalAbove(text('APPROVAL_ABOVE'), refuse),
    approverAge: whole('APPROVER_AGE', 3, [0, 365]),
    webhookRules: readWebhookRules(mode, text('WEBHOOK_ADDRESSES'), refuse),
    restoreCommand: readRestoreCommand(text, refuse),
    retention: readRetention(text, refuse),
    sendsTraces: receiversOfTraces.some((name) => {
      const url = environment[name]?.trim() || undefined
      return readUrl(name, url, ['http:', 'https:'], refuse) !== null
    }),
  }
  if (mode === 'live') problems.push(...liveProblems(config, environment))
  if (problems.length > 0) throw new ConfigProblems(problems)
  return config
}

/** The settings that a sandbox allows and live mode does not. */
function liveProblems(config: Config, environment: Environment): string[] {
  const problems: string[] = []
  const key = environment.SECRET_KEY?.trim()
  if (!environment.DATABASE_URL?.trim())
    problems.push(
      'MODE=live needs DATABASE_URL, for example postgresql://user:password@host/passerelle.',
    )
  else if (config.databaseUrl !== null && isExposedDatabase(config.databaseUrl))
    problems.push('MODE=live needs sslmode=verify-full in a DATABASE_URL on another machine.')
  if (!environment.PUBLIC_URL?.trim())
    problems.push('MODE=live needs PUBLIC_URL, for example https://pay.example.com.')
  else if (!config.publicUrl.startsWith('https:'))
    problems.push('MODE=live needs a PUBLIC_URL that begins with https://.')
  if (environment.PAY_URL?.trim() && !config.payUrl.startsWith('https:'))
    problems.push('MODE=live needs a PAY_URL that begins with https://.')
  if (!key)
    problems.push('MODE=live needs SECRET_KEY, for example the output of: openssl rand -base64 32')
  else if (holdsKey(config.secretKey, sandboxSecretKey))
    problems.push("MODE=live refuses the sandbox's SECRET_KEY.")
  if (config.smtpUrl !== null && !environment.MAIL_FROM?.trim())
    problems.push(
      'MODE=live needs MAIL_FROM beside SMTP_URL, for example Passerelle <no-reply@example.com>.',
    )
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    problems.push('MODE=live refuses NODE_TLS_REJECT_UNAUTHORIZED=0, which trusts every server.')
  if (['trace', 'debug'].includes(config.logLevel))
    problems.push('MODE=live refuses LOG_LEVEL trace and debug, which tell too much.')
  return problems
}

function oneOf<Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
  otherwise: Choice,
  refuse: (sentence: string) => void,
): Choice {
  if (value === undefined) return otherwise
  const found = choices.find((choice) => choice === value)
  if (found === undefined) refuse(`${name} must be one of ${choices.join(', ')}, not "${value}".`)
  return found ?? otherwise
}

function readWebhookRules(
  mode: Mode,
  value: string | undefined,
  refuse: (sentence: string) => void,
): Mode {
  if (mode === 'live' && value === 'any') refuse('MODE=live refuses WEBHOOK_ADDRESSES any.')
  const otherwise = mode === 'live' ? 'public' : 'any'
  const addresses = oneOf('WEBHOOK_ADDRESSES', value, ['any', 'public'], otherwise, refuse)
  return addresses === 'public' ? 'live' : 'sandbox'
}

function readOptionalPort(
  name: string,
  value: string | undefined,
  refuse: (sentence: string) => void,
): number | null {
  return value === undefined ? null : readPort(name, value, 0, refuse)
}

function readPort(
  name: string,
  value: string | undefined,
  otherwise: number,
  refuse: (sentence: string) => void,
): number {
  const number = { value, otherwise, range: [0, 65_535] as [number, number] }
  return readWhole(name, { ...number, what: 'a port number' }, refuse)
}

function readUrl(
  name: string,
  value: string | undefined,
  protocols: string[],
  refuse: (sentence: string) => void,
): string | null {
  if (value === undefined) return null
  if (URL.canParse(value) && protocols.some((protocol) => value.startsWith(`${protocol}//`)))
    return value.replace(/\/+$/, '')
  // The message does not repeat the value, which may contain a password.
  refuse(`${name} must be an address that begins with ${protocols.join('// or ')}//.`)
  return null
}

function readSmtpUrl(value: string | undefined, refuse: (sentence: string) => void): string | null {
  const url = readUrl('SMTP_URL', value, ['smtp:', 'smtps:'], refuse)
  if (url === null) return null
  const { hostname, pathname, search, hash, username, password } = new URL(url)
  const isBare = `${pathname}${search}${hash}` === ''
  if (hostname !== '' && isBare && isDecodable(username + password)) return url
  refuse('SMTP_URL must look like smtps://user:password@host:465, where %40 stands for an @.')
  return null
}

function readContact(value: string | undefined, refuse: (sentence: string) => void): string | null {
  if (value === undefined) return null
  const isContact = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(value) && URL.canParse(value)
  if (isContact) return value
  refuse(
    'SECURITY_CONTACT must look like mailto:security@example.com or https://example.com/report.',
  )
  return null
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/** The sender of mails; by default no-reply at the host of the public address. */
function readMailFrom(
  value: string | undefined,
  publicUrl: string,
  refuse: (sentence: string) => void,
): Mailbox {
  const fallback = { name: 'Passerelle', address: 'no-reply@localhost' }
  if (value === undefined)
    return readMailbox(`Passerelle <no-reply@${URL.parse(publicUrl)?.hostname}>`) ?? fallback
  const mailbox = readMailbox(value)
  if (mailbox === undefined)
    refuse('MAIL_FROM must be one address, such as Passerelle <no-reply@example.com>.')
  return mailbox ?? fallback
}
