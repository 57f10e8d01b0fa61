import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { statementOf } from '#test/statements.ts'
import { bytesOf, textTable, workbook } from '#test/tables.ts'
import type { Mapping } from './mapping.ts'
import { statementLimits } from './read-statement.ts'

const plainTitles = 'moment;reference;our_reference;kind;number;amount;fee;status'

const mapping: Mapping = {
  version: 1,
  columns: {
    at: 'Date',
    reference: 'Référence',
    kind: 'Type',
    phone: 'Numéro',
    amount: 'Montant',
    fees: ['Frais', 'TVA'],
    status: 'Statut',
    balance: 'Solde',
  },
  dates: ['dd/MM/yyyy HH:mm'],
  timeZone: 'Africa/Douala',
  decimal: ',',
  kinds: { Paiement: 'collect', 'Envoi d’argent': 'disburse', Remboursement: 'reverse-' },
  statuses: { Réussi: 'succeeded', Échoué: 'failed' },
  skip: [{ begins: ['Total'] }],
}

const titles = 'Date;Référence;Type;Numéro;Montant;Frais;TVA;Solde;Statut'
const first = '16/11/2026 10:30;A1;Paiement;770000001;1 000;10;2;10 988;Réussi'
const second = '16/11/2026 10:31;A2;Envoi d’argent;770000002;500,00;0;0;10 488;réussi'
const file = (...lines: string[]) => `${[titles, ...lines].join('\r\n')}\r\n`

