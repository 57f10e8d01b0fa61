import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testDatabase } from '#test/database.ts'
import { transitions } from './transitions.ts'

const steps = transitions([
  ['(new)', 'drawn', 'draft'],
  ['draft', 'sent', 'sent'],
  ['draft', 'dropped', 'dropped'],
  ['sent', 'dropped', 'dropped'],
  ['dropped', 'drawn_again', 'draft'],
])

describe('a table of transitions', () => {
  it('knows its states, what follows one, and before what a trigger is possible', () => {
    assert.deepEqual(steps.states, ['draft', 'sent', 'dropped'])
    assert.equal(steps.next('draft', 'sent'), 'sent')
    assert.equal(steps.next('dropped', 'sent'), undefined)
    assert.deepEqual(steps.before('dropped'), ['draft', 'sent'])
  })
  // @ts-expect-error nothing that there is becomes new
  it('has no trigger for what is new', () => assert.deepEqual(steps.before('drawn'), []))
})

describe('its SQL', async () => {
  const owner = (await testDatabase()).connect({ asOwner: true })
  const make = (state: string) =>
    owner`create table if not exists sheets (id integer, state text not null)`
      .then(() => owner`grant all on sheets to public`)
      .then(() => owner`delete from sheets`)
      .then(() => owner`insert into sheets values (1, ${state})`)
  const stateNow = async () => (await owner<{ state: string }>`select state from sheets`)[0]?.state

  it('makes a step that the table has', async () => {
    await make('sent')
    await owner`update sheets s set ${steps.set('dropped', 's')}`
    assert.equal(await stateNow(), 'dropped')
  })

  it('fails for any other', async () => {
    await make('dropped')
    await assert.rejects(owner`update sheets s set ${steps.set('sent', 's')}`, /not-null/)
    await owner`update sheets s set ${steps.set('sent', 's')} where ${steps.can('sent', 's')}`
    assert.equal(await stateNow(), 'dropped')
  })

  it('takes the state of another row, by one of the triggers that are named', async () => {
    const leaving = ['sent' as const, 'dropped' as const]
    const update = (to: string) => owner`
      update sheets s set ${steps.setAs('s', 'n', leaving)}
      from (select ${to}::text as state) n where ${steps.canBe('s', 'n', leaving)}`
    await make('draft')
    for (const [to, then] of [
      ['draft', 'draft'],
      ['dropped', 'dropped'],
      ['sent', 'dropped'],
      ['draft', 'dropped'],
    ] as const) {
      await update(to)
      assert.equal(await stateNow(), then)
    }
  })
})
