import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after } from '#base/kit/clock.ts'
import type { OperatorRole } from '#merchants/people/rights.ts'
import { type Approver, countPaired } from '#merchants/people/team/approver.ts'
import { readOperators } from '#merchants/people/team/operator-store.ts'
import { addPerson } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import type { Order } from './approval.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '1000' } })
const { db, connect, approvals, people, newMerchant } = gateway
const owner = connect({ asOwner: true })
const other = (await gateway.newProcess()).approvals
let count = 0

/** An operator who may approve: since so many days, given that right by somebody. */
async function newOperator(
  since: number | null = null,
  by: string | null = null,
  operatorRole: OperatorRole = 'operator',
  invitedBy: string[] = [],
): Promise<string> {
  count += 1
  const email = `operator-${count}@ops.example`
  await addPerson(gateway, { email, operatorRole })
  const hours = since === null ? null : Math.round(24 * since)
  await owner`
    update people set approver_by = ${by}, invited_by = ${invitedBy},
      approver_since = now() - make_interval(hours => ${hours})
    where email = ${email}`
  return email
}

const as = (person: string) => ({ person, actor: person })

const fund = (clientId: number, amount: number): Order => {
  count += 1
  return { kind: 'fund', clientId, amount, ref: `bank ${count}` }
}

const grant = (by: string, email: string, role: OperatorRole): Order => ({
  kind: 'grant',
  clientId: null,
  email,
  role,
  by,
  name: 'Person',
  language: 'en',
})

async function proposed(order: Order, person: string): Promise<string> {
  const requested = await approvals.request(order, as(person))
  assert.equal(requested.kind, 'proposed')
  return requested.kind === 'proposed' ? requested.approval.id : ''
}

const roleOf = async (email: string) => {
  const [row] = await db<{ role: string | null }>`
    select operator_role as role from people where email = ${email}`
  return row?.role
}

describe('who approves', () => {
  const awa = newOperator()
  const cases: [string, () => Promise<[proposer: string, approver: string]>, RegExp | null][] = [
    ['may, made by the command line', async () => [await awa, await newOperator()], null],
    [
      'may, invited by a third person long ago',
      async () => [await awa, await newOperator(4, 'x@ops.example')],
      null,
    ],
    [
      'may not when the proposer invited them, whatever the case of the address',
      async () => [await awa, await newOperator(400, (await awa).toUpperCase())],
      /invited or promoted the other/,
    ],
    [
      'may not when they invited the proposer',
      async () => [await newOperator(400, await awa), await awa],
      /invited or promoted the other/,
    ],
    [
      'may not when the proposer has ever invited them, to anything',
      async () => [
        await awa,
        await newOperator(400, 'x@ops.example', 'operator', ['y@ops.example', await awa]),
      ],
      /invited or promoted the other/,
    ],
    [
      'may not when they have ever invited the proposer',
      async () => [
        await newOperator(null, null, 'operator', [(await awa).toUpperCase()]),
        await awa,
      ],
      /invited or promoted the other/,
    ],
    [
      'may not in the first days',
      async () => [await awa, await newOperator(2.9, 'x@ops.example')],
      /You may approve 3 days after/,
    ],
    [
      'may not without the right',
      async () => [await awa, await newOperator(null, null, 'auditor')],
      /Only an operator who may approve/,
    ],
    [
      'may not when nobody knows them',
      async () => [await awa, 'x@ops.example'],
      /Only an operator/,
    ],
  ]
  for (const [name, pair, refused] of cases)
    it(name, async () => {
      const [proposer, approver] = await pair()
      const { clientId } = await newMerchant(0)
      const id = await proposed(fund(clientId, 50_000_000), proposer)
      const approving = approvals.approve({ id, person: approver })
      if (refused === null) await approving
      else await assert.rejects(approving, refused)
      assert.equal((await approvals.get(id)).state, refused === null ? 'approved' : 'open')
      await assertMoney(gateway)
    })
})

