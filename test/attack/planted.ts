import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPlanting } from '../../chaos/planting.ts'
import { startTestPostgres } from '../setup.ts'
import type { Line } from './lines.ts'

/** A bug that a line must notice: what stands in the file, once, and what instead. */
export interface Plant {
  file: string
  text: string
  instead: string
}

const bug = (file: string, text: string, instead: string): Plant => ({ file, text, instead })

/** A bug for each line of the table, by its name. */
export const plants: Record<string, Plant> = {
  keys: bug('src/edge/http/guard.ts', "startsWith('/api/')", "startsWith('/api/v1/transaction')"),
  'every-address': bug(
    'src/edge/pages/form-body.ts',
    "return new Refusal('body_too_large', reason('The form has",
    "throw new Error(reason('The form has",
  ),
  'long-forms': bug('src/edge/pages/form-body.ts', 'count <= most;', 'count <= 100 * most;'),
  'many-parameters': bug(
    'src/edge/http/protocol-checks.ts',
    'if (count > parametersMax)',
    'if (count > 1000 * parametersMax)',
  ),
  'random-requests': bug(
    'src/edge/http/errors.ts',
    'malformed_request: 400',
    'malformed_request: 406',
  ),
  'hostile-json': bug('src/edge/http/body.ts', 'else if (isTooDeep(text)) done(tooDeep())', ''),
  floods: bug('deploy/haproxy/passerelle.cfg', 'sc0_conn_cur gt 500', 'sc0_conn_cur gt 50000'),
  'slow-requests': bug('src/edge/http/server.ts', 'requestTimeout: requestTimeoutMs,', ''),
  overload: bug(
    'src/edge/http/overload.ts',
    'inFlight.api + inFlight.others >= limit',
    'inFlight.api + inFlight.others > limit',
  ),
  'malformed-http': bug(
    'src/edge/http/protocol-checks.ts',
    "headersNamed(raw, 'host').length === 1",
    "headersNamed(raw, 'host').length > 0",
  ),
  'scripts-in-reference': bug(
    'src/edge/http/api-reference.ts',
    "`style-src 'self' 'nonce-${nonce}'`",
    "`style-src 'self' 'unsafe-inline'`",
  ),
  handshakes: bug(
    'src/edge/http/server.ts',
    "socketRoutes.has(routeOptions.url ?? '')",
    'socketRoutes.size > 0',
  ),
  'password-guesses': bug(
    'src/merchants/people/tries/sign-in-limits.ts',
    'perPersonAndNetwork = 10\n',
    'perPersonAndNetwork = 100\n',
  ),
  'second-step-guesses': bug(
    'src/merchants/people/factors/factors.ts',
    'codesPerPerson = 10\n',
    'codesPerPerson = 100\n',
  ),
  'sliding-windows': bug(
    'src/merchants/people/tries/tries.ts',
    'tries + Math.floor(before * share)',
    'tries',
  ),
  'return-after-sign-in': bug(
    'src/doors/dashboard/frame/signed-in.ts',
    String.raw`/^\/dashboard(\/[\w-]+)*(\?[\x21\x22\x24-\x5b\x5d-\x7e]*)?$/`,
    String.raw`/^\/dashboard/`,
  ),
  'forged-forms': bug(
    'src/edge/pages/same-site.ts',
    "return site === 'same-origin' || site === 'none'",
    'return true',
  ),
  'networks-of-proxies': bug(
    'src/edge/http/server.ts',
    'options.trustedProxies.length > 0 ? options.trustedProxies : false',
    'true',
  ),
  'details-of-errors': bug(
    'src/edge/http/errors.ts',
    "new Refusal('service_unavailable', 'Something went wrong on our side')",
    "new Refusal('service_unavailable', String(problem))",
  ),
  'rights-of-keys': bug(
    'src/edge/http/needed-rights.ts',
    'needed.some((right) => rights.includes(right))',
    'rights.length > 0',
  ),
  'keys-beyond-a-role': bug(
    'src/doors/dashboard/developers/keys/granted.ts',
    'return action !== null && may(action)',
    'return action !== null',
  ),
  'float-by-refunds': bug(
    'src/money/transactions/refund.ts',
    'const rules = await context.limits.rules()',
    'const rules = await context.limits.rules()\n  if (isShort) throw floatRefusal(service)',
  ),
  tenants: bug('src/merchants/clients/scope.ts', 'record.keyId === keyId', "keyId !== ''"),
  rate: bug(
    'src/edge/http/guard.ts',
    'if (current <= max) return',
    'if (current <= max + 1) return',
  ),
  overdrafts: bug('src/money/ledger/decide.ts', 'balance + line.amount >= 0', 'balance >= 0'),
  'double-refunds': bug(
    'src/money/transactions/store.ts',
    'order by client_id, id\n    for update of transactions`',
    'order by client_id, id`',
  ),
  repetitions: bug(
    'src/money/transactions/store.ts',
    'on conflict (client_id, external_id) do nothing\n    returning record_id as id`',
    `on conflict (client_id, external_id) do update set record_id = excluded.record_id
    returning record_id as id\``,
  ),
  'idempotency-keys': bug(
    'src/edge/idempotency/idempotency.ts',
    'JSON.stringify([method, url, body])',
    'JSON.stringify([method, url])',
  ),
  limits: bug(
    'src/money/limits/take.ts',
    'else checked.refused.set(check.id, refusalOf(check, one))',
    'else checked.counted.set(check.id, check)',
  ),
  'private-addresses': bug(
    'src/base/net/guard.ts',
    'if (isIP(host) !== 0 && !isAllowedAddress(host, mode))',
    'if (isIP(host) === 4 && !isAllowedAddress(host, mode))',
  ),
  rebinding: bug('src/base/net/guard.ts', 'return found\n', 'return resolve(host, owner)\n'),
  terminal: bug('src/program/cli/terminal.ts', String.raw`[\p{Cc}\p{Zl}`, String.raw`[\p{Zl}`),
  'frozen-account': bug('src/data/db/db.ts', "lock_timeout = '150ms'", "lock_timeout = '60s'"),
  rights: bug(
    'src/doors/dashboard/frame/handlers.ts',
    'if (!visit.may(action)) return',
    'if (false) return',
  ),
  'balances-in-events': bug(
    'src/doors/dashboard/transactions/masked.ts',
    "!visit.may('balance.read')",
    "!visit.may('transaction.read')",
  ),
  'numbers-in-audit-log': bug(
    'src/doors/dashboard/frame/audited-fields.ts',
    'return withoutNumbers(value)',
    'return value',
  ),
  'other-merchants-pages': bug(
    'src/money/transactions/store.ts',
    'where client_id = ${id.clientId} and id = ${id.id}`',
    'where id = ${id.id}`',
  ),
  'unattended-screens': bug(
    'src/merchants/people/sessions/sessions.ts',
    'confirmedForMs = 15 * minuteMs',
    'confirmedForMs = 150 * minuteMs',
  ),
  'second-factor-secret': bug(
    'src/merchants/people/factors/safe.ts',
    'return `offered to ${sessionId}`',
    'return sessionId && `offered`',
  ),
  'hostile-tables': bug(
    'src/formats/tables/read-zip.ts',
    'if (unpacked > most)',
    'if (unpacked > 1000 * most)',
  ),
  'endless-tags': bug('src/formats/tables/read-xml.ts', 'tags += 1', 'tags += 0'),
  'files-beside-payments': bug(
    'src/formats/tables/apart.ts',
    'const source = stream[Symbol.asyncIterator]()\n',
    `const { [work.name]: generate } = await import(work.module)
  return yield* generate(stream, ...work.args)
  const source = stream[Symbol.asyncIterator]()\n`,
  ),
  'hostile-pictures': bug(
    'src/merchants/clients/picture.ts',
    'at + 9 > file.length',
    'at >= file.length',
  ),
  formulas: bug('src/formats/tables/write-csv.ts', "/^'*[=+", '/^[=+'),
  'hostile-texts': bug(
    'src/base/kit/ids.ts',
    'const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/',
    String.raw`const uuid = /^[\w-]{36}$/`,
  ),
  invitations: bug(
    'src/merchants/people/team/team.ts',
    "if (touched.includes('owner') && !may(actorRole, 'owner.change'))",
    "if (touched.includes('owner') && !may(actorRole, 'team.change'))",
  ),
  'invitation-floods': bug(
    'src/merchants/people/team/invitations.ts',
    'invitationsPerAddress = 5\n',
    'invitationsPerAddress = 50\n',
  ),
  'invitations-to-many': bug(
    'src/merchants/people/team/invitations.ts',
    'invitationsPerClient = 50',
    'invitationsPerClient = 5000',
  ),
  'large-files': bug(
    'deploy/haproxy/passerelle.cfg',
    'req.body_size gt 6000000',
    'req.body_size gt 60000000',
  ),
  scripts: bug('src/base/kit/html.ts', `const special = /[&<>"']/`, 'const special = /[&<>]/'),
  'scripts-in-dashboard': bug('src/base/kit/html.ts', `'"': '&quot;'`, `'"': '"'`),
  'code-guesses': bug(
    'src/money/transactions/otp-store.ts',
    'otp_tries < ${triesMax}',
    'otp_tries < ${triesMax + 1}',
  ),
  'links-paid-twice': bug(
    'src/money/links/store.ts',
    'order by client_id, id\n    for update`',
    'order by client_id, id`',
  ),
  'payment-page-floods': bug('src/doors/pay/limits.ts', 'current > most ?', 'current > 2 * most ?'),
  'addresses-of-shops': bug(
    'src/doors/pay/return-address.ts',
    "['http:', 'https:'].includes(url.protocol)",
    "url.protocol !== 'data:'",
  ),
  'forged-callbacks': bug(
    'src/doors/callbacks/receive.ts',
    'if (!isWellFormed || !transactions.isGenuineCallback(subject, code))',
    'if (!isWellFormed || !code)',
  ),
  'unsigned-callbacks': bug(
    'src/money/transactions/callback.ts',
    "if (claim.trust === 'signed') await",
    'if (claim.trust !== undefined) await',
  ),
  'malformed-answers': bug(
    'src/money/providers/json-reader.ts',
    String.raw`(\.0{1,4})?$/.test(text)`,
    String.raw`(\.\d{1,4})?$/.test(text)`,
  ),
  'hostile-receivers': bug(
    'src/backoffice/webhooks/send.ts',
    'deadlineMs = 10_000',
    'deadlineMs = 9000',
  ),
  'forged-events': bug(
    'src/backoffice/webhooks/sign.ts',
    '`${message.id}.${timestamp}.${message.body}`',
    '`${message.id}.${message.body}`',
  ),
  'approving-alone': bug(
    'src/merchants/people/team/approver.ts',
    'one.toLowerCase() === other.toLowerCase()',
    'one === other',
  ),
  'approvals-at-once': bug(
    'src/backoffice/approvals/decide.ts',
    'await decideApproval(tx, state, approval)',
    '',
  ),
  'own-second-person': bug(
    'src/merchants/people/team/approver.ts',
    'one.givenBy.some((by) => isSame(by, other.email)) ||',
    '',
  ),
  'split-orders': bug(
    'src/backoffice/approvals/store.ts',
    'where lower(proposed_by) = lower(${person})',
    'where proposed_by = ${person}',
  ),
  'unnamed-commands': bug(
    'src/program/cli/key.ts',
    'if (!rights.some((right) => moneyOut.has(right)))',
    'if (moneyOut.size > 0)',
  ),
  'large-statements': bug(
    'src/backoffice/recon/import/evidence.ts',
    "requested.kind === 'done' ? 'prove' : 'hold'",
    "requested.kind === 'done' ? 'prove' : 'prove'",
  ),
  'forged-fees': bug(
    'src/backoffice/recon/import/own-money.ts',
    "requested.kind === 'done' ||",
    "requested.kind !== 'done' ||",
  ),
  'surveys-left': bug(
    'src/backoffice/recon/import/survey.ts',
    'if (going.waiting === 0)',
    'if (going.waiting < 0)',
  ),
  'forged-statements': bug(
    'src/backoffice/recon/import/evidence.ts',
    'refuted.add(lineKey(line))',
    'refuted.delete(lineKey(line))',
  ),
  'audit-log': bug(
    'migrations/0001_initial.sql',
    'before update or delete or truncate on audit_log\n',
    'before update or delete on audit_log\n',
  ),
  'ledger-by-hand': bug(
    'migrations/0001_initial.sql',
    'before update or delete or truncate on ledger_entries\n',
    'before delete or truncate on ledger_entries\n',
  ),
  'audit-log-by-hand': bug(
    'src/operations/verify/audit-store.ts',
    'where digest is distinct from ${auditDigest}',
    'where digest is null and ${auditDigest} is null',
  ),
  archive: bug(
    'src/operations/drill/restore-command.ts',
    String.raw`\[(FormatError|CryptoError)\]`,
    String.raw`\[(FormatError)\]`,
  ),
  'sealed-columns': bug(
    'src/base/sealing/seal.ts',
    'Buffer.concat([opening.update(sealed.subarray(12, -16)), opening.final()])',
    'opening.update(sealed.subarray(12, -16))',
  ),
  'secrets-at-rest': bug(
    'src/merchants/clients/keys.ts',
    'label: key.label,\n',
    'label: secret,\n',
  ),
  'secrets-in-logs': bug('src/base/log/log.ts', 'hideSecrets(line, 2)', 'hideSecrets(line, 1)'),
  'numbers-in-records': bug(
    'src/edge/requests/keep.ts',
    String.raw`\d{8,15}`,
    String.raw`\d{10,15}`,
  ),
  dependencies: bug(
    'package.json',
    '  "dependencies": {\n',
    '  "dependencies": {\n    "left-pad": "^1.3.0",\n',
  ),
}

