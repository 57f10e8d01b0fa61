import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './schema.ts'

/** Builds the same schema with either; every builder, with and without options. */
function build({ String, Integer, Object: object, ...t }: Pick<typeof TypeBox, keyof typeof Type>) {
  const person = object(
    {
      name: String({ minLength: 1, description: 'its name' }),
      age: t.Optional(Integer({ minimum: 0 })),
      tags: t.Optional(t.Array(t.Enum(['a', 'b']), { maxItems: 2 })),
      size: t.Union([t.Number(), t.Null()], { title: 'Size' }),
    },
    { additionalProperties: false, title: 'Person' },
  )
  return {
    person,
    partial: t.Partial(person),
    madeOfIt: object({ ...person.properties, isNew: t.Boolean({ default: true }) }),
    optionalOnce: object({ both: object({ age: person.properties.age }) }),
    empty: object({}),
    allOptional: object({ note: t.Optional(t.Unknown()) }, { title: 'Note' }),
    list: t.Array(object({ id: t.Literal('x'), isOld: t.Literal(false, { title: 'Old' }) })),
    table: t.Record(String(), t.Unknown({ description: 'anything' }), { title: 'Table' }),
    unsafe: t.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
    number: t.Literal(3),
    nothing: t.Null({ description: 'none' }),
  }
}

describe('schemas', () => {
  it('are those that TypeBox makes, to the order of their keys', () => {
    const [ours, theirs] = [build(Type), build(TypeBox)]
    for (const name of Object.keys(theirs) as (keyof typeof theirs)[])
      assert.equal(JSON.stringify(ours[name]), JSON.stringify(theirs[name]), name)
  })
})
