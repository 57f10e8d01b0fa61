import assert from 'node:assert/strict'
import { pay, payBody, topUpBody } from '../bills.ts'
import { addPerson, postReviewed, type SignedIn, signIn, tokenIn } from '../dashboard.ts'
import { newLink } from '../links.ts'
import { call, initBody, isEnd, script, until } from '../live.ts'
import { eventually } from '../wait.ts'
import type { Sandbox } from './sandbox.ts'

/** What screens of the demo merchant are opened with. */
export type MerchantStates = Awaited<ReturnType<typeof makeMerchantStates>>

/** Makes what the history of the demo merchant lacks: all that is under way, wrong or refused. */
export async function makeMerchantStates(sandbox: Sandbox, owner: SignedIn) {
  const payments = await makePayments(sandbox)
  const finance = await addColleague(sandbox)
  await makeSettings(owner)
  return {
    finance,
    payments,
    links: await makeLinks(sandbox, owner),
    batches: await makeBatches(sandbox, owner, finance),
  }
}

const init = 'POST /api/v1/transaction/init'

async function makePayments(sandbox: Sandbox) {
  const { url, receiverUrl } = sandbox
  const caller = { url, secret: 'sk_sandbox_demo_enterprise' }
  const start = async (change: object) => {
    const body = initBody({ callBackURL: `${receiverUrl}/ok`, ...change })
    const answer = await call(caller, init, { ...body, externalTransactionId: orderId() })
    assert.equal(answer.status, 201, answer.text)
    return String(answer.body.transaction.transactionId)
  }
  const ended = async (change: object) => {
    const id = await start(change)
    await until(caller, id, isEnd)
    return id
  }
  const payout = { serviceCode: 'WALLETA_SN_CASHIN', number: '770000004' }
  await script(sandbox, '779000077', [
    { do: 'delay', ms: 600_000 },
    { do: 'succeed' },
    { do: 'callback' },
  ])
  const paid = await ended({ amount: 25_000 })
  await call(caller, `POST /api/v1/transaction/refund/${paid}`, { amount: 10_000 })
  // Wrong in several ways, for the log of requests.
  await call(caller, init, { amount: 'many', number: '12' })
  const meter = await pay(caller, topUpBody({ reference_client: '200000007' }))
  await pay(caller, payBody({ reference_client: '100000001' }))
  return {
    paid,
    meter: String(meter.body.transaction?.transactionId ?? meter.body.transactionId),
    undelivered: await ended({ callBackURL: `${receiverUrl}/closed` }),
    poor: await ended({ number: '770000001' }),
    refused: await ended({ number: '770000002' }),
    waiting: await start({ number: '770000004', amount: 12_500 }),
    unknown: await start({ ...payout, amount: 40_000 }),
    otherAmount: await start({ number: '770000010', amount: 3000 }),
    contradicted: await ended({ number: '770000008', amount: 8000 }),
    late: await start({ number: '779000077', amount: 6000 }),
  }
}

let orders = 0

function orderId(): string {
  orders += 1
  return `CMD-2026-${String(4100 + orders)}`
}

async function addColleague({ db, url }: Sandbox): Promise<SignedIn> {
  const [row] = await db<{ id: number }>`select id from clients where name = 'Boutique Démo'`
  const clientId = row?.id ?? 0
  const email = 'fatou.ndiaye@boutique.example'
  await addPerson({ db }, { clientId, role: 'finance', email, language: 'fr' })
  const support = { clientId, role: 'support' as const, email: 'ibou@boutique.example' }
  await addPerson({ db }, support)
  await db`update people set name = 'Fatou Ndiaye' where email = ${email}`
  await db`update people set name = 'Ibou Sarr' where email = ${support.email}`
  return signIn(url, email)
}

/** Sends a form that must lead on, where need be after its review. */
export async function done(
  person: SignedIn,
  path: string,
  fields: Record<string, string>,
  from = path,
): Promise<string> {
  const { location, visible } = await postReviewed(person, path, fields, from)
  assert.ok(location !== null, `${path}: ${visible}`)
  return location
}

async function makeSettings(owner: SignedIn): Promise<void> {
  const developers = '/dashboard/developers'
  await done(owner, `${developers}/keys/new`, {
    label: 'caisse',
    scope: 'key',
    rate: '60',
    'right-read': 'yes',
    'right-collect': 'yes',
  })
  await done(owner, `${developers}/webhooks/secret`, { overlap: 'day' }, `${developers}/webhooks`)
  const invited = { email: 'moussa.ba@boutique.example', role: 'developer' }
  await done(owner, '/dashboard/team/invite', invited)
}

async function makeLinks({ url }: Sandbox, owner: SignedIn) {
  const caller = { url, secret: 'sk_sandbox_demo_standard' }
  const item = { ItemName: 'Sac en cuir tressé, grand modèle', ItemPrice: 45_000 }
  const open = await newLink(caller, { ...item, customerName: 'Aïssatou Diop' })
  const expired = await newLink(caller, { ItemName: 'Commande annulée', ItemPrice: 5000 })
  const path = `/dashboard/links/${expired}/expire`
  await done(owner, path, {})
  return { open, expired }
}

const head = 'numero;service;montant;nom\r\n'
const rows = (count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `77123${String(4500 + index)};WALLETA_SN_CASHIN;${25_000 + 500 * index};Employé ${index + 1}`,
  ).join('\r\n')

async function makeBatches({ url }: Sandbox, owner: SignedIn, finance: SignedIn) {
  const upload = async (person: SignedIn, name: string, file: string): Promise<string> => {
    const form = new FormData()
    form.set('token', tokenIn((await person.get('/dashboard/batches')).text))
    form.set('name', name)
    form.set('file', new File([file], 'salaires.csv'))
    const answer = await fetch(`${url}/dashboard/batches`, {
      method: 'POST',
      body: form,
      headers: { cookie: person.cookie },
      redirect: 'manual',
    })
    return answer.headers.get('location') ?? assert.fail(await answer.text())
  }
  const propose = async (person: SignedIn, path: string) => {
    await done(person, `${path}/prepare`, { verb: 'propose' }, path)
    return path
  }
  const faulty = `${head}${rows(2)}\r\n12;NOPE;-5;Trop court\r\n;WALLETA_SN_CASHIN;abc;`
  const draft = await upload(owner, 'Primes', faulty)
  const ready = await upload(owner, 'Fournisseurs', head + rows(3))
  const waiting = await propose(finance, await upload(finance, 'Salaires', head + rows(30)))
  const own = await propose(owner, await upload(owner, 'Avances', head + rows(4)))
  const failing = `${head}${rows(5)}\r\n770000001;WALLETA_SN_CASHIN;9000;Compte fermé`
  const finished = await propose(finance, await upload(finance, 'Octobre', failing))
  await done(owner, `${finished}/decide`, { verb: 'approve' }, finished)
  await eventually('a batch has ended', async () =>
    /Terminé|Finished/.test((await owner.get(finished)).visible),
  )
  return { draft, ready, waiting, own, finished }
}
