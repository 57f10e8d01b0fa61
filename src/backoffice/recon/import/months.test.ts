import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { after, type Clock } from '#base/kit/clock.ts'
import { dayOf, startOfDay } from '#base/kit/zoned-days.ts'
import type { Db } from '#data/db/db.ts'
import type { Domain } from '#domain.ts'
import { builtIn } from '#formats/statements/built-in.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { draft, recordIntents } from '#money/transactions/intents.ts'
import { newClient } from '#test/clients.ts'
import { addPerson } from '#test/dashboard.ts'
import { testDatabase } from '#test/database.ts'
import type { KilledImport } from '#test/import-killed.ts'
import { assertMoney } from '#test/money.ts'
import {
  type Chance,
  chance,
  dayMs,
  edgesOf,
  farMoment,
  farZone,
  filesOf,
  spanMs,
  strangers,
  toldOf,
  withDay,
  withFarMoment,
} from '#test/month-files.ts'
import { clockFrom, openMonths } from '#test/months.ts'
import { type Fate, mortalDb } from '#test/mortal-db.ts'
import {
  type Decided,
  expectedOf,
  type File,
  type Ours,
  type Terms,
  type Told,
} from '#test/plain-month.ts'
import { sized } from '#test/size.ts'
import { chunksOf, csvOf, rowOf, titleRow } from '#test/statement-maker.ts'
import { writeHistory } from '../../../../bench/history-fill.ts'
import type { Case } from '../cases/case.ts'
import type { Recon } from '../open.ts'
import { partyFacts } from './party.ts'
import type { Party } from './statement.ts'
import { recordWithdrawal } from './withdraw.ts'

/*
 * Months of providers, made by chance: each fact in whichever files, in whichever order, told
 * again, corrected, by days or by moments, imported by processes that die. What is found and booked
 * is that of a plain function of the facts, and the books differ from what the provider holds by
 * the cases that are open.
 */

/** Payments that nobody has answered, some in each of the days. */
async function openSome(
  { db, domain, clientId }: { db: Db; domain: Domain; clientId: number },
  party: Party,
  from: Date,
): Promise<void> {
  const service = parseServiceCode(`${party.provider}_${party.country}_CASHOUT`)
  if (service === undefined) throw new Error(`nothing is collected by ${party.provider}`)
  const rules = await domain.limits.rules()
  const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
  const common = { clientId, keyId: key?.id ?? '', service, operation: 'CASHOUT' as const, fee: 10 }
  const texts = { payeeName: 'Shop', phone: '771234567', successUrl: '', failureUrl: '' }
  for (let index = 1; index <= 10; index += 1) {
    const at = after(from, dayMs / 2 + (index * (spanMs - dayMs)) / 12)
    const externalId = `open-${party.provider}-${party.country}-${index}`
    const intent = { ...common, ...texts, callbackUrl: null, externalId, amount: 1000 + index }
    const drafted = { ...draft(intent, at), rules }
    await db.transaction((tx) => recordIntents(tx, [drafted], at))
  }
}

/** What a difference is about: one payment of a transaction, or of a stranger. */
function aboutOf({ transactionId, kind, details: { theirs } }: Case): string {
  if (theirs === undefined) return `${transactionId}`
  const isSecond = theirs.reference?.startsWith('S')
  return `${transactionId ?? ''} ${theirs.reference} ${kind === 'duplicate' && !isSecond ? 2 : 1}`
}

