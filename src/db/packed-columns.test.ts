import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../test/database.ts'
import { bigintAt, readRepeatedTexts, readTexts, timestampAt } from './packed-columns.ts'

const { db } = await testDatabase()

const runs = { numRuns: 50 }
// PostgreSQL stores no NUL in a text.
const word = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))

it('texts are read as they were sent, whatever they contain', async () => {
  const words = fc.array(fc.oneof(word, fc.constantFrom('', '\n', ',', '\\000')), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(words, async (sent) => {
      const [row] = await db<{ column: Buffer }>`
        select string_agg(textsend(word), '\\x00' order by place) as column
        from unnest(${sent}::text[]) with ordinality as sent (word, place)`
      assert.deepEqual(row && readTexts(row.column), sent)
      assert.deepEqual(row && readRepeatedTexts(row.column), sent)
    }),
    runs,
  )
})

it('repeated texts are read as they were sent, also beyond the number that is interned', () => {
  const terms = Array.from({ length: 1500 }, (_, index) => `term ${index % 1200}`)
  const column = Buffer.from(terms.join('\0'))
  for (const read of [readRepeatedTexts(column), readRepeatedTexts(column)])
    assert.deepEqual(read, terms)
})

it('bigint values are read as they were sent', async () => {
  const edges = [0, 2 ** 31, 2 ** 32].flatMap((edge) => [edge - 1, edge, edge + 1])
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom(...edges, ...edges.map((edge) => -edge - 1)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(number, { minLength: 1 }), async (sent) => {
      const [row] = await db<{ column: Buffer }>`
        select string_agg(int8send(number), '' order by place) as column
        from unnest(${sent}::bigint[]) with ordinality as sent (number, place)`
      assert.deepEqual(row && sent.map((_, index) => bigintAt(row.column, index)), sent)
    }),
    runs,
  )
})

it('timestamps are read to the millisecond', async () => {
  const sent = ['1969-12-31 23:59:59.999', '2000-01-01', '2026-05-19 15:22:33.375999']
  const [row] = await db<{ column: Buffer }>`
    select string_agg(timestamptz_send(moment), '' order by moment) as column
    from unnest(${sent}::timestamptz[]) as moment`
  assert.deepEqual(row && sent.map((_, index) => timestampAt(row.column, index).toISOString()), [
    '1969-12-31T23:59:59.999Z',
    '2000-01-01T00:00:00.000Z',
    '2026-05-19T15:22:33.375Z',
  ])
})
