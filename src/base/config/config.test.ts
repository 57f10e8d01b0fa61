import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, it, test } from 'node:test'
import { readConfig } from './config.ts'
import { ConfigProblems } from './problems.ts'
import { secretNames } from './secret-files.ts'
import { settings } from './settings.ts'

const secretKey = Buffer.alloc(32, 7).toString('base64')
const sandboxKey = readConfig({}).secretKey.sealing.toString('base64')

test('an empty environment is a sandbox on this machine', () => {
  const { secretKey: key, ...config } = readConfig({})
  assert.deepEqual(config, {
    mode: 'sandbox',
    host: '127.0.0.1',
    port: 8080,
    metricsAddress: null,
    publicUrl: 'http://127.0.0.1:8080',
    payUrl: 'http://127.0.0.1:8080/pay',
    cell: null,
    labPort: null,
    dataDir: resolve('.data'),
    databaseUrl: null,
    providersFile: null,
    smtpUrl: null,
    mailFrom: { name: 'Passerelle', address: 'no-reply@localhost' },
    alertmanagerUrl: null,
    securityContact: null,
    logLevel: 'warn',
    trustedProxies: [],
    approvalAbove: 200_000,
    approverAge: 3,
    restoreCommand: null,
    demoHistory: true,
    webhookRules: 'sandbox',
    retention: { evidenceDays: 400, numberDays: null },
    sendsTraces: false,
  })
  assert.ok(key.sealing.length >= 32)
  assert.deepEqual(key.others, [])
})

const live = {
  MODE: 'live',
  DATABASE_URL: 'postgresql://user:dbpass@db.example.com/passerelle?sslmode=verify-full',
  PUBLIC_URL: 'https://pay.example.com',
  SECRET_KEY: secretKey,
}

test('every setting of the environment is read', () => {
  const config = readConfig({
    ...live,
    HOST: '0.0.0.0',
    PORT: '80',
    METRICS_ADDRESS: '[fd00::3]:9100',
    PAY_URL: 'https://pay.example.com/p/',
    CELL: 'sn1',
    SECURITY_CONTACT: 'https://example.com/report',
    LAB_PORT: '0',
    DATA_DIR: '/var/lib/passerelle',
    PROVIDERS_FILE: '/etc/passerelle/providers.json',
    SMTP_URL: 'smtps://joe:p%40ss%2F@mail.example.com:465/',
    MAIL_FROM: 'Paiements <no-reply@example.com>',
    ALERTMANAGER_URL: 'http://10.0.0.9:9093/',
    LOG_LEVEL: 'error',
    TRUSTED_PROXIES: '10.0.0.1, 10.0.0.2',
    APPROVAL_ABOVE: '0',
    APPROVER_AGE: '5',
    RESTORE_COMMAND: 'barman restore [--target-time {moment}] main auto {folder}',
    DEMO_HISTORY: '0',
    WEBHOOK_ADDRESSES: 'public',
    EVIDENCE_DAYS: '30',
    PSEUDONYMISE_AFTER_DAYS: '90',
    SECRET_KEY_OTHERS: Buffer.alloc(32, 9).toString('base64'),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example.com/otlp/',
  })
  assert.deepEqual(config, {
    demoHistory: false,
    mode: 'live',
    host: '0.0.0.0',
    port: 80,
    metricsAddress: { host: 'fd00::3', port: 9100 },
    publicUrl: 'https://pay.example.com',
    payUrl: 'https://pay.example.com/p',
    cell: 'sn1',
    labPort: 0,
    dataDir: '/var/lib/passerelle',
    databaseUrl: live.DATABASE_URL,
    providersFile: '/etc/passerelle/providers.json',
    smtpUrl: 'smtps://joe:p%40ss%2F@mail.example.com:465',
    mailFrom: { name: 'Paiements', address: 'no-reply@example.com' },
    alertmanagerUrl: 'http://10.0.0.9:9093',
    securityContact: 'https://example.com/report',
    logLevel: 'error',
    secretKey: { sealing: Buffer.from(secretKey, 'base64'), others: [Buffer.alloc(32, 9)] },
    trustedProxies: ['10.0.0.1', '10.0.0.2'],
    approvalAbove: 0,
    approverAge: 5,
    restoreCommand: 'barman restore [--target-time {moment}] main auto {folder}',
    webhookRules: 'live',
    retention: { evidenceDays: 30, numberDays: 90 },
    sendsTraces: true,
  })
  assert.equal(readConfig({ WEBHOOK_ADDRESSES: 'public' }).webhookRules, 'live')
  assert.equal(readConfig({ APPROVAL_ABOVE: 'off' }).approvalAbove, null)
})

