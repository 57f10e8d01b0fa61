import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import type { Finding } from './experiment.ts'
import { readJournal } from './journal.ts'
import type { World } from './world.ts'

/** A text of the run that must not be found, and what it is. */
type Secret = [what: string, text: string]
type Scanned = Pick<World, 'folder' | 'gateways' | 'merchants' | 'db'>

// Numbers of payers are where payments are, and nowhere else.
const withoutNumbers = new Set(['ledger_entries', 'ledger_postings', 'audit_log', 'api_requests'])
const examplesMax = 5

/**
 * Looks for the keys, webhook secrets, recharge codes and payers' numbers of a run in the logs and
 * metrics of its gateways and in all tables, where they are hashed, sealed or masked.
 */
export async function findSecrets({ folder, gateways, merchants, db }: Scanned): Promise<Finding> {
  const { codes, numbers } = await readSent(folder)
  const secrets: Secret[] = [
    ...merchants.map(({ apiKey }): Secret => ['a key', apiKey]),
    ...merchants.map(
      ({ webhookSecret }): Secret => ['a webhook secret', webhookSecret.replace('whsec_', '')],
    ),
    ...[...codes].map((code): Secret => ['a recharge code', code]),
  ]
  const all = [...secrets, ...[...numbers].map((number): Secret => ['a number', number])]
  const leaks: string[] = []
  const texts = await textsOf(folder, gateways)
  for (const [where, text] of texts)
    for (const [what, secret] of all)
      if (text.includes(secret)) leaks.push(`${what} in ${where}: ${lineWith(text, secret)}`)
  const { rows: tables } = await db.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  for (const { name } of tables)
    for (const [what, text] of withoutNumbers.has(name) ? all : secrets)
      if (await isInTable(db, name, text)) leaks.push(`${what} in the table ${name}`)
  const bytes = texts.reduce((sum, [, text]) => sum + text.length, 0)
  const examples = leaks.slice(0, examplesMax).map((leak) => `; ${leak}`)
  return {
    what: 'keys, secrets, codes and numbers in logs, metrics and tables',
    value: `${leaks.length} in ${bytes} characters, ${tables.length} tables${examples.join('')}`,
    isGood: leaks.length === 0 && tables.length > 0 && numbers.size > 0,
  }
}

/** The numbers that clients sent, and some of the recharge codes that merchants were told. */
async function readSent(folder: string) {
  const codes = new Set<string>()
  const numbers = new Set<string>()
  for (const file of (await readdir(folder)).filter((one) => one.endsWith('.ndjson')))
    for await (const line of readJournal(join(folder, file)))
      for (const text of line.filter((one) => typeof one === 'string')) {
        for (const [, number = ''] of text.matchAll(/"number":"(\d{9})"/g)) numbers.add(number)
        for (const [, code = ''] of text.matchAll(/"token":"([^"]{8,})"/g))
          if (codes.size < 20) codes.add(code)
      }
  return { codes, numbers }
}

// What a sandbox prints when it has started: its own demo key, secret and number.
const banner = /Passerelle is ready \([\s\S]*?\/api\/v1\/transaction\/try-\S+/g

async function textsOf(folder: string, gateways: Scanned['gateways']): Promise<[string, string][]> {
  const logs = (await readdir(folder)).filter((file) => /^gateway-.*\.log$/.test(file))
  return Promise.all([
    ...logs.map(async (file): Promise<[string, string]> => {
      const text = await readFile(join(folder, file), 'utf8')
      return [file, text.replaceAll(banner, '')]
    }),
    ...gateways.map(async ({ name, url }): Promise<[string, string]> => {
      const { body } = await request(`${url}/metrics`)
      return [`the metrics of ${name}`, await body.text()]
    }),
  ])
}

function lineWith(text: string, secret: string): string {
  return (text.split('\n').find((line) => line.includes(secret)) ?? '').slice(0, 300)
}

async function isInTable(db: Scanned['db'], table: string, text: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (select from "${table}" t where strpos(t::text, $1) > 0) as found`,
    [text],
  )
  return rows[0]?.found === true
}
