import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillIn } from '#base/kit/refusal.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { chunksOf } from '#test/statements.ts'
import { bytesOf, textTable } from '#test/tables.ts'
import { builtIn } from './built-in.ts'
import { mappingProblems } from './check-mapping.ts'
import type { Mapping } from './mapping.ts'
import { previewStatement } from './preview.ts'

const sound: Mapping = {
  version: 1,
  columns: { at: 'Date', reference: 'Réf', amount: 'Montant', kind: 'Type' },
  dates: ['dd/MM/yyyy'],
  kinds: { Paiement: 'collect' },
}
const problemsOf = (content: unknown) =>
  mappingProblems(content).map(({ text, values }) => fillIn(text, values))

describe('the check of a mapping', () => {
  it('accepts those that are built in, and a sound one', () => {
    for (const mapping of [...builtIn, sound]) assert.deepEqual(problemsOf(mapping), [])
  })

  const { columns } = sound
  const { amount: _, ...noAmount } = columns
  const { kind: __, ...noKind } = columns
  // name, mapping, problems
  const refused: [string, unknown, string[] | RegExp][] = [
    ['no object', null, /^A mapping is an object of JSON, such as/],
    ['a list', [], /^A mapping is an object of JSON/],
    ['nothing', {}, ['version is required', 'columns is required']],
    [
      'many fields',
      {
        ...sound,
        version: 2,
        columns: { at: '', fees: 'Frais', kindd: 'x', reference: 5 },
        dates: [],
        kinds: { a: 'b' },
        separator: 'x',
        titles: 'no',
        constructor: 1,
        mayBeEmpty: ['x'],
        skip: [{ begins: [''] }],
      },
      [
        'version must be one of 1',
        'columns.at must be a string of 1 to 200 characters',
        'columns.fees must be an array of 0 to 10',
        'columns.kindd is not known here: at, time, reference, ourReference, kind, phone, amount,' +
          ' debit, credit, sign, fees, status, balance, currency',
        'columns.reference must be a string of 1 to 200 characters',
        'dates must be an array of 1 to 10',
        'separator must be one of ";", ",", "\\t", "|"',
        'titles must be true or false',
        'mayBeEmpty[0] must be one of "reference", "ourReference", "fees"',
        'skip[0].begins[0] must be a string of 1 to 200 characters',
      ],
    ],
    ['no amount', { ...sound, columns: noAmount }, /either amount, or both debit and credit/],
    ['one side', { ...sound, columns: { ...noAmount, debit: 'D' } }, /either amount, or both/],
    ['all three', { ...sound, columns: { ...columns, debit: 'D', credit: 'C' } }, /either amount/],
    ['no references', { ...sound, columns: { ...columns, reference: undefined } }, /reference/],
    ['no direction', { ...sound, columns: noKind }, /^The direction of amounts is not told/],
    [
      'no kind',
      { ...sound, columns: noKind, sign: 'amount' },
      /columns.kind is required, or always must have in and out/,
    ],
    ['no words', { ...sound, kinds: undefined }, /kinds is required, such as/],
    ['no signs', { ...sound, columns: { ...columns, sign: 'S' } }, /signs is required, such as/],
    ['no statuses', { ...sound, columns: { ...columns, status: 'S' } }, /statuses is required/],
    [
      'a word twice',
      { ...sound, kinds: { Paiement: 'collect', ' PAIEMENT': 'fee', paiement: 'collect' } },
      ['kinds:  PAIEMENT is there twice with different meanings'],
    ],
    ['a format', { ...sound, dates: ['DD/MM/YYYY'] }, /dates: DD\/MM\/YYYY is not a format/],
    ['a zone', { ...sound, timeZone: 'Africa/Nowhere' }, /timeZone: Africa\/Nowhere is not known/],
    [
      'two formats that contradict',
      { ...sound, dates: ['dd/MM/yyyy', 'yyyy-MM-dd', 'M/d/yyyy'] },
      ['dates: 01/02/2026 is two dates by dd/MM/yyyy and M/d/yyyy'],
    ],
    ['titles for letters', { ...sound, titles: false }, /columns.at must be a letter .* not Date/],
    ['an empty rule', { ...sound, skip: [{ column: 'Date' }] }, /is, begins or isEmpty/],
    [
      'labels that begin alike',
      { ...sound, balances: { opening: 'Solde', closing: 'Solde final' } },
      /must not begin alike/,
    ],
  ]
  for (const [name, content, expected] of refused)
    it(`refuses ${name}`, () => {
      const plain = content === null ? null : JSON.parse(JSON.stringify(content))
      const problems = problemsOf(plain)
      if (expected instanceof RegExp) assert.match(problems.join('\n'), expected)
      else for (const one of expected) assert.ok(problems.includes(one), problems.join('\n'))
    })
})

