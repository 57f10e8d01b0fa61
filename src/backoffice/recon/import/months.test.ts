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
import { testDatabase } from '#test/database.ts'
import type { KilledImport } from '#test/import-killed.ts'
import { assertMoney } from '#test/money.ts'
import { clockFrom, openMonths } from '#test/months.ts'
import { type Fate, mortalDb } from '#test/mortal-db.ts'
import { type Decided, expectedOf, type File, type Ours, type Told } from '#test/plain-month.ts'
import { sized } from '#test/size.ts'
import { chunksOf, csvOf, type MadeLine, rowOf, titleRow } from '#test/statement-maker.ts'
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

const dayMs = 86_400_000
const spanMs = 6 * dayMs

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
  recon: Recon,
  clientId: number,
  found: Case[],
  random: Chance,
): Promise<Map<string, Decided>> {
  const decided = new Map<string, Decided>()
  const asker = { person: 'awa@ops.example', actor: 'awa@ops.example' }
  for (const one of found) {
    const { id, amount, provider, country } = one
    const shares = [0, 0, amount, amount, Math.trunc(amount / 2)]
    const moved = random.pick(shares)
    if (random.below(3) > 0) continue
    await recon.assign(id, asker.person, 'test')
    const account = country === 'CM' ? 'fees' : `provider:${provider}:${country}`
    const given = { clientId, amount: Math.abs(moved), isGiven: moved > 0, account }
    const mending = moved === 0 ? { how: 'ignore' as const } : { how: 'adjust' as const, ...given }
    await recon.mend(id, { ...mending, reason: 'by chance' }, asker)
    decided.set(aboutOf(one), { difference: amount, moved })
  }
  return decided
}

/** Imports a file by mistake, which tells otherwise of what succeeded, and withdraws it again. */
async function mistake(
  { db, recon, dying, afterwards }: Own & { recon: Recon; dying: () => Recon },
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
  const order = { id, reason: 'a mistake' }
  await db.transaction((tx) => recordWithdrawal({ clock: afterwards }, tx, order, 'test'))
  // The process that takes it back dies at one of its commits.
  await dying().resume()
  await recon.resume()
}

/** Numbers that look like chance, the same for the same seed. */
function chance(seed: number) {
  let state = seed * 2_654_435_761
  const below = (count: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % count
  }
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T
  const shuffled = <T>(all: T[]): T[] =>
    all
      .map((one): [number, T] => [below(1e9), one])
      .toSorted(([one], [other]) => one - other)
      .map(([, one]) => one)
  return { below, pick, shuffled }
}
type Chance = ReturnType<typeof chance>

function lineOf(ours: Ours, reference: string, change: Partial<MadeLine> = {}): MadeLine {
  return {
    moment: ours.at.toISOString(),
    reference,
    our_reference: `${ours.clientId}.${ours.attemptId}`,
    kind: ours.operation === 'CASHOUT' ? 'collect' : 'disburse',
    number: '',
    amount: ours.amount,
    fee: Math.round(ours.amount / 100),
    status: 'succeeded',
    ...change,
  }
}

/** What is told of a payment of ours. */
function toldOf(about: Ours, { pick, below }: Chance, isEdge: boolean): Told[] {
  const tail = about.attemptId.slice(-12)
  const tell = (change: Partial<MadeLine> = {}, isCorrection = false, lateMs = 0): Told => {
    const at = after(about.at, lateMs)
    const line = lineOf(about, about.reference ?? `P${tail}`, {
      moment: at.toISOString(),
      ...change,
    })
    return { line, at, isCorrection, about }
  }
  if (about.status === 'OPEN') return [tell({ status: below(4) === 0 ? 'failed' : 'succeeded' })]
  if (about.status !== 'SUCCESS')
    return [tell({ status: below(10) === 0 ? 'succeeded' : 'failed' })]
  const all: Record<string, Told[]> = {
    right: [tell()],
    missing: isEdge ? [tell()] : [],
    amount: [tell({ amount: about.amount + 100 })],
    failed: [tell({ status: 'failed' })],
    pending: [tell({ status: 'pending' })],
    later: [tell({ status: 'pending' }), tell({}, true)],
    reversed: [tell(), tell({ status: 'reversed' }, false, below(2 * dayMs))],
    corrected: [tell({ amount: about.amount + 7, fee: 3 }), tell({}, true)],
    fee: [tell({ fee: 1 }), tell({ fee: 11 }, true)],
    twice: [tell(), tell()],
    late: isEdge ? [tell()] : [tell({}, true)],
    moved: [tell({ amount: about.amount + 9 }), tell({ amount: about.amount + 9, fee: 4 }, true)],
    second: [tell({}, below(2) === 0), tell({ reference: `S${tail}` })],
  }
  return all[below(2) === 0 ? 'right' : pick(Object.keys(all))] ?? []
}