// With a bug planted a test may wait for ever.
const minutesMax = 4

type Planting = Awaited<ReturnType<typeof openPlanting>>

/** Plants the bug of each line into a copy of the tree, and runs the line: how many were red. */
export async function tryPlanted(lines: Line[]): Promise<number> {
  const planting = await openPlanting('attacks', minutesMax)
  const postgres = await startTestPostgres(planting.leftovers)
  let red = 0
  try {
    for (const line of lines) {
      const startedMs = performance.now()
      const problem = await problemOf(planting, line)
      if (planting.isInterrupted()) break
      if (problem === '') red += 1
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
      console.log(`${problem === '' ? 'red' : 'NOT RED'}: ${line.name} (${seconds} s)${problem}`)
    }
  } finally {
    await postgres.stop()
    await planting.close()
  }
  return red
}

/** Why a line did not notice its bug; empty: it did. */
async function problemOf(planting: Planting, line: Line): Promise<string> {
  const { file, text, instead } = plantOf(line.name)
  const path = join(planting.copy, file)
  const source = await readFile(path, 'utf8')
  await writeFile(
    path,
    source.replace(text, () => instead),
  )
  try {
    // The databases that tests share were made by the migrations as they are.
    const run = file.startsWith('migrations/') ? planting.test(line.file) : runLine(planting, line)
    const { code, isTooLong, output } = await run
    if (isTooLong) return `: it did not end within ${minutesMax} minutes`
    // The line's own test, whatever else of its file is red.
    const failed = output.match(/^ *✖ .*/gm) ?? []
    const isItself = failed.some((one) => titlePattern(line.test).test(one))
    return code === 1 && isItself ? '' : `: ${failed.join('; ') || output.slice(-500)}`
  } finally {
    await writeFile(path, source)
  }
}

/** The test of a line alone: what else stands in its file may wait for ever with this bug. */
function runLine(planting: Planting, { file, test }: Line) {
  const own = `--test-name-pattern=/${titlePattern(test).source}/`
  const words = ['--test', '--test-isolation=none', '--test-force-exit', own, file]
  return planting.run(process.execPath, words)
}

/** What a test is called in its file, with anything in the place of values. */
function titlePattern(title: string): RegExp {
  const parts = title.split(/\$\{\w+\}/)
  return new RegExp(parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('.*'))
}

export function plantOf(name: string): Plant {
  const plant = plants[name]
  if (plant === undefined) throw new Error(`no bug is planted for ${name}`)
  return plant
}

/** How often the text of a plant occurs in its file. */
export function occurrences({ file, text }: Plant): number {
  return readFileSync(file, 'utf8').split(text).length - 1
}