const preview = (file: Buffer | string, mapping?: Mapping, linesMax?: number) =>
  previewStatement(chunksOf(Buffer.from(file as string), 1000), mapping, linesMax)

const french = [
  'Relevé de compte',
  'Solde initial;;;;;;;;10 000',
  'Date;Heure;Réf. transaction;Type d’opération;Téléphone;Débit;Crédit;Frais;Solde;Statut;Note',
  '13/11/2026;10:30;A1;Paiement marchand;770000001;;1 000;10;10 990;Succès;x',
  '13/11/2026;10:31;A2;Transfert;770000002;500;;0;10 490;Échec;',
  'TOTAL;;;;;500;1 000',
].join('\n')

describe('the preview', () => {
  it('proposes a mapping by titles and values, which reads the file', async () => {
    const found = await preview(french)
    assert.deepEqual([found.problems, found.undecided], [[], []])
    assert.deepEqual(found.proposal, {
      version: 1,
      columns: {
        at: 'Date',
        time: 'Heure',
        reference: 'Réf. transaction',
        kind: 'Type d’opération',
        phone: 'Téléphone',
        debit: 'Débit',
        credit: 'Crédit',
        balance: 'Solde',
        status: 'Statut',
        fees: ['Frais'],
      },
      dates: ['dd/MM/yyyy HH:mm'],
      kinds: { 'Paiement marchand': 'collect', Transfert: 'disburse' },
      statuses: { Succès: 'succeeded', Échec: 'failed' },
      skip: [{ begins: ['TOTAL'] }],
      balances: { opening: 'Solde initial' },
    })
    assert.deepEqual(problemsOf(found.proposal), [])
    assert.deepEqual([found.lines.length, found.opening, found.isWhole], [2, 10_000, true])
    assert.equal(found.skipped.length, 1)
    assert.deepEqual(found.columns.at(-1), {
      letter: 'K',
      title: 'Note',
      meaning: null,
      example: 'x',
    })
    assert.equal(found.columns[1]?.meaning, 'time')
  })

  it('leaves to a person what may mean two things', async () => {
    const unclear = [
      'Date,Receipt No,Type,Amount,Status',
      '11/12/2026,A1,Swap,"1,000",Completed',
      '12/11/2026,A2,Payment,"2,000",Bof',
    ].join('\n')
    const { undecided, proposal } = await preview(unclear)
    assert.deepEqual(
      undecided.map(({ text, values }) => fillIn(text, values)),
      [
        'dates: 11/12/2026 may be dd/MM/yyyy or MM/dd/yyyy; keep one of them',
        'decimal: say whether . or , stands before cents in 1,000',
        'kind: say what Swap means',
        'status: say what Bof means',
      ],
    )
    assert.match(problemsOf(proposal).join(), /is two dates by/)
  })

  it('shows a file that a given mapping does not fit, with its titles', async () => {
    const { problems, columns, mapping, proposal } = await preview(french, sound)
    assert.deepEqual([mapping, proposal], [null, null])
    assert.match(fillIn(problems[0]?.reason.text ?? '', problems[0]?.reason.values ?? {}), /Réf;/)
    assert.equal(columns[3]?.title, 'Type d’opération')
  })

  it('reads a thousand rows of a long file, shows some, and stops there', async () => {
    let chunks = 0
    async function* endless() {
      yield Buffer.from('moment;reference;our_reference;kind;number;amount;fee;status\n')
      for (; ; chunks += 1) yield Buffer.from('x;R;;collect;;5;0;succeeded\n'.repeat(50))
    }
    const { lines, problems, isWhole } = await previewStatement(endless(), undefined, 5)
    assert.deepEqual([lines.length, problems.length, isWhole], [0, 999, false])
    assert.ok(chunks < 25, `${chunks} chunks`)
  })

  it('reads XLSX, and tells what is no statement', async () => {
    const rows = french.split('\n').map((line) => line.split(';'))
    const [titles = [], ...rest] = rows.slice(2)
    const workbook = await bytesOf(writeXlsx(textTable(titles, rest)))
    const found = await preview(workbook)
    assert.deepEqual([found.format, found.lines.length, found.problems], ['xlsx', 2, []])
    for (const [file, problem] of [
      ['', /empty/],
      ['%PDF-1.4', /PDF/],
      ['<html></html>', /no statement/],
      ['\n \n', /are not known/],
      ['a;b\n1;2\n', /are not known/],
    ] as const) {
      const { problems, proposal } = await preview(file)
      assert.match(problems.map(({ reason }) => reason.text).join(), problem)
      assert.equal(proposal, null)
    }
  })
})
