/** A setting, as docs/configuration.md and deploy/.env.example tell of it. */
export interface Setting {
  /** What holds without it, in Markdown. */
  otherwise: string
  meaning: string
  /** A value that is accepted, also in live mode; empty: each installation makes its own. */
  example: string
}

const setting = (otherwise: string, example: string, ...meaning: string[]): Setting => ({
  otherwise,
  meaning: meaning.join(' '),
  example,
})

/** Every setting that `config.ts` reads. */
export const settings = {
  MODE: setting('`sandbox`', 'live', '`sandbox`, or `live` for real money'),
  HOST: setting('`127.0.0.1`', '127.0.0.1', 'the address to listen on'),
  PORT: setting('`8080`', '8080', 'the port to listen on'),
  METRICS_ADDRESS: setting(
    'none',
    '127.0.0.1:9464',
    'a host and a port for `/metrics` alone; without it `/metrics` is beside the API in a',
    'sandbox, and nowhere in live mode',
  ),
  PUBLIC_URL: setting(
    '`http://HOST:PORT`',
    'https://pay.example.com',
    'the address at which callers and providers reach the gateway',
  ),
  PAY_URL: setting(
    '`PUBLIC_URL/pay`, in a cell `PUBLIC_URL/cells/CELL/pay`',
    'https://pay.example.com/pay',
    'the address at which payers reach the [payment page](payment-page.md);',
    "part of every link's address",
  ),
  CELL: setting(
    'none',
    'c1',
    'the name of this [cell](cells.md), part of its keys and addresses: a small letter, then up to',
    '11 small letters or digits; the first start with it gives it to the database for good',
  ),
  DATABASE_URL: setting(
    'none',
    'postgresql://passerelle:password@db.example.com/passerelle?sslmode=verify-full',
    'an external PostgreSQL, 15 to 18; without it an embedded one runs. For several servers, the',
    'address of the proxy that leads to the primary: [availability](availability.md)',
  ),
  DATA_DIR: setting(
    '`./.data`',
    '/var/lib/passerelle',
    "the folder of the embedded database, the lab's books, `demo.json`, `lab.json`",
    'and `anchors.ndjson`',
  ),
  SECRET_KEY: setting(
    'a public one, in a sandbox',
    '',
    'at least 32 bytes in base64 (`openssl rand -base64 32`); seals secrets at rest',
  ),
  SECRET_KEY_OTHERS: setting(
    'none',
    '',
    'further keys that open what was sealed with them, separated by commas: for',
    '[a rotation](runbooks/rotation.md#secret_key)',
  ),
  SMTP_URL: setting(
    'none',
    'smtps://user:password@mail.example.com:465',
    'the mail server, `smtp://` or `smtps://user:password@host:port`; without it mails are kept,',
    'see [mail](mail.md)',
  ),
  MAIL_FROM: setting(
    '`Passerelle <no-reply@host of PUBLIC_URL>`',
    'Passerelle <no-reply@example.com>',
    'the sender of mails: one address, with or without a name',
  ),
  ALERTMANAGER_URL: setting(
    'none',
    'http://127.0.0.1:9093',
    'the Alertmanager that [tells people](operations.md#alerts) of what is wrong: its alerts are',
    'shown and acknowledged in the dashboard, and a test is sent by it',
  ),
  SECURITY_CONTACT: setting(
    'none',
    'mailto:security@example.com',
    'where to report a weakness, `mailto:` or `https://`: told at `/.well-known/security.txt`,',
    'which does not exist without it',
  ),
  LAB_PORT: setting(
    '`8081`, or any free port when that is taken',
    '8081',
    'the port of the provider lab in a sandbox; a lab that already runs on the port named is',
    'shared',
  ),
  PROVIDERS_FILE: setting(
    'the lab, in a sandbox',
    '/etc/passerelle/providers.json',
    'a JSON list of real providers, see [below](#providers); an empty list is none',
  ),
  LOG_LEVEL: setting('`warn` in a sandbox, `info` live', 'info', '`trace` to `silent`'),
  TRUSTED_PROXIES: setting(
    'none',
    '10.0.0.2',
    'addresses whose `X-Forwarded-For` is believed, separated by commas',
  ),
  DEMO_HISTORY: setting(
    '`1`',
    '1',
    '`0`: a new sandbox begins without the month of payments of its demo merchant',
  ),
  APPROVAL_ABOVE: setting(
    '`200000`',
    '200000',
    'the francs above which two people decide on money that is moved by hand, in one order or in',
    'those of a person or a client within a day; `0`: always, `off`: never; see',
    '[two people](cli.md#two-people)',
  ),
  APPROVER_AGE: setting(
    '`3`',
    '3',
    'how many days ago somebody was given the right to approve before they do, 0 to 365',
  ),
  WEBHOOK_ADDRESSES: setting(
    '`any` in a sandbox, `public` live',
    'public',
    '`public`: webhooks go only to https addresses on the public internet; `any`: also to http,',
    'this machine and private networks. Set `public` for',
    '[a sandbox that others can reach](deployment.md#a-sandbox-that-others-can-reach)',
  ),
  RESTORE_COMMAND: setting(
    'none',
    'pgbackrest --stanza=passerelle --pg1-path={folder} [--type=time --target={moment}] restore',
    'what restores the database into `{folder}`, for [`passerelle drill`](recovery.md); what is in',
    'brackets is left out unless a `{moment}` is asked for. It is run without a shell',
  ),
  EVIDENCE_DAYS: setting(
    '`400`',
    '400',
    'after how many days the texts that providers sent are forgotten, 30 to 3650, or `off`; see',
    '[retention](retention.md)',
  ),
  PSEUDONYMISE_AFTER_DAYS: setting(
    '`off`',
    'off',
    "after how many days pseudonyms stand for payers' numbers, 90 to 3650; such payments can no",
    'longer be refunded; see [pseudonyms](retention.md#pseudonyms)',
  ),
} satisfies Record<string, Setting>

export type SettingName = keyof typeof settings
/** Gives the value of a setting. */
export type ReadSetting = (name: SettingName) => string | undefined