/** Facts of no payment of ours: strangers, fees of a day, money from the bank. */
function strangers({ below }: Chance, from: Date): Told[] {
  const line = { our_reference: '', number: '', fee: 0, status: 'succeeded', kind: 'collect' }
  const tell = (change: Partial<MadeLine>, isCorrection = false): Told => {
    const at = after(from, dayMs + below(spanMs - 2 * dayMs))
    const made = { ...line, moment: at.toISOString(), reference: '', amount: 40, ...change }
    return { line: { ...made, moment: at.toISOString() }, at, isCorrection, about: undefined }
  }
  const transfer = tell({ kind: 'transfer', reference: 'bank', amount: -9000 })
  const fee = tell({ kind: 'fee', amount: 25 })
  const corrected = { ...transfer, line: { ...transfer.line, amount: -8000 }, isCorrection: true }
  const strangers = Array.from({ length: 3 }, (_, index) =>
    tell({ reference: `X${index}`, fee: 2 }),
  )
  return [
    ...strangers,
    ...strangers.slice(1).map((one) => ({
      ...one,
      line: { ...one.line, amount: 30 + below(2) * 10, fee: 3 },
      isCorrection: true,
    })),
    transfer,
    corrected,
    fee,
    fee,
    fee,
    tell({ kind: 'fee', reference: 'monthly', amount: 300 }),
  ]
}

/** Files of a provider: whole parts of the time, some times again, and corrections at the end. */
function filesOf(told: Told[], from: Date, random: Chance, timeZone: string): File[] {
  const days = Array.from({ length: spanMs / dayMs + 2 }, (_, day) =>
    startOfDay(dayOf(after(from, (day - 1) * dayMs), timeZone), timeZone),
  )
  const end = after(days.at(-1) ?? from, 2 * dayMs)
  const cuts = [days[0] ?? from, ...days.slice(1).filter(() => random.below(2) === 0), end]
  const between = (name: string, one: Date, other: Date, isCorrection = false): File => ({
    name,
    told: random.shuffled(
      told.filter(
        ({ at, ...fact }) => at >= one && at < other && (isCorrection || !fact.isCorrection),
      ),
    ),
    from: one,
    to: other,
    isCorrection,
  })
  const parts = cuts.slice(1).map((to, index) => between(`part-${index}`, cuts[index] ?? from, to))
  const again = parts
    .filter(() => random.below(3) === 0)
    .map((one) => ({
      ...one,
      name: 'again',
      told: random.shuffled(one.told).slice(random.below(3)),
    }))
  const files = random.shuffled([...parts, ...again])
  const corrections = told.filter(({ isCorrection }) => isCorrection)
  const last = { name: 'corrections', told: corrections, from: cuts[0] ?? from, to: end }
  return [...files, { ...last, isCorrection: true }].filter((one) => one.told.length > 0)
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
  reconOf: (own: Db) => Recon
}

/** Imports files in their order, by processes of which some die. */
async function importAll(
  files: File[],
  party: Party,
  random: Chance,
  { db, url, afterwards, reconOf }: Own,
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
  const { domain, reconOf } = openMonths(db, { clock, afterwards })
  const recon = reconOf(db)
  const own = { db, url, afterwards, reconOf }
  const parties = ['WALLETA SN', 'WALLETB SN', 'WALLETA CI', 'WALLETE ML', 'WALLETF CM']
  for (const [number, name] of parties.entries()) {
    const random = chance(seed * 10 + number)
    const [provider = '', country = ''] = name.split(' ')
    const party = { provider, country }
    const { timeZone } = partyFacts(party)
    const isByDay = random.below(2) === 0
    const balances = { opening: 'opening', closing: 'closing' }
    const content = { ...builtIn[0], balances, dates: [isByDay ? 'yyyy-MM-dd' : 'iso'] }
    await recon.saveMapping({ ...party, content, actor: 'test' })
    await openSome({ db, domain, clientId: key.clientId }, party, from)
    const all = await db<Ours>`
      select id, operation, amount, coalesce(completed_at, created_at) as at,
        case when completed_at is null then 'OPEN' else status end as status,
        attempt_id as "attemptId", reference, client_id as "clientId"
      from transactions where service_code like ${`${provider}_${country}_%`} order by id`
    const edgeMs = 3_600_000
    const isEdge = ({ at }: Ours) =>
      at < after(from, dayMs) || at > after(until, -dayMs) || edgesOf(at, timeZone) < edgeMs
    const told = [
      ...all.flatMap((one) => toldOf(one, random, isEdge(one))),
      ...strangers(random, from),
    ].map((one) => (isByDay ? withDay(one, timeZone) : one))
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
    const decided = await mendSome(recon, key.clientId, await readCases(), random)
    if (random.below(2) === 0) await mistake({ ...own, recon, dying }, party, first)
    await importAll(files.slice(half), party, random, own, texts)
    const expected = expectedOf(files, all, decided)
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
    const open = found.reduce((sum, { amount }) => sum + amount, 0)
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
  return [...decided.values()].reduce((sum, { moved }) => sum + moved, 0)
}

function caseText({ kind, amount, transactionId, details }: Case): string {
  return `${kind} ${amount} ${transactionId ?? details.theirs?.reference}`
}

/** How far a moment is from midnight. */
function edgesOf(at: Date, timeZone: string): number {
  const since = at.getTime() - startOfDay(dayOf(at, timeZone), timeZone).getTime()
  return Math.min(since, dayMs - since)
}

function withDay(one: Told, timeZone: string): Told {
  return { ...one, line: { ...one.line, moment: dayOf(new Date(one.line.moment), timeZone) } }
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
