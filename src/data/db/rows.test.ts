import assert from 'node:assert/strict'
import { beforeEach, describe, it, test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { testDatabase } from '#test/database.ts'
import { fragment, identifier, json, type Tx } from './db.ts'
import { rowsOf, type Shape } from './rows.ts'

type Type = Shape[string]

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
await owner`create table scratch (number integer)`
await owner`grant all on scratch to passerelle_app`

beforeEach(() => owner`truncate scratch`)

/** Sends values as one column and reads them back from the server. */
async function carry(type: Type, values: unknown[]): Promise<unknown[]> {
  const rows = rowsOf({ value: type })(values.map((value) => ({ value })))
  const got = await db<{ value: unknown }>`select value from ${rows} as r`
  return got.map(({ value }) => (value instanceof Buffer ? value.toString('hex') : value))
}

// The shared buffer begins with 64 KiB. These tests come first, while it is still that small.
describe('a column larger than any before it', () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index * 2 ** 20)
  const columns: [Type, unknown[]][] = [
    ['bigint', numbers],
    ['bytea', ['00ff', 'ab'.repeat(300_000), '', '01']],
    ['text', Array.from({ length: 12 }, (_, index) => `${index}€`.repeat(50_000))],
    ['jsonb', [{ first: true }, { long: '🙂'.repeat(1_000_000) }, [1]]],
  ]
  for (const [type, values] of columns)
    it(`is sent whole: ${type}`, async () => {
      assert.deepEqual(await carry(type, values), values)
    })
})