/** People mend some of the differences, wholly, in part, or not at all, and note something. */
async function mendSome(
  { recon, decide }: { recon: Recon; decide: Decide },
  clientId: number,
  found: Case[],
  random: Chance,
): Promise<Map<string, Decided>> {
  const decided = new Map<string, Decided>()
  const asker = { person: 'awa@ops.example', actor: 'awa@ops.example' }
  const keyOf = (one: Case) =>
    one.kind === 'fee' || one.kind === 'day' ? `${one.kind} ${aboutOf(one)}` : aboutOf(one)
  const byKey = Map.groupBy(found, keyOf)
  for (const one of found) {
    const { id, amount, provider, country, kind } = one
    // Of two payments of one file with the same reference.
    if ((byKey.get(keyOf(one))?.length ?? 0) > 1) continue
    const shares = [0, 0, amount, amount, Math.trunc(amount / 2)]
    const moved = random.pick(shares)
    const isRefused = random.below(4) === 0
    if (random.below(3) > 0) continue
    await recon.assign(id, asker.person, 'test')
    const isBeside = kind === 'fee' || kind === 'day'
    const account = country === 'CM' || isBeside ? 'fees' : `provider:${provider}:${country}`
    const given = { clientId, amount: Math.abs(moved), isGiven: moved > 0, account }
    const isSuspended = kind === 'theirs_only' && amount !== 0 && moved === amount
    const how = isSuspended ? ('suspend' as const) : ('ignore' as const)
    const mending = moved === 0 || isSuspended ? { how } : { how: 'adjust' as const, ...given }
    const { requested } = await recon.mend(id, { ...mending, reason: 'by chance' }, asker)
    const isDone = requested?.kind !== 'proposed' || (await decide(isRefused))
    const done = { moved: isSuspended ? 0 : moved, suspended: isSuspended ? moved : 0 }
    if (isDone) decided.set(keyOf(one), { difference: amount, ...done })
  }
  return decided
}

/** Another person approves all proposals, or refuses them; returns which. */
type Decide = (isRefused?: boolean) => Promise<boolean>

/** Imports a file by mistake, which tells otherwise of what succeeded, and withdraws it again. */
async function mistake(
  { db, recon, dying, afterwards, decide }: Own & { recon: Recon; dying: () => Recon },
  party: Party,
  told: Told[],
): Promise<void> {
  const lines = told.flatMap(({ line, about }) =>
    about?.status === 'SUCCESS' && line.status === 'succeeded' && !line.reference.startsWith('S')
      ? [{ ...line, amount: line.amount + 3, fee: line.fee + 5 }]
      : [],
  )
  const strangers = told.flatMap(({ line, about }) =>
    about === undefined ? [{ ...line, amount: line.amount + 1, reference: 'mistaken' }] : [],
  )
  const file = chunksOf(csvOf([...lines, ...strangers.slice(0, 1)]))
  const { id } = await recon.import({ ...party, name: 'mistake', file, actor: 'test' })
  await decide()
  const order = { id, reason: 'a mistake' }
  await db.transaction((tx) => recordWithdrawal({ clock: afterwards }, tx, order, 'test'))
  // The process that takes it back dies at one of its commits.
  await dying().resume()
  await recon.resume()
}

const deaths: Fate[] = ['lost', 'dies']
// An import has about as many.
const commitsMax = 12

const orderOf = ({ name, from, to }: Pick<File, 'name' | 'from' | 'to'>, party: Party) => ({
  ...party,
  name,
  actor: 'test',
  from,
  to,
})

/** An import by a process that the kernel kills; whether it had come to its end before. */
async function killed(about: KilledImport): Promise<boolean> {
  const script = fileURLToPath(new URL('../../../../test/import-killed.ts', import.meta.url))
  const env = { ...process.env, KILLED_IMPORT: JSON.stringify(about) }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  assert.ok(code === 0 || signal === 'SIGKILL', `${code} ${signal}`)
  return code === 0
}

/** What a month is imported with. */
interface Own {
  db: Db
  url: string
  afterwards: Clock
  approvalAbove: string
  decide: Decide
  reconOf: (own: Db) => Recon
}

/** Imports files in their order, by processes of which some die. */
async function importAll(
  files: File[],
  party: Party,
  random: Chance,
  { db, url, afterwards, approvalAbove, decide, reconOf }: Own,
  texts: (file: File) => string,
) {
  const send = (file: File, recon: Recon) =>
    recon.import({ ...orderOf(file, party), file: chunksOf(texts(file)) })
  for (let index = 0; index < files.length; index += 1) {
    const [file, next] = [files[index], files[index + 1]]
    if (file === undefined) break
    const dies = mortalDb(db)
    const end = random.below(6)
    if (end < 3) dies.meets(random.pick(deaths), 1 + random.below(commitsMax))
    const isKilled = end === 3 && random.below(sized(8, 4)) === 0
    const isDone = isKilled
      ? await killed({
          url,
          approvalAbove,
          moment: afterwards.now().toISOString(),
          commit: 1 + random.below(commitsMax),
          isWithin: random.below(2) === 0,
          text: texts(file),
          order: orderOf(file, party),
        })
      : await send(file, reconOf(dies.db)).then(
          () => true,
          () => false,
        )
    if (isDone) continue
    // By another process, before or after it that of the next file, or both at once.
    const isFree = next !== undefined && !next.isCorrection
    const both = isFree && random.below(2) === 0 ? [file, next] : [file]
    await Promise.all(random.shuffled(both).map((one) => send(one, reconOf(db))))
    index += both.length - 1
  }
  await decide()
}

