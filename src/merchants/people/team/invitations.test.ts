import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testPeople } from '#test/people.ts'
import type { AnyRole, Role } from '../rights.ts'

const dayMs = 86_400_000
const { clock, db, people, add, addClient } = await testPeople()
const { invitations, team } = people
const owner = 'owner@shop.example'
const newPerson = { name: 'Moussa', password: 'trois mots faciles', language: 'fr' } as const
const inviter = { name: 'Awa', language: 'fr' } as const
let clients = 0

/** A client with an owner, and how its owner invites. */
async function newTeam() {
  clients += 1
  const clientId = await addClient(`Chez Awa ${clients}`)
  const { person } = await add(owner, { membership: { clientId, role: 'owner' } })
  const send = (email: string, role: Role = 'finance', actorRole: AnyRole = 'owner') =>
    invitations.send({ clientId, role, email, actor: owner, actorRole, inviter })
  const members = async () =>
    (await team.list(clientId)).map(({ email, role }) => [email, role] as const)
  return { clientId, ownerId: person.id, send, members }
}

function codeIn(url: string): string {
  return url.split('/').at(-1) ?? ''
}

describe('an invitation', () => {
  it('adds a new person with the role that was given, once', async () => {
    const { clientId, send, members } = await newTeam()
    const code = codeIn(await send('new@shop.example'))
    assert.equal((await invitations.find(code))?.clientName, `Chez Awa ${clients}`)
    const joined = await invitations.acceptAsNew({ code, ...newPerson })
    assert.equal(joined.clientId, clientId)
    assert.deepEqual(await members(), [
      ['new@shop.example', 'finance'],
      [owner, 'owner'],
    ])
    assert.equal(await invitations.find(code), undefined)
    await assert.rejects(invitations.acceptAsNew({ code, ...newPerson }), /no longer valid/)
    await assert.rejects(send('NEW@shop.example'), /in the team already/)
  })

  it('is over after seven days, when it is withdrawn, or when another is sent', async () => {
    const { clientId, send } = await newTeam()
    const [old, code] = [codeIn(await send('a@shop.example')), codeIn(await send('a@shop.example'))]
    assert.equal(await invitations.find(old), undefined)
    assert.ok(await invitations.find(code))
    const [listed] = await invitations.list(clientId)
    const withdrawal = { clientId, id: listed?.id ?? '', actor: owner, actorRole: 'owner' } as const
    assert.equal(await invitations.withdraw({ ...withdrawal, clientId: clientId + 1 }), false)
    assert.equal(await invitations.withdraw(withdrawal), true)
    assert.equal(await invitations.withdraw(withdrawal), false)
    assert.equal(await invitations.find(code), undefined)
    const last = codeIn(await send('a@shop.example'))
    clock.advance(7 * dayMs)
    assert.equal(await invitations.find(last), undefined)
    assert.deepEqual(await invitations.list(clientId), [])
  })

  it('is for the person of its address alone', async () => {
    const { send, members } = await newTeam()
    const [known, other] = [await add('known@shop.example', {}), await add('else@shop.example', {})]
    const code = codeIn(await send('known@shop.example'))
    const as = (personId: string) => invitations.acceptAs({ code, personId })
    await assert.rejects(as(other.person.id), /no longer valid/)
    await as(known.person.id)
    assert.equal((await members()).length, 2)
  })

  it('makes an owner, and is withdrawn for one, by owners alone', async () => {
    const { clientId, send } = await newTeam()
    await assert.rejects(send('b@shop.example', 'owner', 'admin'), /Only an owner/)
    await send('b@shop.example', 'owner')
    const [listed] = await invitations.list(clientId)
    const withdrawal = { clientId, id: listed?.id ?? '', actor: owner, actorRole: 'admin' } as const
    await assert.rejects(invitations.withdraw(withdrawal), /Only an owner/)
  })

  it('of somebody who is taken out of the team is over', async () => {
    const { clientId, send } = await newTeam()
    const { person } = await add('second@shop.example', { membership: { clientId, role: 'owner' } })
    const by = { actor: person.email, actorRole: 'owner' } as const
    const order = { clientId, role: 'viewer', email: 'c@shop.example', ...by, inviter } as const
    const code = codeIn(await invitations.send(order))
    const kept = codeIn(await send('d@shop.example'))
    await team.remove({ clientId, personId: person.id, actor: owner, actorRole: 'owner' })
    assert.equal(await invitations.find(code), undefined)
    assert.ok(await invitations.find(kept))
  })

  it('goes to one address five times a day from a client', async () => {
    const { send } = await newTeam()
    for (let index = 0; index < 5; index += 1) await send('often@shop.example')
    await assert.rejects(send('Often@shop.example'), /Too many invitations/)
    await send('other@shop.example')
  })

  it('goes to fifty addresses a day from a client, and from another one to more', async () => {
    const { send } = await newTeam()
    for (let index = 0; index < 50; index += 1) await send(`one-of-${index}@shop.example`)
    await assert.rejects(send('one-more@shop.example'), /Too many invitations/)
    const other = await newTeam()
    await other.send('one-more@shop.example')
  })

  it('is refused without an address, and to who may approve at once', async () => {
    const { send } = await newTeam()
    await assert.rejects(send('nobody'), /not an email address/)
    const order = { clientId: null, email: 'op@ops.example', actor: owner, inviter } as const
    const to = (role: 'operator' | 'auditor') =>
      invitations.send({ ...order, role, actorRole: 'operator' })
    await assert.rejects(to('operator'), /must be proposed first/)
    const code = codeIn(await to('auditor'))
    assert.equal((await invitations.acceptAsNew({ code, ...newPerson })).clientId, null)
    assert.deepEqual(
      (await people.operators.list()).map(({ email, role }) => [email, role]),
      [['op@ops.example', 'auditor']],
    )
  })

  it('keeps its link and code out of the audit log', async () => {
    const { send } = await newTeam()
    const code = codeIn(await send('quiet@shop.example'))
    const rows = await db<{ text: string }>`select details::text as text from audit_log`
    assert.deepEqual(
      rows.filter(({ text }) => text?.includes(code)),
      [],
    )
  })
})

describe('a team', () => {
  it('keeps an owner', async () => {
    const { clientId, ownerId } = await newTeam()
    const order = { clientId, personId: ownerId, actor: owner, actorRole: 'owner' } as const
    await assert.rejects(team.remove(order), /at least one owner/)
    await assert.rejects(team.changeRole({ ...order, role: 'viewer' }), /at least one owner/)
    assert.equal(
      await team.isAloneWith({ clientId, action: 'payout.approve' }),
      false,
      'not joined',
    )
  })

  it('loses one owner of two who remove each other at the same moment', async () => {
    const { clientId, ownerId, members } = await newTeam()
    const { person } = await add('twin@shop.example', { membership: { clientId, role: 'owner' } })
    const remove = (personId: string) =>
      team.remove({ clientId, personId, actor: owner, actorRole: 'owner' })
    const results = await Promise.allSettled([remove(ownerId), remove(person.id)])
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await members()).length, 1)
  })
})
