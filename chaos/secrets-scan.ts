import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import type { Finding } from './experiment.ts'
import { readJournal } from './journal.ts'
import type { World } from './world.ts'

/** A text of the run that must not be found, and what it is. */
export type Secret = [what: string, text: string]
type Scanned = Pick<World, 'folder' | 'gateways' | 'merchants' | 'db'>

// Numbers of payers are where payments are, and nowhere else.
const withoutNumbers = new Set(['ledger_entries', 'ledger_postings', 'audit_log', 'api_requests'])
const examplesMax = 5
// Of some merchants: each secret is looked for in each row.
const merchantsMax = 20
const codesMax = 20
const oneTimeCode = 'a one-time code'
const payersNumber = 'a number'

/**
 * Looks for the keys, webhook secrets, recharge codes, one-time codes and payers' numbers of a run,
 * and for `more`, in the logs and metrics of its gateways and in all tables, where they are hashed,
 * sealed or masked. Columns of bytes are searched as well: a dump has what the tables have.
 */
export async function findSecrets(
  { folder, gateways, merchants, db }: Scanned,
  more: Secret[] = [],
): Promise<Finding> {
  const { codes, oneTimeCodes, numbers } = await readSent(folder)
  const some = merchants.slice(0, merchantsMax)
  const secrets: Secret[] = [
    ...some.map(({ apiKey }): Secret => ['a key', apiKey]),
    ...some.map(
      ({ webhookSecret }): Secret => ['a webhook secret', webhookSecret.replace('whsec_', '')],
    ),
    ...[...codes].map((code): Secret => ['a recharge code', code]),
    ...[...oneTimeCodes].map((code): Secret => [oneTimeCode, code]),
    ...more,
  ]
  const all = [...secrets, ...[...numbers].map((number): Secret => [payersNumber, number])]
  const leaks = new Set<string>()
  let characters = 0
  for await (const [where, line] of linesOf(folder, gateways)) {
    characters += line.length + 1
    for (const secret of all)
      if (isIn(line, secret)) leaks.add(`${secret[0]} in ${where}: ${line.slice(0, 300)}`)
  }
  const { rows: tables } = await db.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  for (const { name } of tables)
    for (const what of await findInTable(db, name, withoutNumbers.has(name) ? all : secrets))
      leaks.add(`${what} in the table ${name}`)
  const examples = [...leaks].slice(0, examplesMax).map((leak) => `; ${leak}`)
  return {
    what: 'keys, secrets, codes and numbers in logs, metrics and tables',
    value: `${leaks.size} in ${characters} characters, ${tables.length} tables${examples.join('')}`,
    isGood: leaks.size === 0 && tables.length > 0 && numbers.size > 0,
  }
}

/**
 * Whether a text is in a line. Eight digits of a one-time code are also in long numbers and in
 * hashes, and nine of a payer's number in the fraction of a duration: there they mean nothing.
 */
function isIn(line: string, [what, text]: Secret): boolean {
  if (!line.includes(text)) return false
  if (what === payersNumber) return line.replaceAll(/\.\d+/g, '.').includes(text)
  return what !== oneTimeCode || new RegExp(`(?<![0-9a-f.])${text}(?![0-9a-f])`).test(line)
}

/** The numbers and one-time codes that were sent, and recharge codes that merchants were told. */
async function readSent(folder: string) {
  const codes = new Set<string>()
  const oneTimeCodes = new Set<string>()
  const numbers = new Set<string>()
  for (const file of (await readdir(folder)).filter((one) => one.endsWith('.ndjson')))
    for await (const line of readJournal(join(folder, file)))
      for (const text of line.filter((one) => typeof one === 'string')) {
        for (const [, number = ''] of text.matchAll(/"number":"(\d{9})"/g)) numbers.add(number)
        for (const [, code = ''] of text.matchAll(/"token":"([^"]{8,})"/g))
          if (codes.size < codesMax) codes.add(code)
        // Shorter ones are everywhere by chance.
        for (const [, code = ''] of text.matchAll(/"otp":"(\d{8})"/g))
          if (oneTimeCodes.size < codesMax) oneTimeCodes.add(code)
      }
  return { codes, oneTimeCodes, numbers }
}

// What a sandbox prints when it has started: its own demo key, secret and number.
const bannerBegins = /^Passerelle is ready \(/
const bannerEnds = /\/api\/v1\/transaction\/try-\S+/

/** The lines of logs and metrics with where they are; a log is too long to be read as a whole. */
async function* linesOf(
  folder: string,
  gateways: Scanned['gateways'],
): AsyncGenerator<[where: string, line: string]> {
  for (const file of (await readdir(folder)).filter((one) => /^gateway-.*\.log$/.test(one))) {
    let isBanner = false
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      // A process that was killed while it printed has not ended it; lines of the log are JSON.
      isBanner = (isBanner || bannerBegins.test(line)) && !line.startsWith('{')
      if (!isBanner) yield [file, line]
      if (bannerEnds.test(line)) isBanner = false
    }
  }
  for (const { name, url } of gateways) {
    const { body } = await request(`${url}/metrics`)
    for (const line of (await body.text()).split('\n')) yield [`the metrics of ${name}`, line]
  }
}

/** What of the secrets is in a table: it is read once for all of them. */
async function findInTable(db: Scanned['db'], table: string, secrets: Secret[]): Promise<string[]> {
  const asBytes = secrets.map(([what, text]): Secret => [what, Buffer.from(text).toString('hex')])
  const forms = [...secrets, ...asBytes]
  const { rows } = await db.query<{ at: number; near: string }>(
    `select s.at::integer, substr(r.line, greatest(1, strpos(r.line, s.text) - 1),
        length(s.text) + 2) as near
      from (
        select line, strpos(line, '\\x') > 0 as has_bytes
        from (select t::text as line from "${table}" t offset 0) t offset 0
      ) r
      join unnest($1::text[]) with ordinality as s (text, at)
        on (r.has_bytes or s.at <= $2) and strpos(r.line, s.text) > 0
      limit 1000`,
    [forms.map(([, text]) => text), secrets.length],
  )
  return rows.flatMap(({ at, near }) => {
    const form = forms[at - 1]
    return form !== undefined && isIn(near, form) ? [form[0]] : []
  })
}
