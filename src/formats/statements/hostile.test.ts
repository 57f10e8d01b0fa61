import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { assertGivesTurns } from '#test/longest-work.ts'
import { sized } from '#test/size.ts'
import { statementOf } from '#test/statements.ts'
import { bytesOf, textTable } from '#test/tables.ts'
import { previewStatementApart, readStatementApart } from './apart.ts'
import { mappingProblems } from './check-mapping.ts'
import type { Mapping } from './mapping.ts'
import { previewStatement } from './preview.ts'
import { readStatement } from './read-statement.ts'

const titles = 'moment;reference;our_reference;kind;number;amount;fee;status'
const row = '2026-11-16T10:30:00Z;R1;0198;collect;771234567;1000;10;succeeded'
const camtStart =
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>'
const camtEntry =
  '<Ntry><Amt Ccy="XOF">1000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt>' +
  '<Dt>2026-11-16</Dt></BookgDt><AcctSvcrRef>M1</AcctSvcrRef></Ntry>'
const camt = `${camtStart}${camtEntry.repeat(3)}</Stmt></BkToCstmrStmt></Document>`
const csv = `${titles}\n${`${row}\n`.repeat(3)}`
const table = textTable(titles.split(';'), [row.split(';'), row.split(';')])

const seed = 20_261_117
const numRuns = sized(150, 600, 3000)

/** A file of the same kind that was changed, cut, or has something put in, at any place. */
function damaged(file: Buffer) {
  const place = fc.nat({ max: file.length - 1 })
  const bytes = fc.uint8Array({ maxLength: 20 }).map((all) => Buffer.from(all))
  return fc
    .tuple(place, place, bytes, fc.constantFrom('cut', 'put', 'replace'))
    .map(([one, other, put, how]) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)]
      if (how === 'cut') return Buffer.concat([file.subarray(0, start), file.subarray(end)])
      const rest = how === 'put' ? start : start + put.length
      return Buffer.concat([file.subarray(0, start), put, file.subarray(rest)])
    })
}

