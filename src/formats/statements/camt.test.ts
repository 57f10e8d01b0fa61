import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reason } from '#base/kit/refusal.ts'
import { chunksOf, statementOf } from '#test/statements.ts'
import type { Mapping } from './mapping.ts'
import { previewStatement } from './preview.ts'

const namespace = (version: string) => `urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}`

interface EntryFacts {
  amount?: string
  currency?: string
  side?: string
  status?: string
  booked?: string
  reference?: string
  code?: string
  charges?: string
  details?: string
  other?: string
}

const amountOf = (amount: string, currency = 'XOF') => `<Amt Ccy="${currency}">${amount}</Amt>`

function entry(facts: EntryFacts = {}): string {
  const { amount = '1000', currency = 'XOF', side = 'CRDT', status = 'BOOK' } = facts
  const { booked = '<DtTm>2026-11-16T10:30:00Z</DtTm>', reference = 'MP1', code = '' } = facts
  const { charges = '', details = '', other = '' } = facts
  return (
    `<Ntry>${amountOf(amount, currency)}<CdtDbtInd>${side}</CdtDbtInd>${other}` +
    `<Sts>${status}</Sts><BookgDt>${booked}</BookgDt>` +
    `${reference && `<AcctSvcrRef>${reference}</AcctSvcrRef>`}<BkTxCd>${code}</BkTxCd>` +
    `${charges}<NtryDtls>${details}</NtryDtls></Ntry>`
  )
}

const transaction = (id: string, more = '') =>
  `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs>${more}</TxDtls>`

const balance = (type: string, amount: string, side = 'CRDT', day = '2026-11-16') =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amountOf(amount)}` +
  `<CdtDbtInd>${side}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`

const statement = (content: string, account = '221770000000') =>
  `<Stmt><Id>S</Id><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>XOF</Ccy></Acct>` +
  `${content}</Stmt>`

const document = (content: string, version = '08') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace(version)}">` +
  `<BkToCstmrStmt><GrpHdr/>\n${content}</BkToCstmrStmt></Document>`

const read = (content: string, mapping?: Mapping) =>
  statementOf(document(statement(content)), mapping, { currency: 'XOF' })

