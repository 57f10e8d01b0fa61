import assert from 'node:assert/strict'
import { insertProof } from '#operations/verify/proof-store.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { addPerson, type SignedIn, signIn } from '../dashboard.ts'
import { imported, upload } from '../recon-forms.ts'
import { csvOf, lineOf } from '../statement-maker.ts'
import { eventually } from '../wait.ts'
import { done, type MerchantStates } from './merchant-states.ts'
import type { Sandbox } from './sandbox.ts'

/** What screens of operators are opened with. */
export type OperatorStates = Awaited<ReturnType<typeof makeOperatorStates>>

const ops = '/dashboard/ops'

/** Makes what operators look at: decisions, pauses, limits, proofs, a client without anything. */
export async function makeOperatorStates(
  sandbox: Sandbox,
  operator: SignedIn,
  { payments }: MerchantStates,
) {
  const { db, url } = sandbox
  const email = 'binta@ops.example'
  await addPerson({ db }, { operatorRole: 'finance-operator', email, language: 'fr' })
  await db`update people set name = 'Binta Fall' where email = ${email}`
  const binta = await signIn(url, email)
  // Failed by hand before its payer pays: the money is then in suspense.
  const late = { kind: 'resolve', transaction: payments.late, as: 'failed', reason: 'rien reçu' }
  await propose(operator, late)
  await done(operator, `${ops}/users/invite`, { email: 'awa@ops.example', role: 'auditor' })
  await dateBack(sandbox, payments.waiting)
  await closeThings(operator)
  const approvals = await makeApprovals(operator, binta)
  const forgetting = await forget(operator)
  const newcomer = await makeNewcomer(sandbox, operator)
  const statements = await makeStatements(sandbox, operator)
  await eventually('money is in suspense', async () =>
    (await operator.get(`${ops}/suspense`)).text.includes('send_back'),
  )
  const startedAt = new Date()
  const verdict = await verifyAll(db, [], () => {})
  await insertProof(db, { ...verdict, provedBy: 'deploy', startedAt, endedAt: new Date() })
  return { binta, approvals, forgetting, newcomer, statements }
}

/** Reviews an order and sends it; returns where that led. */
async function propose(person: SignedIn, fields: Record<string, string>): Promise<string> {
  const review = new URLSearchParams({ ...fields, review: 'yes' }).toString()
  return done(person, `${ops}/approvals/new`, fields, `${ops}/approvals/new?${review}`)
}

async function makeApprovals(operator: SignedIn, binta: SignedIn) {
  const money = (kind: string, amount: number, ref: string) => ({
    kind,
    client: 'Boutique Démo',
    amount: String(amount),
    ref,
  })
  const own = await propose(operator, money('fund', 3_500_000, 'virement 2026-114'))
  const waiting = await propose(binta, money('withdraw', 1_200_000, 'retrait du 15'))
  const refused = await propose(binta, money('fund', 9_000_000, 'virement 2026-115'))
  const refusal = { verb: 'refuse', reason: 'Ce virement n’est pas à la banque.' }
  await done(operator, `${refused}/decide`, refusal, refused)
  const approved = await propose(binta, money('fund', 1_500_000, 'virement 2026-113'))
  await done(operator, `${approved}/decide`, { verb: 'approve' }, approved)
  return { own, waiting, refused, approved }
}

/** Proposes that a payer's number is forgotten; returns where that led. */
function forget(operator: SignedIn): Promise<string> {
  const fields = { number: '770000002', country: 'SN', reason: 'courrier du 3 mai' }
  const page = `${ops}/retention/number?${new URLSearchParams(fields).toString()}`
  return done(operator, `${ops}/retention/forget`, fields, page)
}

async function closeThings(operator: SignedIn): Promise<void> {
  const pause = `${ops}/providers/WALLETF_CM/pause`
  await done(operator, pause, { reason: 'Incident chez le prestataire, ticket 4711' })
  const closed = { scope: 'WALLETD_SN', notice: 'Retour prévu à 14 h.', reason: 'mise à jour' }
  await done(operator, `${ops}/maintenance`, { ...closed, until: '2030-01-01T14:00' })
  const limit = {
    client: 'Boutique Démo',
    scope: 'WALLETA_SN_CASHIN',
    amountMax: '5000000',
    countMax: '',
  }
  await done(operator, `${ops}/limits`, { ...limit, attemptsMax: '' })
  const tries = { client: 'Boutique Démo', scope: 'NUMBERS', amountMax: '', countMax: '' }
  await done(operator, `${ops}/limits`, { ...tries, attemptsMax: '5' })
  const block = { number: '771110000', country: 'SN', reason: 'fraude signalée', expiresAt: '' }
  await done(operator, `${ops}/limits/blocks`, block)
  const float = { provider: 'WALLETA_SN', warnBelow: '999999999', alarmBelow: '1000' }
  await done(operator, `${ops}/float`, float, `${ops}/float?provider=WALLETA_SN`)
}

/** An imported statement with differences, a file that waits to be imported, and a mapping. */
async function makeStatements({ db }: Sandbox, operator: SignedIn) {
  const paid = await db<{ id: string }>`
    select id from transactions where service_code = 'WALLETA_SN_CASHOUT' and status = 'SUCCESS'
    order by id desc limit 6`
  const [one, two, ...others] = await Promise.all(paid.map(({ id }) => lineOf(db, id)))
  assert.ok(one !== undefined && two !== undefined)
  const stranger = { ...one, reference: 'P-88-4711', our_reference: '', number: '770001122' }
  const lines = [{ ...one, amount: one.amount + 100 }, { ...two, status: 'failed' }, stranger]
  const provider = 'WALLETA_SN'
  const file = csvOf([...lines, ...others])
  const name = 'wallet-a-novembre.csv'
  const statement = await imported(operator, { file, provider, name }, 'ops')
  const waiting = { file: csvOf(others), provider, name: 'wallet-a-16-novembre.csv' }
  const { location: kept } = await upload(operator, waiting)
  return { statement, kept, mapping: `${ops}/recon/mappings/${provider}` }
}

/** So that it waits for a person: asking has not ended it for three hours. */
async function dateBack({ db }: Sandbox, id: string): Promise<void> {
  await db`
    update transactions set created_at = created_at - interval '3 hours' where id = ${id}`
}

async function makeNewcomer({ db, url }: Sandbox, operator: SignedIn): Promise<SignedIn> {
  const fields = { name: 'Nouvelle Boutique', email: '', language: 'fr', callbackUrl: '' }
  const created = { ...fields, tier: 'standard', ratePerMinute: '' }
  const path = await done(operator, `${ops}/clients/new`, created)
  const clientId = Number(path.split('/').at(-1))
  assert.ok(clientId > 0, path)
  const email = 'nouvelle@boutique.example'
  await addPerson({ db }, { clientId, role: 'owner', email, language: 'fr' })
  await db`update people set name = 'Awa Nouvelle' where email = ${email}`
  return signIn(url, email)
}
