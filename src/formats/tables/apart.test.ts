import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { assertGivesTurns } from '#test/longest-work.ts'
import { workbook } from '#test/tables.ts'
import { eventually } from '#test/wait.ts'
import type { OutputTable } from './output.ts'
import { readTableApart } from './read-table.ts'
import { TableProblem } from './table.ts'
import { openTurns } from './turns.ts'
import { writeCsv } from './write-csv.ts'
import { writePdf } from './write-pdf.ts'
import { writeXlsx } from './write-xlsx.ts'

const limits = {
  bytesMax: 10_000_000,
  unpackedBytesMax: 50_000_000,
  rowsMax: 200_000,
  columnsMax: 20,
  cellLengthMax: 100,
}

async function* chunks(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 1_000_000)
    yield Buffer.from(text.slice(at, at + 1_000_000))
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

const threads = () => process.getActiveResourcesInfo().filter((one) => one === 'MessagePort').length

describe('a file that is read apart', async () => {
  it('gives the same rows', async () => {
    const rows = await collect(readTableApart(chunks('a;b\n1;"x\ny"\n\n2;é'), limits, 'A'))
    assert.deepEqual(rows, [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', 'x\ny'] },
      { line: 5, cells: ['2', 'é'] },
    ])
  })

  const files: [what: string, bytes: Buffer][] = [
    ['empty rows', Buffer.from(';\n'.repeat(190_000))],
    ['rows', Buffer.from('a;1\n'.repeat(150_000))],
    ['a workbook of empty rows', await workbook('<row/>'.repeat(150_000))],
  ]
  for (const [what, bytes] of files)
    it(`lets everything else go on: ${what}`, () =>
      assertGivesTurns(() => collect(readTableApart(Readable.from([bytes]), limits, 'A'))))

  it('is refused with the same words', async () => {
    await assert.rejects(collect(readTableApart(chunks('a;"b'), limits, 'A')), (problem) => {
      assert.ok(problem instanceof TableProblem)
      assert.equal(problem.text, 'Line {line}: a quote is opened and never closed')
      assert.deepEqual(problem.values, { line: 1 })
      return true
    })
  })

  it('is given up when its reader stops, or its sender leaves', async () => {
    const before = threads()
    for await (const row of readTableApart(chunks('a\n'.repeat(10_000)), limits, 'A'))
      if (row.line > 10) break
    const sender = new PassThrough().on('error', () => {})
    const reading = collect(readTableApart(sender, limits, 'A'))
    sender.write('a;b\n'.repeat(10))
    sender.destroy(new Error('gone'))
    await assert.rejects(reading, /gone/)
    await eventually('their threads have ended', () => threads() <= before)
  })
})

describe('turns for files', () => {
  it('are one at a time for an owner, a few in all, in order', async () => {
    const inTurn = openTurns({ runningMax: 2, waitingMax: 9, ownMax: 9 })
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const read = (owner: string, name: string) =>
      collect(
        inTurn(owner, async function* () {
          begun.push(name)
          await new Promise<void>((resolve) => ends.set(name, resolve))
          yield name
        }),
      )
    const all = ['A1', 'A2', 'B1', 'C1'].map((name) => read(name.charAt(0), name))
    const after = async (end: string, expected: string[]) => {
      ends.get(end)?.()
      await eventually(`after ${end}`, () => begun.length === expected.length)
      assert.deepEqual(begun, expected)
    }
    await after('', ['A1', 'B1'])
    await after('B1', ['A1', 'B1', 'C1'])
    await after('A1', ['A1', 'B1', 'C1', 'A2'])
    ends.get('C1')?.()
    ends.get('A2')?.()
    assert.deepEqual((await Promise.all(all)).flat(), ['A1', 'A2', 'B1', 'C1'])
  })

  it('are refused to whoever would wait behind too many', async () => {
    const inTurn = openTurns({ runningMax: 1, waitingMax: 3, ownMax: 1 })
    const end = Promise.withResolvers<void>()
    const read = (owner: string) =>
      collect(
        inTurn(owner, async function* () {
          await end.promise
          yield owner
        }),
      )
    const taken = ['A', 'A', 'B', 'C'].map(read)
    await assert.rejects(read('A'), TableProblem)
    await assert.rejects(read('D'), TableProblem)
    end.resolve()
    assert.deepEqual((await Promise.all(taken)).flat(), ['A', 'A', 'B', 'C'])
    assert.deepEqual(await read('D'), ['D'])
  })
})

describe('a file that is written from memory', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`order ${index}`, index, new Date(0)])
  const table: OutputTable = {
    title: 'Movements',
    columns: [
      { title: 'Order', kind: 'text', width: 20 },
      { title: 'Amount', kind: 'money', width: 10 },
      { title: 'When', kind: 'moment', width: 20 },
    ],
    rows,
  }
  const writers = [
    ['csv', () => writeCsv(table)],
    ['xlsx', () => writeXlsx(table)],
    ['pdf', () => writePdf({ ...table, subtitles: [], summary: [], language: 'fr' })],
  ] as const
  for (const [form, write] of writers)
    it(`lets everything else go on: ${form}`, () => assertGivesTurns(() => collect(write())))
})