// Months end at moments of their own, the same for the same seed: what is found can be found again.
const endOfMonths = new Date('2026-03-10T03:00:00Z')
const betweenEndsMs = 5 * 3_600_000 + 417_000

async function month(seed: number): Promise<void> {
  const { db, url } = await testDatabase()
  const clock = clockFrom(after(endOfMonths, seed * betweenEndsMs))
  const afterwards = { now: () => after(clock.now(), 4 * dayMs) }
  const key = { clientId: await newClient(db, clock, 5_000_000), label: 'test', actor: 'test' }
  await db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, key))
  const progress = { now: () => {}, line: () => {} }
  const until = clock.now()
  await writeHistory({ url, transactions: sized(250, 400), progress, spanMs, until })
  const from = after(until, -spanMs)
  const approvalAbove = seed % 2 === 0 ? 'off' : '15000'
  const { domain, reconOf } = openMonths(db, { clock, afterwards, approvalAbove })
  const recon = reconOf(db)
  const binta = await addPerson({ db }, { operatorRole: 'finance-operator' })
  const decide: Decide = async (isRefused = false) => {
    const { approvals } = domain
    for (const { id } of await approvals.list({ limit: 1000 }))
      await (isRefused
        ? approvals.refuse({ id, person: binta, reason: 'by chance' })
        : approvals.approve({ id, person: binta }))
    await recon.proveApproved()
    return !isRefused
  }
  const own = { db, url, afterwards, approvalAbove, decide, reconOf }
  const parties = ['WALLETA SN', 'WALLETB SN', 'WALLETA CI', 'WALLETE ML', 'WALLETF CM']
  for (const [number, name] of parties.entries()) {
    const random = chance(seed * 10 + number)
    const [provider = '', country = ''] = name.split(' ')
    const party = { provider, country }
    const { timeZone } = partyFacts(party)
    const isByDay = random.below(2) === 0
    const balances = { opening: 'opening', closing: 'closing' }
    const dates = isByDay ? { dates: ['yyyy-MM-dd'] } : { dates: ['iso'], timeZone: farZone }
    const content = { ...builtIn[0], balances, ...dates }
    const fixed = random.below(3)
    const term = { basisPoints: 100, fixed }
    const fees = fixed === 2 ? null : { collect: term, disburse: term }
    await recon.saveMapping({ ...party, content, fees, actor: 'test' })
    const terms: Terms = {
      fee: fees === null ? undefined : (amount) => Math.round(amount / 100) + fixed,
      dayOf: (at) => dayOf(at, timeZone),
      momentsOf: ({ moment }) => {
        if (!isByDay) return [farMoment(moment), farMoment(moment)]
        const first = startOfDay(moment, timeZone)
        return [first, after(first, dayMs - 1)]
      },
    }
    await openSome({ db, domain, clientId: key.clientId }, party, from)
    const all = await db<Ours>`
      select id, operation, amount, coalesce(completed_at, created_at) as at,
        case when completed_at is null then 'OPEN' else status end as status,
        attempt_id as "attemptId", reference, client_id as "clientId", created_at as "createdAt",
        completed_at as "completedAt"
      from transactions where service_code like ${`${provider}_${country}_%`} order by id`
    const edgeMs = 3_600_000
    const isEdge = ({ at }: Ours) =>
      at < after(from, dayMs) || at > after(until, -dayMs) || edgesOf(at, timeZone) < edgeMs
    const told = [
      ...all.flatMap((one) => toldOf(one, random, isEdge(one))),
      ...strangers(random, from),
    ].map((one) => (isByDay ? withDay(one, timeZone) : withFarMoment(one)))
    const files = filesOf(told, from, random, timeZone)
    const before = await ledgerOf(db, party)
    const texts = (file: File) => csvOf(file.told.map(({ line }) => line))
    const half = Math.ceil(files.length / 2)
    await importAll(files.slice(0, half), party, random, own, texts)
    const dying = () => {
      const dies = mortalDb(db)
      dies.meets(random.pick(deaths), 1 + random.below(commitsMax))
      return reconOf(dies.db)
    }
    const first = files.slice(0, half).flatMap(({ told: own }) => own)
    const readCases = () => recon.cases({ ...party, isUnclosed: true }, { limit: 10_000 })
    const decided = await mendSome({ recon, decide }, key.clientId, await readCases(), random)
    if (random.below(2) === 0) await mistake({ ...own, recon, dying }, party, first)
    await importAll(files.slice(half), party, random, own, texts)
    const expected = expectedOf(files, all, decided, terms)
    const found = await readCases()
    const text = `seed ${seed}, ${name}, ${files.map((one) => one.name).join(' ')}`
    assert.deepEqual(found.map(caseText).toSorted(), expected.cases, text)
    const now = await ledgerOf(db, party)
    assert.deepEqual(
      [now.fees - before.fees, now.transfers - before.transfers],
      [expected.fees, expected.transfers],
      text,
    )
    const booked = all.reduce((sum, one) => {
      const sign = one.operation === 'CASHOUT' ? 1 : -1
      return one.status === 'SUCCESS' ? sum + sign * one.amount : sum
    }, 0)
    assert.equal(before.held, booked, text)
    const money = found.filter(({ kind }) => kind !== 'fee' && kind !== 'day')
    const open = money.reduce((sum, { amount }) => sum + amount, 0)
    const left = party.country === 'CM' ? movedOf(decided) : 0
    const differing = open + expected.left + left
    assert.equal(expected.held - now.held, differing, text)
    // A file of the whole time, with what the provider held before and holds now.
    const whole = [
      'opening;;;;;0;;\n',
      ...random.shuffled(expected.lines).map(rowOf),
      `closing;;;;;${expected.held};;\n`,
    ]
    const order = orderOf({ ...(files.at(-1) ?? assert.fail(text)), name: 'whole' }, party)
    const file = chunksOf(titleRow + whole.join(''))
    const balance = await recon.balance(await recon.import({ ...order, file }))
    assert.deepEqual((await readCases()).map(caseText).toSorted(), expected.cases, text)
    assert.deepEqual(
      [balance.statement, balance.ledger, balance.difference, balance.source],
      [expected.held, now.held, differing, 'file'],
      text,
    )
    const parts = balance.parts.reduce((sum, { amount }) => sum + amount, 0)
    assert.equal(parts, differing, `${text} ${JSON.stringify(balance)}`)
    assert.ok(!balance.parts.some((part) => part.name === 'opening' || part.name === 'lines'), text)
  }
  await assertMoney({ db })
}

/** What was moved from our fees, which the provider's account does not show. */
function movedOf(decided: ReadonlyMap<string, Decided>): number {
  const money = [...decided].filter(([about]) => !/^(fee|day) /.test(about))
  return money.reduce((sum, [, { moved }]) => sum + moved, 0)
}

function caseText({ kind, amount, transactionId, details }: Case): string {
  return `${kind} ${amount} ${transactionId ?? details.theirs?.reference}`
}

/** What our ledger has at a provider, and of its fees and transfers. */
async function ledgerOf(db: Db, { provider, country }: Party) {
  const [row] = await db<{ held: number; fees: number; transfers: number }>`
    select coalesce(-sum(e.amount), 0)::bigint as held,
      coalesce(sum(e.amount) filter (where p.kind = 'provider_fee'), 0)::bigint as fees,
      coalesce(-sum(e.amount) filter (where p.kind = 'transfer'), 0)::bigint as transfers
    from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    where e.account = ${`provider:${provider}:${country}`}`
  return row ?? { held: 0, fees: 0, transfers: 0 }
}

for (let seed = 1; seed <= sized(2, 6, 1000); seed += 1)
  it(`months of five providers, seed ${seed}`, () => month(seed))