describe('a hostile file', () => {
  it('is read or refused in sentences, whatever was done to it, and leaves no file', async () => {
    const isOurs = (name: string) => name.startsWith('table-')
    const before = readdirSync(tmpdir()).filter(isOurs)
    const workbook = await bytesOf(writeXlsx(table))
    const noise = fc.uint8Array({ maxLength: 500 }).map((all) => Buffer.from(all))
    const files = [damaged(Buffer.from(csv)), damaged(Buffer.from(camt)), damaged(workbook), noise]
    await fc.assert(
      fc.asyncProperty(fc.oneof(...files), fc.integer({ min: 1, max: 700 }), async (file, size) => {
        const { items, problems, lines, skipped } = await statementOf(file, undefined, {
          chunkBytes: size,
        })
        assert.ok(items.length > 0 || file.length > 0)
        assert.ok([...problems, ...skipped].every((text) => !/\{\w+\}|undefined|NaN/.test(text)))
        for (const line of lines) {
          assert.ok(Number.isSafeInteger(line.amount) && line.amount > 0)
          assert.ok(Number.isSafeInteger(line.fee) && line.fee >= 0)
          assert.ok(!Number.isNaN(line.at.getTime()))
        }
        await previewStatement(chunks(file), undefined)
      }),
      { seed, numRuns },
    )
    assert.deepEqual(readdirSync(tmpdir()).filter(isOurs), before)
  })

  it('loses no row in silence: each is a line, a problem or left out by a rule', async () => {
    const cell = fc.oneof(
      fc.constantFrom(...row.split(';'), 'TOTAL', '', '-5', '1.5', 'x;y', 'failed', '1e5'),
      fc.string({ maxLength: 8 }),
    )
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 9 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const filled = all.map((cells) => cells.map((one) => one.replaceAll(/["\r\n\0]/g, '')))
        const kept = filled.filter((cells) => cells.join('').replaceAll(';', '').trim() !== '')
        const text = [titles, ...kept.map((cells) => cells.join(';'))].join('\n')
        const { items } = await statementOf(text)
        const known = new Set(
          items.map((item) => {
            if (item.kind === 'line') return item.line.line
            return item.kind === 'balance' ? 0 : item.line
          }),
        )
        for (let line = 2; line < kept.length + 2; line += 1)
          assert.ok(known.has(line), `line ${line} of ${text}`)
      }),
      { seed, numRuns },
    )
  })

  const block = Buffer.alloc(65_536, 'x')
  // name, the beginning, what follows without an end, problem
  const endless: [string, string, Buffer, RegExp][] = [
    ['a cell', `${titles}\n`, block, /Line 2, column A: the cell has more than 2000/],
    ['a quoted cell', `${titles}\n"`, Buffer.alloc(65_536, '\n'), /the cell has more than 2000/],
    ['a row', `${titles}\n`, Buffer.alloc(65_536, ';'), /Line 2 has more than 200 columns/],
    ['lines without titles', 'a;b\n', Buffer.from('a;b\n'.repeat(9999)), /are not known/],
    ['a text', camtStart, block, /a text is longer than|more than 2000/],
    ['a text that is kept', `${camtStart}<Id>`, block, /a text is longer than|more than 2000/],
    ['a comment', `${camtStart}<!--`, block, /a text is longer than/],
    ['an instruction', `${camtStart}<?a `, block, /a text is longer than/],
    ['an attribute', `${camtStart}<Ntry a="`, block, /a text is longer than/],
    ['the name of an element', `${camtStart}<x`, block, /a text is longer than/],
    ['attributes', `${camtStart}<x `, Buffer.from('a="" '.repeat(9999)), /duplicate|attributes/],
    ['CDATA', `${camtStart}<Id><![CDATA[`, block, /a text is longer than/],
  ]
  for (const [name, start, more, problem] of endless)
    it(`may have ${name} without an end, and is refused after some megabytes`, async () => {
      let blocks = 0
      async function* file() {
        yield Buffer.from(start)
        for (; blocks < 2000; blocks += 1) yield more
      }
      const problems: string[] = []
      for await (const item of readStatement(file(), undefined))
        if (item.kind === 'problem') problems.push(JSON.stringify(item.reason))
      assert.equal(problems.length, 1)
      const { text, values } = JSON.parse(problems[0] ?? '')
      const filled = text.replaceAll(/\{(\w+)\}/g, (_: string, key: string) => values[key])
      assert.match(filled, problem)
      assert.ok(blocks < 40, `${blocks} blocks`)
    })

  it('is no mapping, whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (content) => {
        assert.ok(mappingProblems(content).length > 0)
      }),
      { seed, numRuns },
    )
  })

  it('is read by any mapping that is sound, in any words', async () => {
    const word = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text.trim() !== '')
    const columns = fc.record({ at: word, reference: word, amount: word, kind: word })
    const mappings = fc.record({
      version: fc.constant(1 as const),
      columns,
      dates: fc.constantFrom('iso', 'dd/MM/yyyy', 'excel').map((format) => [format]),
      kinds: fc.dictionary(word, fc.constantFrom('collect' as const, 'reverse-' as const)),
      skip: fc.array(fc.record({ begins: fc.array(word, { minLength: 1 }) }), { maxLength: 2 }),
      balances: fc.record({ opening: word }),
    })
    await fc.assert(
      fc.asyncProperty(mappings, fc.string({ maxLength: 80 }), async (mapping: Mapping, text) => {
        const head = Object.values(mapping.columns).join(';')
        await statementOf(`${head}\n${text}`, mapping)
      }),
      { seed, numRuns },
    )
  })
})

async function* chunks(file: Buffer): AsyncGenerator<Buffer> {
  yield file
}

describe('a long statement', () => {
  async function* file() {
    yield Buffer.from(`${titles}\n${`${row}\n`.repeat(20_000)}`)
  }
  const read = async () => {
    let lines = 0
    for await (const { kind } of readStatementApart(file(), undefined, {}))
      if (kind === 'line') lines += 1
    assert.equal(lines, 20_000)
  }
  const works: [string, () => Promise<unknown>][] = [
    ['it is read', read],
    ['its beginning is shown', () => previewStatementApart(file(), undefined, 20, {})],
  ]
  for (const [what, work] of works)
    it(`lets everything else go on while ${what}`, () => assertGivesTurns(work))
})