describe('a statement as camt.053', () => {
  const versions = ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13']
  it('is read in each version, with and without a prefix, in an envelope', async () => {
    const record = '<Rcrd><Amt Ccy="XOF">12.00</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd>'
    for (const version of versions) {
      const isOld = version < '04'
      const content =
        balance('OPBD', '5000') +
        balance('CLBD', '5988.00') +
        entry({
          amount: '988.00',
          status: version < '08' ? 'BOOK' : '<Cd>BOOK</Cd>',
          charges: `<Chrgs>${isOld ? '<Amt Ccy="XOF">12.00</Amt>' : record}</Chrgs>`,
          details: transaction('0198-ours'),
        })
      const plain = document(statement(content), version)
      const prefixed = plain.replaceAll(/<(\/?)([A-Z])/g, '<$1n:$2').replace('xmlns=', 'xmlns:n=')
      const enveloped = plain.replace(/<Document[^]*$/, (text) => `<Envelope>${text}</Envelope>`)
      const utf16 = Buffer.from(`\ufeff${plain}`, 'utf16le')
      for (const file of [plain, prefixed, enveloped, utf16])
        for (const chunkBytes of [65_536, 11]) {
          const found = await statementOf(file, undefined, { chunkBytes })
          assert.deepEqual(found.problems, [])
          assert.deepEqual([found.opening, found.closing], [5000, 5988])
          assert.deepEqual(found.lines, [
            {
              line: 1,
              at: new Date('2026-11-16T10:30:00Z'),
              reference: 'MP1',
              ourReference: '0198-ours',
              kind: 'collect',
              phone: null,
              amount: 1000,
              sign: 1,
              fee: 12,
              status: 'succeeded',
              balance: null,
            },
          ])
        }
    }
  })

  const charge = (amount: string, more = '') =>
    `<Chrgs><Rcrd>${amountOf(amount)}${more}</Rcrd></Chrgs>`
  const domain = (subFamily: string) =>
    `<Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn>`
  // name, entry, kind, amount with its sign, fee, status
  const entries: [string, EntryFacts, string, number, number, string][] = [
    ['a credit', {}, 'collect', 1000, 0, 'succeeded'],
    ['a debit', { side: 'DBIT' }, 'disburse', -1000, 0, 'succeeded'],
    [
      'a debit with charges',
      { side: 'DBIT', charges: charge('10') },
      'disburse',
      -990,
      10,
      'succeeded',
    ],
    [
      'charges with tax',
      { charges: charge('10', `<Tax>${amountOf('2')}</Tax>`) },
      'collect',
      1012,
      12,
      'succeeded',
    ],
    [
      'charges for information',
      { charges: charge('10', '<ChrgInclInd>false</ChrgInclInd>') },
      'collect',
      1000,
      0,
      'succeeded',
    ],
    [
      'a debit of charges alone',
      { side: 'DBIT', charges: charge('1000') },
      'fee',
      -1000,
      0,
      'succeeded',
    ],
    ['what is not booked yet', { status: '<Cd>PDNG</Cd>' }, 'collect', 1000, 0, 'pending'],
    [
      'a reversal',
      { side: 'DBIT', other: '<RvslInd>true</RvslInd>' },
      'reverse',
      -1000,
      0,
      'succeeded',
    ],
    ['fees', { side: 'DBIT', code: domain('CHRG'), reference: '' }, 'fee', -1000, 0, 'succeeded'],
    ['a transfer', { code: domain('BOOK'), reference: '' }, 'transfer', 1000, 0, 'succeeded'],
    [
      'a code of the mapping',
      { code: '<Prtry><Cd>Salaires</Cd></Prtry>' },
      'other',
      1000,
      0,
      'succeeded',
    ],
  ]
  const words: Mapping = { version: 1, columns: { at: '-' }, kinds: { SALAIRES: 'other' } }
  for (const [name, facts, kind, amount, fee, status] of entries)
    it(`reads ${name}`, async () => {
      const { lines, problems } = await read(entry(facts), words)
      const [line] = lines
      assert.deepEqual(problems, [])
      assert.deepEqual(
        [line?.kind, (line?.sign ?? 0) * (line?.amount ?? 0), line?.fee, line?.status],
        [kind, amount, fee, status],
      )
    })

  it('has a line for each transaction of an entry, however many', async () => {
    const many = [300, 200].map((amount, index) =>
      transaction(`ours-${index}`, amountOf(String(amount))),
    )
    const { lines, problems } = await read(entry({ amount: '500', details: many.join('') }))
    assert.deepEqual(problems, [])
    assert.deepEqual(
      lines.map(({ line, reference, ourReference, amount }) => [
        line,
        reference,
        ourReference,
        amount,
      ]),
      [
        [1, 'MP1/1', 'ours-0', 300],
        [2, 'MP1/2', 'ours-1', 200],
      ],
    )
    const charged = await read(
      entry({ amount: '490', details: many.join(''), charges: charge('10') }),
    )
    assert.deepEqual(
      charged.lines.map(({ kind, amount, sign }) => [kind, amount, sign]),
      [
        ['collect', 300, 1],
        ['collect', 200, 1],
        ['fee', 10, -1],
      ],
    )
    const wrong = await read(entry({ amount: '501', details: many.join('') }))
    assert.match(wrong.problems.join(), /Ntry\[1\]\/Amt: the amount is 501, but .* make 500 francs/)
  })

  it('takes the time of a transaction where its entry has the day only', async () => {
    const details = transaction('o', '<RltdDts><TxDtTm>2026-11-16T08:00:00Z</TxDtTm></RltdDts>')
    const { lines } = await read(entry({ booked: '<Dt>2026-11-16</Dt>', details }))
    assert.equal(lines[0]?.at.toISOString(), '2026-11-16T08:00:00.000Z')
  })

  it('adds the balances of accounts, and wants statements of one account to follow', async () => {
    const day = (opening: string, closing: string, account?: string) =>
      statement(balance('OPBD', opening) + balance('CLBD', closing), account)
    const two = await statementOf(document(day('10', '20') + day('20', '35') + day('1', '2', 'B')))
    assert.deepEqual([two.problems, two.opening, two.closing], [[], 11, 37])
    const gap = await statementOf(document(day('10', '20') + day('25', '35')))
    assert.match(gap.problems.join(), /opens with 25 francs, but the one before it closed with 20/)
    const debit = await statementOf(document(statement(balance('CLBD', '20', 'DBIT'))))
    assert.equal(debit.closing, -20)
  })

  it('tells of entries that are for information, and of entries that are missing', async () => {
    const { skipped, lines } = await read(entry({ status: '<Cd>INFO</Cd>' }))
    assert.deepEqual([lines, skipped.length], [[], 1])
    const summary = '<TxsSummry><TtlNtries><NbOfNtries>3</NbOfNtries></TtlNtries></TxsSummry>'
    const short = await read(summary + entry() + entry())
    assert.match(short.problems.join(), /tells of 3 entries, but has 2/)
  })

  it('without a statement or an entry is a problem of its preview already', async () => {
    const problemsOf = async (content: string) =>
      (await previewStatement(chunksOf(Buffer.from(document(content)), 1000), undefined)).problems
    for (const content of ['', statement(balance('OPBD', '5') + balance('CLBD', '5'))])
      assert.deepEqual(await problemsOf(content), [
        { line: 0, reason: reason('The file has no lines') },
      ])
    assert.deepEqual(await problemsOf(statement(entry())), [])
  })

  // name, file, problem
  const refused: [string, string, RegExp][] = [
    [
      'cents',
      document(statement(entry({ amount: '10.50' }))),
      /^Line 3, column Ntry\[1\]\/Amt: 10.50/,
    ],
    [
      'another currency',
      document(statement(entry({ currency: 'EUR' }))),
      /EUR is not the currency of/,
    ],
    ['no amount', document(statement(entry({ amount: '' }))), /Ntry\[1\]\/Amt: the cell is empty/],
    ['zero', document(statement(entry({ amount: '0.00' }))), /the amount is zero/],
    ['a sign', document(statement(entry({ amount: '-5' }))), /-5 is not an amount in francs/],
    ['no side', document(statement(entry({ side: 'X' }))), /X is no known direction/],
    ['a status', document(statement(entry({ status: 'X' }))), /X is no known status.*BOOK, PDNG/],
    ['no date', document(statement(entry({ booked: '' }))), /BookgDt: {2}is not a date/],
    [
      'no reference',
      document(statement(entry({ reference: '' }))),
      /AcctSvcrRef: the cell is empty/,
    ],
    ['a balance', document(statement(balance('CLBD', '1.5'))), /balance\/Amt: 1.5 is not whole/],
    ['a later version', document('', '14'), /camt.053.001.14 is not a statement that can be read/],
    ['another message', document('').replace('053', '054'), /camt.054.001.08 is not a statement/],
    ['no namespace', document('').replace(/xmlns="[^"]*"/, ''), /- is not a statement/],
    ['a web page', '<html></html>', /no statement/],
    [
      'a file that is cut',
      document(statement(entry())).slice(0, -40),
      /^Line 3: the XML cannot be/,
    ],
    ['a document type', '<!DOCTYPE x [<!ENTITY a "b">]><Document/>', /it has a document type/],
    ['an entity', document('&lol;'), /the XML cannot be read: .*entity/],
    ['depth', document('<a>'.repeat(99)), /nested deeper than 64/],
    [
      'a long element',
      document(statement(entry({ reference: 'x'.repeat(2001) }))),
      /2000 characters/,
    ],
    ['a document in a document', document(document('').slice(39)), /no statement/],
  ]
  for (const [name, file, problem] of refused)
    it(`refuses ${name}`, async () => {
      const { problems } = await statementOf(file)
      assert.match(problems.join('\n'), problem)
    })

  it('does not mix currencies, whichever comes first', async () => {
    const both = entry({ currency: 'XAF' }) + entry({ currency: 'XOF' })
    const { problems, lines } = await statementOf(document(statement(both)))
    assert.deepEqual([problems.length, lines.length], [1, 1])
    assert.match(problems.join(), /XOF is not the currency of this account, XAF/)
  })
})