describe('the public address', () => {
  const scenarios: [Record<string, string>, string][] = [
    [{ HOST: '::1', PORT: '1' }, 'http://[::1]:1'],
    [{ HOST: '0.0.0.0' }, 'http://localhost:8080'],
    [{ HOST: '::' }, 'http://localhost:8080'],
    [{ PUBLIC_URL: ' https://pay.example.com// ' }, 'https://pay.example.com'],
    [{ PUBLIC_URL: '' }, 'http://127.0.0.1:8080'],
  ]
  for (const [environment, expected] of scenarios)
    it(`is ${expected} with ${JSON.stringify(environment)}`, () => {
      assert.equal(readConfig(environment).publicUrl, expected)
    })
})

describe('the sender of mails', () => {
  const scenarios: [Record<string, string>, string][] = [
    [{ PUBLIC_URL: 'https://pay.example.com:8443/api' }, 'Passerelle <no-reply@pay.example.com>'],
    [{ PUBLIC_URL: 'http://[::1]:80' }, 'Passerelle <no-reply@localhost>'],
    [{ HOST: 'gateway' }, 'Passerelle <no-reply@localhost>'],
    [{ HOST: 'no host' }, 'Passerelle <no-reply@localhost>'],
    [{ MAIL_FROM: 'awa@shop.sn' }, ' <awa@shop.sn>'],
    [{ MAIL_FROM: ' "Awa, Dakar" <awa@shop.sn> ' }, 'Awa, Dakar <awa@shop.sn>'],
  ]
  for (const [environment, expected] of scenarios)
    it(`is ${expected} with ${JSON.stringify(environment)}`, () => {
      const { name, address } = readConfig(environment).mailFrom
      assert.equal(`${name} <${address}>`, expected)
    })
})

const httpUrl = 'must be an address that begins with http:// or https://.'
const noPort = 'must be a port number from 0 to 65535, not'
const noAddress = 'METRICS_ADDRESS must be a host and a port such as 127.0.0.1:9464, not'
const shortKey =
  'SECRET_KEY must be at least 32 bytes in base64, for example: openssl rand -base64 32'
const noSmtpUrl =
  'SMTP_URL must look like smtps://user:password@host:465, where %40 stands for an @.'
const noContact =
  'SECURITY_CONTACT must look like mailto:security@example.com or https://example.com/report.'
const noSender = 'MAIL_FROM must be one address, such as Passerelle <no-reply@example.com>.'
const ownParameter = (names: string) =>
  `DATABASE_URL must not have the parameter ${names}, which the gateway sets itself.`
const noDatabaseUrl = 'DATABASE_URL must look like postgresql://user:password@host:5432/database.'
const oneServer = 'DATABASE_URL must name one server: a proxy leads to the primary of several.'

