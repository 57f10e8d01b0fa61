import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { usualTest as it, sized } from '#test/size.ts'
import { bytesOf, limits, rowsOf, textTable, workbook, zipOf } from '#test/tables.ts'
import { readTable } from './read-table.ts'
import { SharedTexts } from './shared-texts.ts'
import { writeXlsx } from './write-xlsx.ts'

const other = readFileSync(new URL('../../../test/files/sheetjs.xlsx', import.meta.url))

describe('reading XLSX', () => {
  it('reads a file of another program: dates, formulas, merged cells, a hidden sheet', async () => {
    assert.deepEqual(await rowsOf(other), [
      { line: 1, cells: ['Salaires de novembre'] },
      { line: 3, cells: ['Numéro', 'Montant', 'Nom', 'Date', 'Payé'] },
      { line: 4, cells: ['771234567', '150000', "Aïssatou N'Diaye", '2026-11-16', 'TRUE'] },
      { line: 5, cells: ['77 123 45 68', '1 000', 'Œuvre', '2026-11-16 10:30:00', 'FALSE'] },
      { line: 6, cells: ['771234569', '151000', "Aïssatou N'Diaye"] },
    ])
  })

  const styles =
    '<numFmts><numFmt numFmtId="170" formatCode="[Red]#\\ ##0&quot; day&quot;"/>' +
    '<numFmt numFmtId="171" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/>' +
    '</cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/>' +
    '<xf numFmtId="171"/></cellXfs>'
  // name, XML of a cell, text
  const cells: [string, string, string][] = [
    ['a number', '<c><v>771234567</v></c>', '771234567'],
    ['a number with an exponent', '<c><v>7.71234567E8</v></c>', '771234567'],
    ['traces of binary arithmetic', '<c><v>4999.9999999999999</v></c>', '5000'],
    ['a number with too many digits', '<c><v>12345678901234567</v></c>', '12345678901234600'],
    ['a fraction', '<c><v>0.30000000000000004</v></c>', '0.3'],
    ['a date', '<c s="1"><v>46342</v></c>', '2026-11-16'],
    ['a date and time', '<c s="1"><v>46342.4375</v></c>', '2026-11-16 10:30:00'],
    ['a day before March 1900', '<c s="1"><v>1</v></c>', '1900-01-01'],
    ['a time', '<c s="3"><v>0.4375</v></c>', '10:30:00'],
    ['a money format with letters', '<c s="2"><v>46342</v></c>', '46342'],
    ['a number no date can have', '<c s="1"><v>-5</v></c>', '-5'],
    ['a shared text', '<c t="s"><v>0</v></c>', 'Aïssa <Fall>'],
    ['a text in pieces, without its reading aid', '<c t="s"><v>1</v></c>', 'onetwo'],
    ['a text of its own', '<c t="inlineStr"><is><t> a_x000D_b</t></is></c>', ' a\rb'],
    ['CDATA', '<c t="inlineStr"><is><t><![CDATA[<b>]]></t></is></c>', '<b>'],
    ["a formula's text", '<c t="str"><f>A1&amp;"x"</f><v>x</v></c>', 'x'],
    ["a formula's empty text", '<c t="str"><f>""</f><v></v></c>', ''],
    ['a number with a sign and a large E', '<c><v>+1.5E+5</v></c>', '150000'],
    ['white space around a number', '<c><v> 50 </v></c>', '50'],
    ['what is true', '<c t="b"><v>1</v></c>', 'TRUE'],
    ['what is true, in a word', '<c t="b"><v> true </v></c>', 'TRUE'],
    ['what is false', '<c t="b"><v>0</v></c>', 'FALSE'],
    ['what is false, in a word', '<c t="b"><v>false</v></c>', 'FALSE'],
    ['a prefix', '<x:c xmlns:x="u"><x:v>5</x:v></x:c>', '5'],
  ]
  const texts =
    '<si><t>Aïssa &lt;Fall&gt;</t></si>' +
    '<si><r><t>one</t></r><r><t>two</t></r><rPh><t>no</t></rPh></si>'
  for (const [name, xml, text] of cells)
    it(`reads ${name}`, async () => {
      const file = await workbook(`<row>${xml}<c t="str"><v>end</v></c></row>`, { texts, styles })
      const [row] = await rowsOf(file)
      assert.deepEqual(row?.cells, [text, 'end'])
      // Whole numbers are told from what spreadsheet programs make of others.
      const isInexact = ['a fraction', 'a number with too many digits'].includes(name)
      assert.deepEqual(row.inexact, isInexact ? [0] : undefined)
    })

  it('counts days from 1904 where the workbook says so', async () => {
    const book = '<workbookPr date1904="1"/>'
    const file = await workbook('<row><c s="1"><v>44880</v></c></row>', { styles, book })
    assert.deepEqual((await rowsOf(file))[0]?.cells, ['2026-11-16'])
  })

  it('leaves cells that are not there empty', async () => {
    const file = await workbook('<row r="7"><c r="C7"><v>1</v></c></row><row r="9"/>')
    assert.deepEqual(await rowsOf(file), [{ line: 7, cells: ['', '', '1'] }])
  })

  const attributes = Array.from({ length: 99 }, (_, number) => `a${number}=""`).join(' ')
  // name, XML of the sheet, problem
  const refused: [string, string, RegExp][] = [
    ['an error', '<row r="4"><c r="B4" t="e"><v>#N/A</v></c></row>', /^Line 4, column B: .* #N\/A/],
    ['a formula without a result', '<row r="2"><c r="C2"><f>1+1</f></c></row>', /^Line 2, column/],
    ['a number that is none', '<row r="2"><c><v>0x</v></c></row>', /^Line 2, column A: 0x is not/],
    ['a shared text that is not there', '<row><c t="s"><v>9</v></c></row>', /damaged/],
    ['a column far away', '<row r="3"><c r="XFD3"><v>1</v></c></row>', /^Line 3 has more than 20/],
    ['a place that is none', '<row><c r="1"><v>1</v></c></row>', /damaged/],
    ['a long cell', `<row><c><v>${'1'.repeat(501)}</v></c></row>`, /^Line 1, column A: .* 500/],
    ['many rows', '<row><c><v>1</v></c></row>'.repeat(1001), /more than 1000 rows/],
    ['XML that is not well formed', '<row><c></row>', /cannot be read/],
    ['depth', '<a>'.repeat(99), /nested deeper/],
    ['attributes', `<a ${attributes}/>`, /attributes/],
    ['an entity', '<row><c t="str"><v>&lol;</v></c></row>', /cannot be read/],
    ['a document type', '<?x y?><!DOCTYPE x [<!ENTITY lol "lol">]><x/>', /document type/],
    ['a file from outside', '<?x y?><!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', /type/],
  ]
  for (const [name, xml, problem] of refused)
    it(`refuses ${name}`, async () => {
      await assert.rejects(rowsOf(await workbook(xml)), { name: 'TableProblem', message: problem })
    })

  it('refuses what unpacks to hundreds of times its bytes, long before the limit', async () => {
    const file = await workbook('<row r="1"/>'.repeat(1_000_000))
    const rows = readTable(Readable.from([file]), { ...limits, unpackedBytesMax: 4e9 })
    await assert.rejects(rows.next(), /unpacks to more than 8000000 bytes/)
  })

  it('refuses a bomb after a few blocks, whichever part it is', async () => {
    const parts = ['xl/sharedStrings.xml', 'xl/worksheets/sheet1.xml', 'xl/workbook.xml']
    const tooLarge = 'unpacks to more than 5000000 bytes'
    const fillings: [filling: string, message: RegExp][] = [
      [' '.repeat(1000), new RegExp(`${tooLarge}|a text is longer than 1000000 char`)],
      // No text and no row, of which there are limits too.
      [`<b c="${'x'.repeat(991)}"/>`, new RegExp(tooLarge)],
    ]
    const bombs = parts.flatMap((part) => fillings.map((one) => [part, ...one] as const))
    for (const [part, filling, message] of bombs) {
      const block = Buffer.from(filling.repeat(1000))
      let blocks = 0
      function* bomb() {
        yield Buffer.from('<a>')
        for (; blocks < 40; blocks += 1) yield block
      }
      const file = await zipOf({
        'xl/workbook.xml': '<workbook><sheets><sheet id="s"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="s" Type="/worksheet" Target="worksheets/sheet1.xml"/>' +
          '<Relationship Id="t" Type="/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        'xl/worksheets/sheet1.xml': '<worksheet/>',
        'xl/sharedStrings.xml': '<sst/>',
        [part]: bomb(),
      })
      assert.ok(file.length < limits.bytesMax, 'it is small while it is packed')
      await assert.rejects(rowsOf(file), { message })
    }
  })

  test('reads or refuses a file that was cut or changed anywhere, and leaves no file', async () => {
    const isOurs = (name: string) => name.startsWith('table-')
    const before = readdirSync(tmpdir()).filter(isOurs)
    const outcomes = new Map<string, number>()
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    for (let at = 1; at < other.length; at += sized(389, 97)) {
      const changed = Buffer.from(other)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      for (const file of [other.subarray(0, at), changed])
        await rowsOf(file).then(
          () => count('read'),
          (problem: Error) => count(problem.name),
        )
    }
    assert.deepEqual([...outcomes.keys()].sort(), ['TableProblem', 'read'])
    assert.deepEqual(readdirSync(tmpdir()).filter(isOurs), before)
  })

  it('refuses an archive that is no workbook', async () => {
    await assert.rejects(rowsOf(await zipOf({ 'a.txt': 'x' })), /not an Excel workbook/)
  })

  test('gives back what was written, whatever the cells hold', async () => {
    const cell = fc.string({ unit: 'binary', maxLength: 12 })
    const row = fc.tuple(fc.constant('x'), cell, cell, fc.constant('y'))
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
        const file = await bytesOf(writeXlsx(textTable(['a', 'b', 'c', 'd'], rows)))
        const read = (await rowsOf(file)).slice(1).map((one) => one.cells)
        assert.deepEqual(
          read,
          rows.map((one) => one.map((text) => text.toWellFormed())),
        )
      }),
      { numRuns: sized(15, 40) },
    )
  })

  it('keeps shared texts over many blocks, and knows those that were too long', () => {
    const kept = new SharedTexts()
    const texts = Array.from({ length: 5000 }, (_, index) => `é${index}`.repeat(index % 200))
    for (const text of texts) kept.add(text)
    kept.add(null)
    kept.add('x'.repeat(70_000))
    kept.add('last')
    texts.forEach((text, index) => {
      assert.equal(kept.get(index), text)
    })
    const beyond = [5000, 5001, 5002, 5003, -1, 0.5, Number.NaN].map((number) => kept.get(number))
    assert.deepEqual(beyond, [null, null, 'last', undefined, undefined, undefined, undefined])
    assert.ok(kept.bytes > 1_048_576 * 2 && kept.bytes < 10_000_000)
  })

  it('reads a sheet as it is asked for', async () => {
    const rows = '<row><c><v>1</v></c></row>'.repeat(200_000)
    const file = await workbook(rows)
    const own = { ...limits, bytesMax: 1e7, unpackedBytesMax: 60_000, rowsMax: 1e6 }
    let read = 0
    await assert.rejects(async () => {
      for await (const _ of readTable([file] as unknown as AsyncIterable<Buffer>, own)) read += 1
    }, /unpacks to more than/)
    // Rows came before the limit was met: nothing waits for the end of the sheet.
    assert.ok(read > 500, `${read} rows`)
  })
})
