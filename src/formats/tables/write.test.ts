import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inflateRawSync, inflateSync } from 'node:zlib'
import { bytesOf } from '#test/tables.ts'
import { type OutputTable, openPauses, type Value, wallTime } from './output.ts'
import { writeCsv } from './write-csv.ts'
import { type PrintedTable, writePdf } from './write-pdf.ts'
import { writeXlsx } from './write-xlsx.ts'

const columns: OutputTable['columns'] = [
  { title: 'Nom', kind: 'text', width: 20 },
  { title: 'Montant', kind: 'money', width: 16 },
  { title: 'Le', kind: 'moment', width: 18 },
]
const moment = new Date('2026-11-16T23:30:05Z')

function tableOf(rows: Value[][]): PrintedTable {
  const top = { subtitles: ['Boutique'], summary: [['Solde', '5 F CFA']] as [string, string][] }
  return { title: 'Relevé', columns, rows, timeZone: 'Africa/Douala', language: 'fr', ...top }
}

describe('writing CSV', () => {
  it('has a mark, semicolons and CRLF; negative amounts are numbers', async () => {
    const file = await bytesOf(
      writeCsv(
        tableOf([
          ['a;"b"', -5000, moment],
          ['x', 0, null],
        ]),
      ),
    )
    assert.equal(
      file.toString(),
      '\ufeffNom;Montant;Le\r\n"a;""b""";-5000;2026-11-17 00:30:05\r\nx;0;\r\n',
    )
  })

  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', "'=1"]
  for (const formula of formulas)
    it(`puts an apostrophe before ${JSON.stringify(formula)}`, async () => {
      const file = await bytesOf(writeCsv(tableOf([[formula, 1, null]])))
      const row = file.toString().split('\r\n').slice(1).join('\r\n')
      assert.ok(row.replace(/^"/, '').startsWith(`'${formula}`), row)
    })
})

describe('writing XLSX', () => {
  it('holds numbers as numbers, dates as dates, texts as texts, and no formula', async () => {
    const file = await bytesOf(writeXlsx(tableOf([['=1+1', 1_000_000, moment]])))
    const sheet = partOf(file, 'xl/worksheets/sheet1.xml')
    assert.match(sheet, /<c r="A2" t="inlineStr" s="2"><is><t [^>]*>=1\+1<\/t><\/is><\/c>/)
    assert.match(sheet, /<c r="B2" s="3"><v>1000000<\/v><\/c>/)
    assert.match(sheet, /<c r="C2" s="5"><v>46343\.0208912037[0-9]*<\/v><\/c>/)
    assert.match(sheet, /<pane ySplit="1" [^>]*state="frozen"\/>/)
    assert.match(sheet, /<col min="1" max="1" width="22" customWidth="1"\/>/)
    assert.doesNotMatch(sheet, /<f>/)
    assert.match(partOf(file, 'xl/styles.xml'), /formatCode="#,##0&quot; F CFA&quot;"/)
  })

  it('goes on in another sheet where one is full', async () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((text): Value[] => [text, 1, null])
    const file = await bytesOf(writeXlsx(tableOf(rows), 3))
    const sheets = [1, 2, 3].map((number) => partOf(file, `xl/worksheets/sheet${number}.xml`))
    assert.deepEqual(
      sheets.map((xml) => [...xml.matchAll(/<t [^>]*>([^<]*)</g)].map(([, text]) => text)),
      [
        ['Nom', 'Montant', 'Le', 'a', 'b'],
        ['Nom', 'Montant', 'Le', 'c', 'd'],
        ['Nom', 'Montant', 'Le', 'e'],
      ],
    )
    assert.match(partOf(file, 'xl/workbook.xml'), /"Relevé" .*"Relevé 2" .*"Relevé 3" .*"rId3"/)
    const full = await bytesOf(writeXlsx(tableOf(rows.slice(0, 2)), 3))
    assert.doesNotMatch(partOf(full, 'xl/workbook.xml'), /Relevé 2/)
  })

  it('refuses fractions of a franc', async () => {
    await assert.rejects(bytesOf(writeXlsx(tableOf([['x', 0.5, null]]))), /not a whole number/)
  })
})

describe('writing PDF', () => {
  it('repeats the header on every page, numbers the pages and shows every row', async () => {
    const rows = Array.from({ length: 100 }, (_, row): Value[] => [`Ligne ${row}`, row, null])
    const file = await bytesOf(writePdf(tableOf(rows)))
    const pages = pagesOf(file)
    assert.equal(pages.length, 3)
    pages.forEach((page, index) => {
      assert.equal(page.filter((text) => text === 'Montant').length, 1)
      assert.equal(page.at(-1), `Page ${index + 1} / `)
    })
    const texts = new Set(pages.flat())
    for (const [name] of rows) assert.ok(texts.has(String(name)), String(name))
    assert.match(file.toString('latin1'), /\/Count 3 /)
    // The number of pages is drawn by an object of its own, which every page shows.
    assert.ok(streamsOf(file).some((stream) => stream.endsWith('(3) Tj ET')))
  })

  it('writes French, and what its fonts lack as near as they can', async () => {
    const names: [name: string, shown: string][] = [
      ['Aïssatou N’Diaye, Œuvre à Kédougou: 5 €', 'Aïssatou N’Diaye, Œuvre à Kédougou: 5 €'],
      ['Ɓalla Ŋgom', 'Balla Ngom'],
      ['Kṣenija', 'Ksenija'],
      ['e\u0301te\u0301', 'été'],
      ['محمد', '????'],
      ['a\u202eb\u0000c\nd', 'ab c d'],
      ['😀 \ud800', '? ?'],
    ]
    const file = await bytesOf(writePdf(tableOf(names.map(([name]) => [name, 1_000_000, null]))))
    const [page = []] = pagesOf(file)
    for (const [, shown] of names)
      assert.ok(page.includes(shown), `${shown} in ${page.join(' | ')}`)
    assert.ok(page.includes('1\u00a0000\u00a0000'))
  })

  it('aligns money to the right', async () => {
    const file = await bytesOf(
      writePdf(
        tableOf([
          ['a', 5, null],
          ['b', 1_000_000, null],
        ]),
      ),
    )
    const first = streamsOf(file).find((stream) => stream.includes('Count Do')) ?? ''
    const xs = [...first.matchAll(/8 Tf ([\d.]+) [\d.]+ Td <((?:3[0-9]|a0)+)>/g)]
    // Digits have one width, and so has the space between groups.
    const widths = xs.map(([, x, hex = '']) => ({ x: Number(x), end: Number(x) + widthOf(hex) }))
    assert.equal(widths.length, 2)
    assert.ok(Math.abs((widths[0]?.end ?? 0) - (widths[1]?.end ?? 1)) < 0.02)
    assert.ok((widths[0]?.x ?? 0) > (widths[1]?.x ?? 0) + 20)
  })

  it('has every object where its table says', async () => {
    const file = await bytesOf(writePdf(tableOf(Array.from({ length: 70 }, () => ['a', 1, null]))))
    const text = file.toString('latin1')
    const at = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1])
    assert.equal(text.slice(at, at + 4), 'xref')
    const offsets = [...text.slice(at).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, one]) => one)
    assert.ok(offsets.length > 9)
    offsets.forEach((offset, index) => {
      const start = `${index + 1} 0 obj\n`
      assert.equal(text.slice(Number(offset), Number(offset) + start.length), start)
    })
  })
})