describe('a sandbox', () => {
  const scenarios: [Record<string, string>, string][] = [
    [{ MODE: 'test' }, 'MODE must be one of sandbox, live, not "test".'],
    [{ MODE: 'LIVE' }, 'MODE must be one of sandbox, live, not "LIVE".'],
    [{ PORT: '65536' }, `PORT ${noPort} "65536".`],
    [{ PORT: '-1' }, `PORT ${noPort} "-1".`],
    [{ PORT: '80.5' }, `PORT ${noPort} "80.5".`],
    [{ PORT: '0x50' }, `PORT ${noPort} "0x50".`],
    [{ LAB_PORT: 'lab' }, `LAB_PORT ${noPort} "lab".`],
    [{ METRICS_ADDRESS: '9464' }, `${noAddress} "9464".`],
    [{ METRICS_ADDRESS: '10.0.0.3:65536' }, `${noAddress} "10.0.0.3:65536".`],
    [{ PUBLIC_URL: 'pay.example.com' }, `PUBLIC_URL ${httpUrl}`],
    [{ PUBLIC_URL: 'https:pay.example.com' }, `PUBLIC_URL ${httpUrl}`],
    [{ PAY_URL: 'ftp://pay.example.com' }, `PAY_URL ${httpUrl}`],
    [{ DATABASE_URL: 'mysql://root:hush@db/x' }, noDatabaseUrl],
    [{ DATABASE_URL: 'postgresql://root:hu sh@db/x' }, noDatabaseUrl],
    [{ DATABASE_URL: 'postgresql://u:hush@db/x?options=-c%20role=u' }, ownParameter('options')],
    [{ DATABASE_URL: 'postgresql://u:hush@db/x?opt%69ons=' }, ownParameter('options')],
    [{ DATABASE_URL: 'postgresql://u:hush@/x?host=localhost,db.example' }, oneServer],
    [{ DATABASE_URL: 'postgresql://u:hush@one:5432,two:5432/x' }, oneServer],
    [
      { DATABASE_URL: 'postgresql://u:hush@db/x?lock_timeout=0&statement_timeout=0&options=' },
      ownParameter('options, statement_timeout, lock_timeout'),
    ],
    [
      { SMTP_URL: 'mail://joe:hush@mail' },
      'SMTP_URL must be an address that begins with smtp:// or smtps://.',
    ],
    [{ SMTP_URL: 'smtp://' }, noSmtpUrl],
    [{ SMTP_URL: 'smtp://joe:hush@mail?tls.rejectUnauthorized=false' }, noSmtpUrl],
    [{ SMTP_URL: 'smtp://joe@mail#hush' }, noSmtpUrl],
    [{ SMTP_URL: 'smtp://joe:100%hush@mail' }, noSmtpUrl],
    [{ MAIL_FROM: 'Awa' }, noSender],
    [{ MAIL_FROM: 'Awa <awa@shop.sn>, Bob <bob@shop.sn>' }, noSender],
    [{ MAIL_FROM: 'Awa\r\nBcc: bob@shop.sn <awa@shop.sn>' }, noSender],
    [{ SECURITY_CONTACT: 'security@example.com' }, noContact],
    [{ SECURITY_CONTACT: 'mailto:a@example.com\r\nPolicy: x' }, noContact],
    [{ DEMO_HISTORY: 'no' }, 'DEMO_HISTORY must be one of 0, 1, not "no".'],
    [{ WEBHOOK_ADDRESSES: 'all' }, 'WEBHOOK_ADDRESSES must be one of any, public, not "all".'],
    [{ SECRET_KEY: 'hush' }, shortKey],
    [
      { RESTORE_COMMAND: 'restore [{folder}]' },
      'RESTORE_COMMAND must have {folder}, where the database is restored to.',
    ],
    [
      { RESTORE_COMMAND: 'restore {folder} {moment}' },
      'RESTORE_COMMAND must have {moment} in [brackets], left out for the newest state.',
    ],
    [
      { RESTORE_COMMAND: "restore '{folder}'" },
      'RESTORE_COMMAND is run without a shell: it must have no quotation marks.',
    ],
    [{ SECRET_KEY: Buffer.alloc(31, 1).toString('base64') }, shortKey],
    [{ SECRET_KEY_OTHERS: 'hush' }, shortKey.replace('KEY', 'KEY_OTHERS')],
    [{ SECRET_KEY_OTHERS: sandboxKey }, 'SECRET_KEY_OTHERS must not repeat SECRET_KEY.'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://.',
    ],
  ]
  for (const [environment, problem] of scenarios)
    it(`refuses ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(problemsOf(environment), [problem])
    })
})

// The host that counts is the one that the driver connects to.
const exposedDatabases = [
  'postgresql://u@/x?host=db.example',
  'postgresql://u@localhost/x?host=db.example',
  'postgresql://u@localhost/x?%68ost=db.example',
  'postgresql://u@/x?host=/run&host=db.example',
  'postgresql://u@db%2Eexample/x',
  'postgresql://u@127.0.0.1.db.example/x',
  'postgresql://u@[2001:db8::1]/x',
  'postgresql://u@db.example/x?sslmode=verify-full&sslmode=disable',
  'postgresql://u@db.example/x?a=?sslmode=verify-full',
  'postgresql://u@db.example/x?sslmode=no-verify',
  'postgresql://u@db.example/x?ssl=no-verify',
  'postgresql://u@db.example/x?ssl=0',
  'postgresql://u@db.example/x?ssl=false',
  'postgresql://u@db.example/x?uselibpqcompat=true&sslmode=require',
  'postgresql://u@db.example/x?uselibpqcompat=true&sslmode=prefer',
]
const safeDatabases = [
  'postgresql://u@/x',
  'postgresql://u@[::1]/x',
  'postgresql://u@%2Frun%2Fpostgresql/x',
  'postgresql://u@db.example/x?host=/run',
  'postgresql://u@db.example/x?ssl=true',
  'postgresql://u@db.example/x?sslmode=prefer',
  'postgresql://u@db.example/x?sslmode=verify-ca&application_name=gateway',
  'postgresql://u@db.example/x?uselibpqcompat=true&sslmode=verify-full',
]

describe('live mode', () => {
  const noTls = 'MODE=live needs sslmode=verify-full in a DATABASE_URL on another machine.'
  const scenarios: [string, Record<string, string>, string[]][] = [
    ['the complete environment', {}, []],
    [
      'a missing DATABASE_URL',
      { DATABASE_URL: '' },
      ['MODE=live needs DATABASE_URL, for example postgresql://user:password@host/passerelle.'],
    ],
    [
      'an unencrypted remote database',
      { DATABASE_URL: 'postgresql://u:p@db/x?sslmode=disable' },
      [noTls],
    ],
    ['a remote database without sslmode', { DATABASE_URL: 'postgresql://u:p@db/x' }, [noTls]],
    ['an encrypted remote database', { DATABASE_URL: 'postgresql://u:p@db/x?sslmode=require' }, []],
    [
      'an unencrypted postgres:// database',
      { DATABASE_URL: 'postgres://u:p@db/x?a=b&sslmode=disable' },
      [noTls],
    ],
    ['a local database', { DATABASE_URL: 'postgresql://u:p@127.0.0.1/x?sslmode=disable' }, []],
    [
      'a database on a Unix socket',
      { DATABASE_URL: 'postgresql://u@/x?host=/run&sslmode=disable' },
      [],
    ],
    ...exposedDatabases.map((url): [string, Record<string, string>, string[]] => [
      `the exposed database ${url}`,
      { DATABASE_URL: url },
      [noTls],
    ]),
    ...safeDatabases.map((url): [string, Record<string, string>, string[]] => [
      `the database ${url}`,
      { DATABASE_URL: url },
      [],
    ]),
    [
      'TLS that trusts every server',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      ['MODE=live refuses NODE_TLS_REJECT_UNAUTHORIZED=0, which trusts every server.'],
    ],
    [
      'a missing PUBLIC_URL',
      { PUBLIC_URL: '' },
      ['MODE=live needs PUBLIC_URL, for example https://pay.example.com.'],
    ],
    [
      'http:// in PUBLIC_URL and PAY_URL',
      { PUBLIC_URL: 'http://pay.example.com', PAY_URL: 'http://pay.example.com' },
      [
        'MODE=live needs a PUBLIC_URL that begins with https://.',
        'MODE=live needs a PAY_URL that begins with https://.',
      ],
    ],
    [
      'an empty SECRET_KEY',
      { SECRET_KEY: ' ' },
      ['MODE=live needs SECRET_KEY, for example the output of: openssl rand -base64 32'],
    ],
    [
      "the sandbox's key",
      { SECRET_KEY: sandboxKey },
      [`MODE=live refuses the sandbox's SECRET_KEY.`],
    ],
    [
      "the sandbox's key without its padding",
      { SECRET_KEY: sandboxKey.replace('=', '') },
      [`MODE=live refuses the sandbox's SECRET_KEY.`],
    ],
    [
      'SMTP_URL without MAIL_FROM',
      { SMTP_URL: 'smtps://mail' },
      ['MODE=live needs MAIL_FROM beside SMTP_URL, for example Passerelle <no-reply@example.com>.'],
    ],
    ['no mail at all', { SMTP_URL: '', MAIL_FROM: '' }, []],
    [
      'webhooks to near addresses',
      { WEBHOOK_ADDRESSES: 'any' },
      ['MODE=live refuses WEBHOOK_ADDRESSES any.'],
    ],
    ...['trace', 'debug'].map((LOG_LEVEL): [string, Record<string, string>, string[]] => [
      `the log level ${LOG_LEVEL}`,
      { LOG_LEVEL },
      ['MODE=live refuses LOG_LEVEL trace and debug, which tell too much.'],
    ]),
  ]
  for (const [name, change, problems] of scenarios)
    it(`${problems.length === 0 ? 'accepts' : 'refuses'} ${name}`, () => {
      assert.deepEqual(problemsOf({ ...live, ...change }), problems)
    })
})