describe('a right to approve', () => {
  it('is not given by one person alone', async () => {
    const awa = await newOperator()
    const inviter = { name: 'Awa', language: 'en' as const }
    const by = { actor: awa, actorRole: 'operator', inviter } as const
    const invitation = { ...by, clientId: null, email: 'second@ops.example' }
    const alone = /The right to approve must be proposed first/
    for (const role of ['operator', 'finance-operator'] as const)
      await assert.rejects(async () => {
        await people.invitations.send({ ...invitation, role })
      }, alone)
    const auditor = await newOperator(null, null, 'auditor')
    const finance = await newOperator(null, null, 'finance-operator')
    for (const email of [auditor, finance]) {
      const [one] = await db<{ id: string }>`select id from people where email = ${email}`
      const order = { personId: one?.id ?? '', role: 'operator' as const, actor: awa }
      await assert.rejects(people.operators.setRole(order), alone)
    }
    assert.deepEqual(
      [await roleOf(auditor), await roleOf(finance)],
      ['auditor', 'finance-operator'],
    )
  })

  it('comes from the command line for two people only', async () => {
    await Promise.all([newOperator(), newOperator()])
    const person = {
      email: 'third@ops.example',
      name: 'T',
      language: 'en',
      password: null,
    } as const
    const rest = { needsSecondPerson: true, membership: null, actor: 'cli:ops' } as const
    const add = (operatorRole: OperatorRole) =>
      people.users.add({ ...person, ...rest, operatorRole })
    await assert.rejects(add('operator'), /Two people may approve already/)
    await add('auditor')
    await assert.rejects(add('operator'), /Two people may approve already/)
    assert.equal(await roleOf(person.email), 'auditor')
    // Those of whom no two can decide would wait for ever.
    const [keeper] = await Promise.all([newOperator(), newOperator()])
    await owner`
      update people set invited_by = ${[keeper]} where operator_role is not null`
    await owner`update people set invited_by = '{}' where email = ${keeper}`
    await owner`
      update people set operator_role = 'auditor'
      where operator_role is not null and email not in (${keeper}, ${person.email})`
    await add('operator')
    assert.equal(await roleOf(person.email), 'operator')
  })

  it('is given by two, and both of the proposer’s addresses together are still one', async () => {
    const [awa, binta] = [await newOperator(), await newOperator()]
    const second = await newOperator(null, null, 'auditor')
    const id = await proposed(grant(awa, second, 'finance-operator'), awa)
    assert.equal(await roleOf(second), 'auditor')
    await assert.rejects(approvals.approve({ id, person: awa }), /Another person must approve/)
    await approvals.approve({ id, person: binta })
    assert.equal(await roleOf(second), 'finance-operator')
    const { clientId } = await newMerchant(0)
    const waiting = await proposed(fund(clientId, 50_000_000), awa)
    await assert.rejects(approvals.approve({ id: waiting, person: second }), /invited or promoted/)
    const of = await proposed(fund(clientId, 50_000_000), binta)
    await assert.rejects(approvals.approve({ id: of, person: second }), /3 days after/)
  })

  it('raised by another person leaves whoever invited them one with them', async () => {
    const [awa, binta] = [await newOperator(), await newOperator()]
    const email = 'second-of-awa@ops.example'
    const inviter = { name: 'Awa', language: 'en' as const }
    const by = { actor: awa, actorRole: 'operator', inviter } as const
    const invitation = { clientId: null, email, role: 'auditor', ...by } as const
    const url = await people.invitations.send(invitation)
    const code = url.split('/').at(-1) ?? ''
    const order = { code, name: 'S', password: 'long enough 42', language: 'en' as const }
    await people.invitations.acceptAsNew(order)
    const raise = await proposed(grant(binta, email, 'operator'), binta)
    await approvals.approve({ id: raise, person: awa })
    await owner`
      update people set approver_since = approver_since - interval '4 days' where email = ${email}`
    const { clientId } = await newMerchant(0)
    for (const [proposer, approver] of [
      [awa, email],
      [email, awa],
      [binta, email],
    ] as const) {
      const id = await proposed(fund(clientId, 50_000_000), proposer)
      await assert.rejects(approvals.approve({ id, person: approver }), /invited or promoted/)
    }
    await assertMoney(gateway)
  })

  it('is given to a stranger by an invitation, and counts from its acceptance', async () => {
    const [awa, binta] = [await newOperator(), await newOperator()]
    const email = 'stranger@ops.example'
    const { done } = await approvals.approve({
      id: await proposed(grant(awa, email, 'operator'), awa),
      person: binta,
    })
    assert.ok(done.kind === 'grant' && done.url !== null)
    const code = done.url.split('/').at(-1) ?? ''
    const order = { code, name: 'S', password: 'long enough 42', language: 'en' as const }
    await people.invitations.acceptAsNew(order)
    const [row] = await db<{ by: string; isNew: boolean }>`
      select approver_by as by, approver_since > now() - interval '1 hour' as "isNew"
      from people where email = ${email}`
    assert.deepEqual(row, { by: awa, isNew: true })
  })
})

