import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { lateTexts, pagesOf, placesOf } from '#test/pdf.ts'
import { pngChunk, pngOf } from '#test/pictures.ts'
import { bytesOf } from '#test/tables.ts'
import { type OutputTable, openPauses, type Row, type Value, wallTime } from './output.ts'
import { writeCsv } from './write-csv.ts'
import { type PrintedTable, writePdf } from './write-pdf.ts'
import { writeXlsx } from './write-xlsx.ts'

const columns: OutputTable['columns'] = [
  { title: 'Nom', kind: 'text', width: 20 },
  { title: 'Montant', kind: 'money', width: 16 },
  { title: 'Le', kind: 'moment', width: 18 },
]
const moment = new Date('2026-11-16T23:30:05Z')

function tableOf(rows: Row[]): PrintedTable {
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

  it('writes the cells of a total in bold', async () => {
    const file = await bytesOf(writeXlsx(tableOf([{ total: ['Total', 5, moment] }])))
    const sheet = partOf(file, 'xl/worksheets/sheet1.xml')
    assert.match(sheet, /<c r="A2" t="inlineStr" s="6">.*<c r="B2" s="7"><v>5<.*<c r="C2" s="9">/)
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
  it('repeats the titles on every page, numbers the pages and shows every row', async () => {
    const rows = Array.from({ length: 100 }, (_, row): Value[] => [`Ligne ${row}`, row, null])
    const file = await bytesOf(writePdf(tableOf(rows)))
    const pages = pagesOf(file)
    assert.equal(pages.length, 2)
    pages.forEach((page, index) => {
      assert.equal(page.filter((text) => text === 'Montant').length, 1)
      assert.ok(page.includes(`Page ${index + 1} sur`))
    })
    const texts = new Set(pages.flat())
    for (const [name] of rows) assert.ok(texts.has(String(name)), String(name))
    assert.deepEqual(lateTexts(file), ['2'])
  })

  it('has a line for each row, however long it is: 590 of them on 11 pages at most', async () => {
    const rows = Array.from({ length: 590 }, (): Value[] => ['Robe '.repeat(30), 1, moment])
    const pages = pagesOf(await bytesOf(writePdf(tableOf(rows))))
    assert.ok(pages.length <= 11, `${pages.length} pages`)
    assert.ok(pages[0]?.some((text) => /^Robe Robe.*…$/.test(text)))
  })

  it('says the unit once, and moments as the language writes them', async () => {
    const table = tableOf([['a', 1_000_000, moment]])
    const [french = []] = pagesOf(await bytesOf(writePdf(table)))
    assert.deepEqual(french.filter((text) => text.includes('F CFA')).length, 2)
    assert.ok(french.includes('Montants en F CFA'))
    assert.ok(french.includes('1\u00a0000\u00a0000'))
    assert.ok(french.includes('17/11/2026 00:30'), french.join(' | '))
    const [english = []] = pagesOf(await bytesOf(writePdf({ ...table, language: 'en' })))
    assert.ok(english.includes('17 Nov 2026, 00:30'), english.join(' | '))
  })

  it('writes every letter of West Africa, and a question mark for other scripts', async () => {
    const names: [name: string, shown: string][] = [
      ['Aïssatou N’Diaye, Œuvre à Kédougou: 5 €', 'Aïssatou N’Diaye, Œuvre à Kédougou: 5 €'],
      ['Ɓalla Ŋgom ɗo ƴi ɲɛɔ Ƙ', 'Ɓalla Ŋgom ɗo ƴi ɲɛɔ Ƙ'],
      ['e\u0301te\u0301', 'été'],
      ['محمد', '????'],
      ['a\u202eb\u0000c\nd', 'ab c d'],
      ['😀 \ud800', '? \ufffd'],
    ]
    const columnsOfOne = columns.slice(0, 1)
    const table = tableOf(names.map(([name]) => [name]))
    const [page = []] = pagesOf(await bytesOf(writePdf({ ...table, columns: columnsOfOne })))
    for (const [, shown] of names)
      assert.ok(page.includes(shown), `${shown} in ${page.join(' | ')}`)
  })

  it('has the name, address and logo of whose it is, and a total in bold', async () => {
    const issuer = { name: 'Boutique Awa', lines: ['Dakar', 'NINEA 1'], logo: pngOf(300, 60) }
    const file = await bytesOf(
      writePdf({ ...tableOf([['a', 1, null], { total: ['Total', 1, null] }]), issuer }),
    )
    const [page = []] = pagesOf(file)
    for (const text of ['Boutique Awa', 'Dakar', 'NINEA 1', 'Total']) assert.ok(page.includes(text))
    assert.match(file.toString('latin1'), /\/Subtype \/Image/)
  })

  it('leaves a logo out whose pixels cannot be read', async () => {
    const header = Buffer.from('0000001400000014080600000000'.slice(0, 26), 'hex')
    const broken = Buffer.concat([
      pngOf(1, 1).subarray(0, 8),
      pngChunk('IHDR', header),
      pngChunk('IDAT', Buffer.from('these are no pixels')),
      pngChunk('IEND', Buffer.alloc(0)),
    ])
    const issuer = { name: 'Boutique Awa', lines: [], logo: broken }
    const file = await bytesOf(writePdf({ ...tableOf([]), issuer }))
    assert.match(file.toString('latin1'), /%%EOF\n$/)
    assert.doesNotMatch(file.toString('latin1'), /\/Subtype \/Image/)
  })

  it('aligns money to the right', async () => {
    const rows = [5, 1_000_000].map((amount): Value[] => ['a', amount, null])
    const places = placesOf(await bytesOf(writePdf(tableOf(rows))))
    const [small, large] = ['5', '1\u00a0000\u00a0000'].map((one) =>
      places.find(({ text }) => text === one),
    )
    assert.ok((small?.x ?? 0) > (large?.x ?? 0) + 20)
  })

  it('refuses fractions of a franc', async () => {
    await assert.rejects(bytesOf(writePdf(tableOf([['x', 0.5, null]]))), /not a whole number/)
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