test('all problems are reported at once, without any secret', () => {
  const environment = {
    MODE: 'live',
    PORT: 'x',
    LAB_PORT: 'y',
    PUBLIC_URL: 'ftp://hush1@pay',
    PAY_URL: 'hush2',
    DATABASE_URL: 'mysql://u:hush3@db',
    SMTP_URL: 'mail:hush5',
    MAIL_FROM: 'hush7',
    SECRET_KEY: 'hush6',
    LOG_LEVEL: 'loud',
  }
  const problems = problemsOf(environment)
  for (const name of Object.keys(environment).filter((one) => one !== 'MODE'))
    assert.ok(
      problems.some((problem) => problem.startsWith(`${name} `)),
      `${name} is reported`,
    )
  assert.doesNotMatch(problems.join('\n'), /hush/)
})

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (problem) {
    assert.ok(problem instanceof ConfigProblems)
    assert.equal(problem.message, problem.problems.join('\n'))
    return problem.problems
  }
}

test('settings.ts lists every setting that is read, and no other', () => {
  const read = new Set<string>()
  const get = (target: Record<string, string>, name: string) => (read.add(name), target[name])
  readConfig(new Proxy<Record<string, string>>({}, { get }))
  const files = new Set(secretNames.map((name) => `${name}_FILE`))
  // Whether traces are sent is asked of variables that are OpenTelemetry's own.
  const own = [...read].filter((name) => !files.has(name) && !name.startsWith('OTEL_'))
  assert.deepEqual(own.sort(), Object.keys(settings).sort())
})

test('the example of every setting is accepted, also in live mode', () => {
  const examples = Object.entries(settings).map(([name, { example }]) => [name, example])
  const own = { SECRET_KEY: secretKey }
  const { mode, metricsAddress } = readConfig({ ...Object.fromEntries(examples), ...own })
  assert.deepEqual([mode, metricsAddress?.port], ['live', 9464])
  assert.equal(settings.SECRET_KEY.example, '')
})