it('however many files are written, one of them works in a turn of the event loop', async () => {
  let turn = 0
  const turns = new Set<number>()
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const write = async () => {
    const pause = openPauses()
    for (let step = 0; step < 5; step += 1) {
      const untilMs = performance.now() + 6
      while (performance.now() < untilMs);
      await pause()
      turns.add(turn)
    }
  }
  await Promise.all([write(), write(), write()])
  isOver = true
  assert.equal(turns.size, 15)
})

describe('every writer', () => {
  for (const write of [writeCsv, writeXlsx, writePdf])
    it(`${write.name} takes rows as it writes them`, async () => {
      let taken = 0
      function* rows(): Generator<Value[]> {
        for (; taken < 100_000; taken += 1) yield [`${Math.random()}`.repeat(5), taken, null]
      }
      let bytes = 0
      for await (const block of write({ ...tableOf([]), rows: rows() })) {
        bytes += block.length
        if (bytes > 100_000) break
      }
      assert.ok(taken > 0 && taken < 40_000, `${taken} rows were taken for ${bytes} bytes`)
    })
})

/** The text of a part of an archive; sizes are in the directory at its end. */
function partOf(zip: Buffer, name: string): string {
  const entry = zip.lastIndexOf(Buffer.from(name)) - 46
  const offset = zip.readUInt32LE(entry + 42)
  const start = offset + 30 + zip.readUInt16LE(offset + 26)
  return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(entry + 20))).toString()
}

function streamsOf(pdf: Buffer): string[] {
  const text = pdf.toString('latin1')
  return [...text.matchAll(/\/Length (\d+) >>\nstream\n/g)].map((match) => {
    const start = match.index + match[0].length
    return inflateSync(pdf.subarray(start, start + Number(match[1]))).toString('latin1')
  })
}

const windows = new TextDecoder('windows-1252')

/** The texts of each page, in the order in which they are drawn. */
function pagesOf(pdf: Buffer): string[][] {
  return streamsOf(pdf)
    .filter((stream) => stream.includes('Count Do'))
    .map((stream) =>
      [...stream.matchAll(/<([0-9a-f]*)> Tj/g)].map(([, hex = '']) =>
        windows.decode(Buffer.from(hex, 'hex')),
      ),
    )
}

/** The width of digits, spaces and "F CFA" in Helvetica of 8 points. */
function widthOf(hex: string): number {
  const known: Record<string, number> = { ' ': 278, '\u00a0': 278, F: 611, C: 722, A: 667 }
  const sum = Array.from(windows.decode(Buffer.from(hex, 'hex'))).reduce(
    (total, one) => total + (known[one] ?? 556),
    0,
  )
  return (sum * 8) / 1000
}

describe('a moment', () => {
  // zone, moments around which its clocks are changed
  const zones: [zone: string, changes: string[]][] = [
    ['Africa/Dakar', []],
    ['Africa/Douala', []],
    ['Asia/Kathmandu', []],
    ['Europe/Paris', ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z']],
    ['Australia/Lord_Howe', ['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z']],
  ]
  for (const [timeZone, changes] of zones)
    it(`is that of the clocks of ${timeZone}, also while they are changed`, () => {
      const format = new Intl.DateTimeFormat('sv-SE', {
        timeZone,
        dateStyle: 'short',
        timeStyle: 'medium',
      })
      for (const start of ['2026-01-15T10:00:00Z', '2026-07-15T23:59:59Z', ...changes])
        for (const seconds of [-3600, -1, 0, 1, 899, 900, 1800, 3599, 3600, 86_400]) {
          const moment = new Date(Date.parse(start) + 1000 * seconds)
          assert.equal(wallTime(moment, timeZone), format.format(moment), moment.toISOString())
        }
    })
})
