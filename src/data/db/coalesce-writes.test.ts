import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { it } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '#test/database.ts'
import { coalesceWrites } from './coalesce-writes.ts'
import type { Tx } from './db.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
await owner`create table scratch (number integer)`
await owner`grant all on scratch to passerelle_app`

it('writes of one turn of the event loop leave together', async () => {
  const writes: string[][] = []
  const stream = new Writable({
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)))
      done()
    },
  })
  const beforeWrite = coalesceWrites(stream)
  const write = (text: string) => {
    beforeWrite()
    stream.write(text)
  }
  write('a')
  write('b')
  assert.deepEqual(writes, [])
  await new Promise(setImmediate)
  assert.deepEqual(writes, [['a', 'b']])
  write('c')
  await new Promise(setImmediate)
  assert.deepEqual(writes, [['a', 'b'], ['c']])
})

type Step = (tx: Tx) => Promise<{ number: number }[]>

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map(
    (number): Step =>
      (tx) =>
        tx`insert into scratch values (${number}) returning number`,
  ),
  fc.constant<Step>((tx) => tx`update scratch set number = number + 1 returning number`),
  fc.constant<Step>((tx) => tx`select number from scratch order by number`),
  fc.constant<Step>((tx) => tx`delete from scratch where number > 9 returning number`),
)

it('statements sent together give the same as when each is awaited before the next', async () => {
  const run = (together: boolean, steps: Step[]) =>
    db.transaction(async (tx) => {
      await tx`delete from scratch`
      if (together) return sorted(await Promise.all(steps.map((one) => one(tx))))
      const results: { number: number }[][] = []
      for (const one of steps) results.push(await one(tx))
      return sorted(results)
    })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      assert.deepEqual(await run(true, steps), await run(false, steps))
    }),
    { numRuns: 50 },
  )
})

/** Rows of `returning` come in the order in which the table happens to keep them. */
function sorted(results: { number: number }[][]): number[][] {
  return results.map((rows) => rows.map(({ number }) => number).sort((one, other) => one - other))
}
