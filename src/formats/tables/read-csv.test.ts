import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bytesOf, limits, rowsOf, textTable } from '#test/tables.ts'
import { CsvParser } from './csv-parser.ts'
import { readTable } from './read-table.ts'
import { writeCsv } from './write-csv.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const long = 'é'.repeat(40_000).replaceAll(/é{100}/g, '$&\n')

describe('reading CSV', () => {
  // name, bytes, cells of each row
  const readable: [string, Buffer | string, string[][]][] = [
    [
      'commas',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'semicolons',
      'a;b\r\n1,5;2\r\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'tabs',
      'a\tb\r1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a named separator', 'sep=|\r\na|b\r\n', [['a', 'b']]],
    ['one column', 'a\n1\n', [['a'], ['1']]],
    ['a UTF-8 mark', '\ufeffnom;prix\n', [['nom', 'prix']]],
    ['UTF-8', 'Aïssatou;Œuvre\n', [['Aïssatou', 'Œuvre']]],
    ['Latin-1', latin1('A\xefssatou;\xe9t\xe9\n'), [['Aïssatou', 'été']]],
    ['Windows', latin1('N\x92Diaye;\x8cuvre;\x80\n'), [['N’Diaye', 'Œuvre', '€']]],
    [
      'Latin-1 that ends in a letter',
      latin1('a;b\nc;\xe9'),
      [
        ['a', 'b'],
        ['c', 'é'],
      ],
    ],
    [
      'UTF-16 with a mark',
      utf16('\ufeffé;b\n1;2\n'),
      [
        ['é', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'UTF-16 without',
      utf16('nom;prix\n1;2\n'),
      [
        ['nom', 'prix'],
        ['1', '2'],
      ],
    ],
    ['UTF-16 big-endian', utf16('\ufeffé;b\n').swap16(), [['é', 'b']]],
    [
      'quotes',
      '"a;b";"c ""d"""\n"e\nf";g\n',
      [
        ['a;b', 'c "d"'],
        ['e\nf', 'g'],
      ],
    ],
    ['a quote inside', '5" pipe;x\n', [['5" pipe', 'x']]],
    [
      'no line break at the end',
      'a;b\n1;',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    [
      'empty lines',
      '\n\na;b\n;\n \n1;2\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a guarded formula', "'=1+1;'x;''-5\n", [['=1+1', "'x", "'-5"]]],
  ]
  for (const [name, bytes, cells] of readable)
    it(`reads ${name}`, async () => {
      for (const chunkBytes of [65_536, 7, 3, 1])
        assert.deepEqual(
          (await rowsOf(bytes, {}, chunkBytes)).map((row) => row.cells),
          cells,
        )
    })

  it('drops empty lines before they are handed on, which would take 8 s for a million', () => {
    const parser = new CsvParser(';', limits, 1)
    assert.deepEqual(parser.take('\n;\n \n'.repeat(100)), [])
    assert.deepEqual(parser.take('a\n'), [{ line: 301, cells: ['a'] }])
  })

  it('counts lines as a text editor does', async () => {
    const rows = await rowsOf('a;b\r\n\r\n"x\r\ny";1\r\nlast;2\r\n')
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 3, 5],
    )
  })

  it('refuses more empty rows than a sheet can have', async () => {
    const bytes = Buffer.from(';\n'.repeat(1_048_577))
    const rows = readTable(Readable.from([bytes]), { ...limits, bytesMax: 3e6 })
    await assert.rejects(rows.next(), /more than 1048576 rows/)
  })

  // name, bytes, problem
  const refused: [string, Buffer | string, RegExp][] = [
    ['nothing', '', /empty/],
    ['a quote that stays open', 'a;b\n1;"x\ny\n', /^Line 2: a quote is opened and never closed/],
    ['text after a quote', 'a;b\n1;"x"y\n', /^Line 2, column B: there is text after/],
    ['a cell too long', `a;b\n1;${'x'.repeat(501)}\n`, /^Line 2, column B: .* 500 characters/],
    ['a quoted cell too long', `a;"${'x'.repeat(70_000)}`, /^Line 1, column B: .* 500 /],
    ['a row too wide', `a;b\n${';'.repeat(20)}\n`, /^Line 2 has more than 20 columns/],
    ['too many rows', 'x\n'.repeat(1001), /more than 1000 rows/],
    ['a file too large', '\n'.repeat(1_000_001), /larger than 1000000 bytes/],
    ['late bad UTF-8', Buffer.concat([Buffer.from(long), latin1('\xe9\n')]), /^Line 401: .*UTF-8/],
    ['bytes that are no text', Buffer.from([97, 59, 0, 0, 98, 10]), /^Line 1: this is not a text/],
    ['half a UTF-16 character', Buffer.from([255, 254, 97, 0, 98]), /UTF-16LE/],
    ['an old Excel file', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), /old Excel file/],
    ['a PDF', '%PDF-1.4', /PDF/],
    ['a web page', '<html>', /web page/],
    ['a gzip', latin1('\x1f\x8b\x08'), /compressed/],
  ]
  for (const [name, bytes, problem] of refused)
    it(`refuses ${name}`, async () => {
      const wide = name.startsWith('late') ? { cellLengthMax: 1e6 } : {}
      const outcome = rowsOf(bytes, wide).then((rows) => JSON.stringify(rows))
      await assert.rejects(outcome, { name: 'TableProblem', message: problem })
    })

  it('gives back what was written, whatever the cells hold', async () => {
    const cell = fc
      .string({ unit: 'binary', maxLength: 12 })
      .map((text) => text.replaceAll('\0', ''))
    const row = fc.tuple(fc.constant('x'), cell, cell)
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (rows) => {
        const file = await bytesOf(writeCsv(textTable(['a', 'b', 'c'], rows)))
        const read = (await rowsOf(file)).slice(1).map((one) => one.cells)
        assert.deepEqual(
          read,
          rows.map((one) => one.map((text) => text.toWellFormed())),
        )
      }),
    )
  })

  it('reads no further than it is asked to, and ends the source', async () => {
    let chunks = 0
    let isEnded = false
    async function* endless() {
      try {
        for (;;) {
          chunks += 1
          yield Buffer.from('a;b\n'.repeat(1000))
        }
      } finally {
        isEnded = true
      }
    }
    const own = { bytesMax: 1e9, rowsMax: 1e9 }
    let rows = 0
    for await (const _ of readTable(endless(), { ...own, ...narrow })) {
      rows += 1
      if (rows === 10_500) break
    }
    assert.equal(chunks, 11)
    assert.ok(isEnded)
  })
})

const narrow = { unpackedBytesMax: 0, columnsMax: 5, cellLengthMax: 5 }