describe('a set of rows', () => {
  const id = '0190f5a2-7c3e-7b1d-9f00-a1b2c3d4e5f6'
  // type, values that come back as they are
  const kept: [Type, unknown[]][] = [
    ['integer', [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]],
    ['smallint', [0, 1, -1, 32_767, -32_768]],
    ['bigint', [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), 2 ** 32 - 1, -(2 ** 32) - 1]],
    ['bigint', [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]],
    ['boolean', [true, false]],
    [
      'text',
      ['', ' ', 'é', '👩‍👩‍👧', `'); drop table scratch; --`, '"', '\\', '\\x00', '$1', '{,}'],
    ],
    ['text', ['NULL', 'null', '\n\t\r', 'x'.repeat(102_400), '\u{10ffff}']],
    ['uuid', [id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']],
    ['jsonb', [{ list: [1, null, `'"\\`, { é: true }], none: {} }, [], 'text', 1.5, false]],
    ['bytea', ['', '00', 'ff00', 'deadbeef']],
  ]
  for (const [type, values] of kept)
    it(`keeps ${type} ${JSON.stringify(values).slice(0, 50)}`, async () => {
      assert.deepEqual(await carry(type, values), values)
    })

  const moments = [
    '2026-01-15T10:00:00.123Z',
    '2000-01-01T00:00:00.000Z',
    '1999-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '1900-02-28T12:34:56.789Z',
    '2280-06-01T00:00:00.001Z',
  ]
  it('keeps timestamptz to the millisecond, before 2000 and before 1970', async () => {
    const dates = moments.map((moment) => new Date(moment))
    assert.deepEqual(await carry('timestamptz', dates), dates)
    // As the server prints them, independent of how `pg` parses dates.
    const rows = rowsOf({ at: 'timestamptz' })(dates.map((at) => ({ at })))
    const read = await db<{ text: string }>`
      select to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US') as text from ${rows} as r`
    assert.deepEqual(
      read.map(({ text }) => text),
      moments.map((moment) => moment.replace('Z', '000')),
    )
  })

  it('accepts upper-case uuids and hexadecimal digits', async () => {
    assert.deepEqual(await carry('uuid', [id.toUpperCase()]), [id])
    assert.deepEqual(await carry('bytea', ['DEADBEEF']), ['deadbeef'])
  })

  const types: Type[] = ['integer', 'smallint', 'bigint', 'boolean', 'text', 'uuid']
  for (const type of [...types, 'timestamptz', 'jsonb', 'bytea'] as Type[])
    it(`sends null and undefined as a null ${type}`, async () => {
      assert.deepEqual(await carry(type, [null, undefined]), [null, null])
    })
})

describe('the number of rows', () => {
  const numbered = rowsOf({ number: 'integer', name: 'text' })

  it('may be none, which is no error', async () => {
    assert.deepEqual(await db`select * from ${numbered([])} as r`, [])
    await db`insert into scratch select number from ${numbered([])} as r`
    assert.deepEqual(await db`select * from scratch`, [])
  })

  it('may be 5,000, which keep their order', async () => {
    const rows = Array.from({ length: 5000 }, (_, number) => ({ number, name: `n${number}` }))
    assert.deepEqual(await db`select * from ${numbered(rows)} as r`, rows)
  })

  it('counts a row without a column, which becomes null', async () => {
    const rows = [{ number: 1 }, { name: 'two' }, {}]
    assert.deepEqual(await db`select * from ${numbered(rows)} as r`, [
      { number: 1, name: null },
      { number: null, name: 'two' },
      { number: null, name: null },
    ])
  })
})

describe('a statement with sets of rows', () => {
  const people = rowsOf({ id: 'integer', name: 'text' })
  const sums = rowsOf({ id: 'integer', isPaid: 'boolean', sum: 'bigint' })
  const names = rowsOf({ name: 'text' })

  it('takes several sets beside other parameters and fragments', async () => {
    const ask = (least: number, column: string, suffix: string) => db`
      select p.id, p.name || ${suffix}::text as name, s.sum + ${1}::bigint as sum, s."isPaid"
      from ${people([1, 2, 3].map((id) => ({ id, name: `p${id}` })))} as p
      join ${sums([1, 2].map((id) => ({ id, isPaid: id === 2, sum: id * 10 })))} as s using (id)
      where ${identifier(column)} >= ${least} ${fragment`and true`}
        and p.name = any(${['p1', 'p2']}::text[])
      order by p.id`
    const first = { id: 1, name: 'p1!', sum: 11, isPaid: false }
    const second = { id: 2, name: 'p2!', sum: 21, isPaid: true }
    assert.deepEqual(await ask(10, 'sum', '!'), [first, second])
    assert.deepEqual(await ask(20, 'sum', '!'), [second])
    assert.deepEqual(await ask(2, 'id', '!'), [second])
  })

  it('takes rows of another shape at each call of the same template', async () => {
    const read = (rows: unknown, least: number) =>
      db`select r.*, ${least}::integer as least from ${rows} as r`
    for (const least of [1, 2]) {
      assert.deepEqual(await read(people([{ id: 1, name: 'a' }]), least), [
        { id: 1, name: 'a', least },
      ])
      assert.deepEqual(await read(names([{ name: 'b' }]), least), [{ name: 'b', least }])
      assert.deepEqual(await read(identifier('scratch'), least), [])
    }
  })

  it('takes a fragment in one place at one call and in another at the next', async () => {
    const add = (one: unknown, other: unknown) =>
      db`select ${one}::integer + 10 * ${other}::integer as sum`
    const five = fragment`5`
    assert.deepEqual(await add(1, 2), [{ sum: 21 }])
    assert.deepEqual(await add(five, 2), [{ sum: 25 }])
    assert.deepEqual(await add(2, five), [{ sum: 52 }])
    assert.deepEqual(await add(five, five), [{ sum: 55 }])
    assert.deepEqual(await add(1, 2), [{ sum: 21 }])
  })

  it('does not mix the rows of concurrent statements', async () => {
    const lists = Array.from({ length: 20 }, (_, list) =>
      Array.from({ length: 50 }, (_, index) => ({ id: list, name: `${list}-${index}` })),
    )
    const got = await Promise.all(lists.map((list) => db`select * from ${people(list)} as r`))
    assert.deepEqual(got, lists)
  })
})

describe('a value of another type', () => {
  const half = '00000000-0000-0000-0000-00000000000'
  const wrong: [Type, unknown][] = [
    ['bigint', 1.5],
    ['bigint', Number.NaN],
    ['bigint', Number.POSITIVE_INFINITY],
    ['bigint', 2 ** 53],
    ['bigint', '1'],
    ['integer', 0.1],
    ['integer', 2 ** 31],
    ['integer', -(2 ** 31) - 1],
    ['integer', '1'],
    ['smallint', 32_768],
    ['smallint', Number.NaN],
    ['boolean', 'false'],
    ['boolean', 0],
    ['text', 1],
    ['text', {}],
    ['text', ['a']],
    ['text', 'a\0b'],
    ['uuid', ''],
    ['uuid', half],
    ['uuid', `${half}00`],
    ['uuid', `${half}g`],
    ['uuid', `${half}é`],
    ['uuid', `${half} `],
    ['uuid', `${half}-`],
    ['uuid', `${'0'.repeat(32)}zzzz`],
    ['uuid', `${'0'.repeat(32)}----`],
    ['uuid', '0'.repeat(36)],
    ['uuid', `-${'0'.repeat(8)}-${'0'.repeat(8)}-${'0'.repeat(8)}-${'0'.repeat(8)}`],
    ['uuid', `00-00-00-00-${'0'.repeat(24)}`],
    ['uuid', '000000000-000-0000-0000-000000000000'],
    ['uuid', '00000000 0000 0000 0000 000000000000'],
    ['uuid', 1],
    ['timestamptz', new Date(Number.NaN)],
    ['timestamptz', '2026-01-15T10:00:00Z'],
    ['timestamptz', new Date('2300-01-01')],
    ['jsonb', () => 1],
    ['jsonb', 1n],
    ['jsonb', '\0'],
    ['bytea', 'abc'],
    ['bytea', 'zz'],
    ['bytea', 'a'],
    ['bytea', '\\x00'],
    ['bytea', 1],
  ]
  for (const [type, value] of wrong)
    it(`throws before anything is written: ${type} ${inspect(value)}`, async () => {
      const rows = rowsOf({ number: 'integer', value: type })
      const good = { number: 1, value: null }
      const insert = (run: typeof db | Tx, list: object[]) =>
        run`insert into scratch select number from ${rows(list)} as r where value is null`
      await assert.rejects(insert(db, [good, { number: 2, value }]))
      const work = db.transaction(async (tx) => {
        await insert(tx, [good])
        await insert(tx, [good, { number: 2, value }])
      })
      await assert.rejects(work)
      assert.deepEqual(await db`select * from scratch`, [])
      // The half-written buffer does not leak into the next statement.
      await insert(db, [good])
      assert.deepEqual(await db`select * from scratch`, [{ number: 1 }])
    })
})

test('any rows come back as they were sent', async () => {
  const shape = {
    integer: 'integer',
    smallint: 'smallint',
    bigint: 'bigint',
    boolean: 'boolean',
    text: 'text',
    uuid: 'uuid',
    timestamptz: 'timestamptz',
    jsonb: 'jsonb',
    bytea: 'bytea',
  } as const
  const most = Number.MAX_SAFE_INTEGER
  const values = {
    integer: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    smallint: fc.option(fc.integer({ min: -32_768, max: 32_767 })),
    bigint: fc.option(fc.integer({ min: -most, max: most })),
    boolean: fc.option(fc.boolean()),
    // PostgreSQL stores every character but NUL.
    text: fc.option(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))),
    uuid: fc.option(fc.uuid()),
    timestamptz: fc.option(
      fc.date({ min: new Date('1720'), max: new Date('2280'), noInvalidDate: true }),
    ),
    // Normalised by JSON, which has no -0.
    jsonb: fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.parse(json(value))),
    bytea: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex'))),
  }
  const lists = fc.array(fc.record(values, { noNullPrototype: true }))
  const send = rowsOf(shape)
  await fc.assert(
    fc.asyncProperty(lists, async (rows) => {
      const got = await db`select * from ${send(rows)} as r`
      const read = got.map(({ bytea, ...others }) => ({
        ...others,
        bytea: bytea instanceof Buffer ? bytea.toString('hex') : bytea,
      }))
      assert.deepEqual(read, rows)
    }),
  )
})