describe('people of whom two could decide', () => {
  const now = new Date('2026-11-16T03:00:00Z')
  const one = (email: string, givenBy: string[] = [], days: number | null = null): Approver => ({
    email,
    role: 'finance-operator',
    since: days === null ? null : after(now, -days * 86_400_000),
    givenBy,
  })
  const cases: [string, Approver[], number][] = [
    ['nobody', [], 0],
    ['one', [one('a')], 0],
    ['two of the command line', [one('a'), one('b')], 2],
    ['two, one of whom has let the other in', [one('a'), one('c', ['A'], 9)], 0],
    ['a third who was let in by one of them', [one('a'), one('b'), one('c', ['a'], 9)], 3],
    ['one whose right is too new', [one('a'), one('b', ['x'], 2)], 0],
    ['one whose right is old enough', [one('a'), one('b', ['x'], 3)], 2],
    ['an auditor', [one('a'), { ...one('b'), role: 'auditor' }], 0],
  ]
  for (const [name, all, expected] of cases)
    it(name, () => assert.equal(countPaired(all, 3, now), expected))

  it('are read as they are stored', async () => {
    const by = ['x@ops.example', 'y@ops.example']
    const [giver = '', inviter = ''] = by
    const email = await newOperator(0, giver, 'operator', [inviter])
    const found = (await readOperators(db)).find((person) => person.email === email)
    assert.deepEqual([found?.givenBy, found?.role], [by, 'operator'])
  })
})

describe('orders of a day are summed', () => {
  it('by person, over their clients, and by client, over people', async () => {
    const [awa, binta] = [await newOperator(), await newOperator()]
    const [one, two] = [await newMerchant(0), await newMerchant(0)]
    const kindOf = async (person: string, clientId: number, amount: number) =>
      (await approvals.request(fund(clientId, amount), as(person))).kind
    const orders: [string, number, number, string][] = [
      [awa, one.clientId, 600, 'done'],
      [awa, two.clientId, 401, 'proposed'],
      [awa.toUpperCase(), two.clientId, 401, 'proposed'],
      [awa, two.clientId, 400, 'done'],
      [awa, two.clientId, 1, 'proposed'],
      [binta, one.clientId, 401, 'proposed'],
      [binta, one.clientId, 400, 'done'],
      [binta, two.clientId, 600, 'done'],
    ]
    for (const [index, [person, clientId, amount, expected]] of orders.entries())
      assert.equal(await kindOf(person, clientId, amount), expected, `order ${index}`)
    const demand = { person: awa, order: fund(one.clientId, 1), amount: 1 }
    assert.equal(await approvals.needsSecondPerson(demand), true)
    await owner`
      alter table approvals disable trigger user`
    await owner`update approvals set proposed_at = proposed_at - interval '25 hours'`
    await owner`alter table approvals enable trigger user`
    assert.equal(await approvals.needsSecondPerson(demand), false)
    await assertMoney(gateway)
  })

  it('also when they come at the same moment', async () => {
    const awa = await newOperator()
    const clients = await Promise.all(Array.from({ length: 6 }, () => newMerchant(0)))
    const kinds = await Promise.all(
      clients.map(async ({ clientId }, index) => {
        const from = index % 2 === 0 ? approvals : other
        return (await from.request(fund(clientId, 400), as(awa))).kind
      }),
    )
    assert.equal(kinds.filter((kind) => kind === 'done').length, 2)
    await assertMoney(gateway)
  })
})