describe('a statement as CSV', () => {
  it('is understood by its titles where they are the plain ones', async () => {
    const { lines, problems } = await statementOf(
      `${plainTitles}\n2026-11-16T10:30:00Z;R1;0198;collect;771234567;1000;10;succeeded\n` +
        '2026-11-16T10:31:00Z;R2;;transfer;;-5000;;succeeded\n',
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(lines, [
      {
        line: 2,
        at: new Date('2026-11-16T10:30:00Z'),
        reference: 'R1',
        ourReference: '0198',
        kind: 'collect',
        phone: '771234567',
        amount: 1000,
        sign: 1,
        fee: 10,
        status: 'succeeded',
        balance: null,
      },
      {
        line: 3,
        at: new Date('2026-11-16T10:31:00Z'),
        reference: 'R2',
        ourReference: null,
        kind: 'transfer',
        phone: null,
        amount: 5000,
        sign: -1,
        fee: 0,
        status: 'succeeded',
        balance: null,
      },
    ])
  })

  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  const separated = (mark: string) => file(first, second).replaceAll(';', mark)
  // name, bytes
  const forms: [string, Buffer | string][] = [
    ['semicolons', separated(';')],
    ['tabs', separated('\t')],
    ['bars', separated('|')],
    ['commas', separated(',').replace('500,00', '"500,00"')],
    ['a mark', `\ufeff${separated(';')}`],
    ['Windows', Buffer.from(separated(';').replace('’', '\x92'), 'latin1')],
    ['UTF-16', utf16(separated(';'))],
    ['a title above', `Relevé de compte marchand\n\n${separated('|')}`],
  ]
  for (const [name, bytes] of forms)
    it(`is the same with ${name}`, async () => {
      for (const chunkBytes of [65_536, 3]) {
        const { lines, problems } = await statementOf(bytes, mapping, { chunkBytes })
        assert.deepEqual(problems, [])
        const [one, other] = lines
        assert.deepEqual(
          [one?.at.toISOString(), one?.amount, one?.sign, one?.fee, one?.balance, one?.status],
          ['2026-11-16T09:30:00.000Z', 1000, 1, 12, 10_988, 'succeeded'],
        )
        assert.deepEqual([other?.kind, other?.amount, other?.sign], ['disburse', 500, -1])
      }
    })

  it('names every problem by its line, column and an example, and reads on', async () => {
    const { problems, lines } = await statementOf(
      file(
        first,
        '31/02/2026 10:30;A2;Virement;770000001;12,50;-1;;10 988;Bof',
        '16/11/2026 10:30;;Paiement;;0;0;0;1;Réussi',
        second,
        '16/11/2026 10:30;A3;Paiement;;-5;0;0;1;Réussi;un, deux',
      ),
      mapping,
    )
    assert.equal(lines.length, 2)
    assert.deepEqual(problems, [
      'Line 3, column Date: 31/02/2026 10:30 is not a date as dd/MM/yyyy HH:mm, such ' +
        'as 16/11/2026 10:30',
      'Line 3, column Type: Virement is no known kind of line; the mapping knows ' +
        'paiement, envoi d’argent, remboursement',
      'Line 3, column Montant: 12,50 is not whole francs, such as 15000',
      'Line 3, column Frais: -1 is negative; it must be one such as 15000',
      'Line 3, column TVA: the cell is empty; it must hold a value such as 15000',
      'Line 3, column Statut: Bof is no known status; the mapping knows reussi, echoue',
      'Line 4, column Montant: the amount is zero; it must be one such as 15000',
      'Line 4, column Référence: the cell is empty; it must hold a value such as ' +
        'MP261116.1030.A12345',
      'Line 6 has 10 cells, but there are only 9 titles',
      'Line 6, column Montant: -5 is negative, but the line says that money came in',
    ])
  })

  it('leaves out only what the mapping says, and tells of it', async () => {
    const { skipped, lines, problems } = await statementOf(
      file(first, titles, second, 'TOTAL;;;;1 500'),
      mapping,
    )
    assert.deepEqual([lines.length, problems], [2, []])
    assert.deepEqual(skipped, [
      'Line 3 was left out: it has the titles again',
      'Line 5 was left out, as the mapping says: TOTAL    1 500',
    ])
    const without = await statementOf(file(first, 'TOTAL;;;;1 500'), { ...mapping, skip: [] })
    assert.ok(without.problems.length > 3, 'a total is a line like another without a rule')
  })

  it('derives the balances from the running one, and refuses the wrong order', async () => {
    const both = await statementOf(file(first, second), mapping)
    assert.deepEqual([both.opening, both.closing], [10_000, 10_488])
    const backwards: Mapping = { ...mapping, order: 'newest_first' }
    const turned = await statementOf(file(second, first), backwards)
    assert.deepEqual([turned.opening, turned.closing], [10_000, 10_488])
    const wrong = await statementOf(file(first, second), backwards)
    assert.match(wrong.problems.join(), /^Line 3: the lines run from .* "order": "oldest_first"$/)
  })

  it('finds balances in lines of their own, but never in a payment', async () => {
    const named: Mapping = { ...mapping, balances: { opening: 'Solde init', closing: 'Solde fin' } }
    const { opening, closing, problems, lines } = await statementOf(
      `Solde initial : 9 000 F CFA\n${file(first, second, ';;;;Solde final;;;10 500;')}`,
      named,
    )
    assert.deepEqual([opening, closing, problems, lines.length], [9000, 10_500, [], 2])
    const own = { ...named, columns: { ...named.columns, phone: 'Numéro' } }
    const payment = first.replace('770000001', 'Solde final 1')
    assert.equal((await statementOf(file(payment), own)).lines.length, 1)
    const none = await statementOf(file(first, ';Solde final;;;;;;x;'), {
      ...named,
      columns: { ...named.columns, reference: 'Numéro' },
    })
    assert.match(none.problems.join(), /^Line 3: Solde fin is followed by no amount/)
  })

  it('says which titles are missing, come twice, or are not known', async () => {
    const without = await statementOf('Relevé\nDate;Montant;Type\n1;2;3\n', mapping)
    assert.equal(without.problems.length, 6)
    assert.equal(
      without.problems[0],
      'The file has no column Référence; line 2 has Date, Montant, Type',
    )
    const twice = await statementOf(file(first).replace('TVA', 'Frais'), {
      ...mapping,
      columns: { ...mapping.columns, fees: ['Frais'] },
    })
    assert.deepEqual(twice.problems, [
      'Line 1: 2 columns are titled Frais; name one of them as Frais#1',
    ])
    const named = await statementOf(file(first).replace('TVA', 'Frais'), {
      ...mapping,
      columns: { ...mapping.columns, fees: ['Frais#1', 'Frais#2'] },
    })
    assert.deepEqual([named.problems, named.lines[0]?.fee], [[], 12])
    const unknown = await statementOf(file(first))
    assert.match(unknown.problems.join(), /^The titles of this file are not known/)
    const late = await statementOf(`${'x;y\n'.repeat(40)}${file(first)}`, mapping)
    assert.match(late.problems.join(), /^The first 31 rows have none of the titles/)
  })
})

describe('a mapping', () => {
  const base: Mapping = {
    version: 1,
    titles: false,
    columns: { at: 'A', reference: 'B', amount: 'C' },
    dates: ['yyyy-MM-dd'],
    always: { in: 'collect', out: 'disburse' },
    sign: 'amount',
  }
  const { amount: _, ...named } = base.columns
  const sides: Mapping = { ...base, columns: { ...named, debit: 'C', credit: 'D' } }
  const signs: Mapping = {
    ...base,
    columns: { ...base.columns, sign: 'D' },
    signs: { C: '+', D: '-' },
  }
  const net: Mapping = { ...base, isNet: true, columns: { ...base.columns, fees: ['D'] } }
  // what it says, mapping, cells after the date and the reference, amount with sign and fee
  const cases: [string, Mapping, string, [number, number] | RegExp][] = [
    ['signs of amounts', base, '500 DR', [-500, 0]],
    ['signs of amounts', base, '500', [500, 0]],
    ['two columns', sides, ';500', [500, 0]],
    ['two columns', sides, '500;0', [-500, 0]],
    ['two columns', sides, '500;1', /a debit and a credit/],
    ['two columns', sides, '0;', /neither a debit nor a credit/],
    ['two columns', sides, '-500;', /column C: -500 is negative/],
    ['negative debits', { ...sides, debitSign: '-' }, '-500;', [-500, 0]],
    ['negative debits', { ...sides, debitSign: '-' }, '500;', /column C: 500 is not negative/],
    ['a column of signs', signs, '500;d', [-500, 0]],
    ['a column of signs', signs, '-500;d', [-500, 0]],
    ['a column of signs', signs, '-500;c', /-500 is negative, but/],
    ['a column of signs', signs, '500;x', /x is no known direction; the mapping knows c, d/],
    ['net amounts', net, '990;10', [1000, 10]],
    ['net amounts', net, '-1010;10', [-1000, 10]],
    ['net amounts', net, '-10;10', /not more than the fees of the line, 10/],
    ['negative fees', { ...net, isNet: false, feeSign: '-' }, '500;-10', [500, 10]],
    ['negative fees', { ...net, isNet: false, feeSign: '-' }, '500;10', /10 is not negative/],
    ['no decimal', base, '1.500', /1.500 may be thousands or a fraction/],
    ['a currency', { ...base, columns: { ...base.columns, currency: 'D' } }, '5;F CFA', [5, 0]],
    ['a currency', { ...base, columns: { ...base.columns, currency: 'D' } }, '5;XAF', /XAF is not/],
  ]
  for (const [name, own, cells, expected] of cases)
    it(`with ${name} reads ${cells}`, async () => {
      const text = `2026-11-16;R1;${cells}\n`
      const { lines, problems } = await statementOf(text, own, { currency: 'XOF' })
      const [line] = lines
      if (expected instanceof RegExp) assert.match(problems.join(), expected)
      else {
        assert.deepEqual(problems, [])
        assert.deepEqual([(line?.sign ?? 0) * (line?.amount ?? 0), line?.fee], expected)
      }
    })

  it('may have the time in a column of its own', async () => {
    const own = { ...base, columns: { ...base.columns, time: 'D' }, dates: ['yyyy-MM-dd HH:mm'] }
    const { lines } = await statementOf('2026-11-16;R1;5;10:30\n', own)
    assert.equal(lines[0]?.at.toISOString(), '2026-11-16T10:30:00.000Z')
  })

  it('has days of the zone of the account, unless the mapping names one', async () => {
    const momentOf = async (own: Mapping, timeZone?: string) => {
      const { lines } = await statementOf('2026-11-16;R1;5\n', own, { timeZone })
      return lines[0]?.at.toISOString()
    }
    assert.equal(await momentOf(base), '2026-11-16T00:00:00.000Z')
    assert.equal(await momentOf(base, 'Africa/Douala'), '2026-11-15T23:00:00.000Z')
    const named = { ...base, timeZone: 'Africa/Dakar' }
    assert.equal(await momentOf(named, 'Africa/Douala'), '2026-11-16T00:00:00.000Z')
  })

  it('refuses amounts that cannot be added up exactly', async () => {
    const line = '2026-11-16;R1;999999999999999\n'
    assert.deepEqual((await statementOf(line.repeat(9), base)).problems, [])
    const { problems } = await statementOf(line.repeat(10), base)
    assert.match(problems.join(), /more than can be counted/)
  })

  it('refuses references that a spreadsheet program has cut', async () => {
    const { problems } = await statementOf('2026-11-16;1,23457E+17;5\n', base)
    assert.match(problems.join(), /^Line 1, column B: a spreadsheet program took 1,23457E\+17/)
  })
})

describe('a statement as XLSX', () => {
  it('has dates of its own and whole numbers', async () => {
    const table = textTable(titles.split(';'), [first.split(';'), second.split(';')])
    const rows = [
      [
        new Date('2026-11-16T10:30:00Z'),
        'A1',
        'Paiement',
        770000001,
        1000,
        10,
        2,
        10_988,
        'Réussi',
      ],
    ]
    const own = await bytesOf(writeXlsx({ ...table, rows }))
    const { lines, problems } = await statementOf(own, mapping)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      [lines[0]?.at.toISOString(), lines[0]?.amount, lines[0]?.fee, lines[0]?.line],
      ['2026-11-16T09:30:00.000Z', 1000, 12, 2],
    )
    const texts = await statementOf(await bytesOf(writeXlsx(table)), mapping)
    assert.deepEqual([texts.problems, texts.lines.length], [[], 2])
  })

  const letters: Mapping = {
    version: 1,
    titles: false,
    columns: { at: 'A', reference: 'B', amount: 'C' },
    dates: ['yyyy-MM-dd'],
    always: { in: 'collect', out: 'disburse' },
    sign: 'amount',
    decimal: ',',
  }
  const row = (reference: string, amount: string) =>
    `<c t="str"><v>2026-11-16</v></c>${reference}<c>${amount}</c>`
  // name, cells, problem
  const refused: [string, string, RegExp][] = [
    ['a fraction', `<row>${row('<c t="str"><v>R</v></c>', '<v>1.234</v>')}</row>`, /whole francs/],
    ['cut digits', `<row>${row('<c><v>12345678901234567</v></c>', '<v>5</v>')}</row>`, /cut its/],
    [
      'a row far below',
      `<row r="9999999999">${row('<c t="str"><v>R</v></c>', '<v>5</v>')}</row>`,
      /damaged/,
    ],
    [
      'two rows of one number',
      `<row r="2">${row('<c t="str"><v>R</v></c>', '<v>5</v>')}</row>`.repeat(2),
      /^Line 2 stands after line 2/,
    ],
  ]
  for (const [name, xml, problem] of refused)
    it(`refuses ${name}`, async () => {
      const { problems } = await statementOf(await workbook(xml), letters)
      assert.match(problems.join(), problem)
    })

  it('keeps no more different texts in memory than it may', async () => {
    const texts = '<si><t>12345678</t></si>'.repeat(50)
    const own = await workbook('<row><c t="s"><v>0</v></c></row>', { texts })
    const limits = { ...statementLimits, textBytesMax: 1_000_000 }
    const { problems } = await statementOf(own, letters, { limits })
    assert.match(problems.join(), /too many different texts/)
  })
})
