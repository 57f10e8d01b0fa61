import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statementOf } from '#test/statements.ts'

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

const balance = (type: string, amount: string, side = 'CRDT') =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amountOf(amount)}` +
  `<CdtDbtInd>${side}</CdtDbtInd><Dt><Dt>2026-11-16</Dt></Dt></Bal>`

const statement = (content: string, account = '221770000000') =>
  `<Stmt><Id>S</Id><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>XOF</Ccy></Acct>` +
  `${content}</Stmt>`

const document = (content: string, version = '08') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace(version)}">` +
  `<BkToCstmrStmt><GrpHdr/>\n${content}</BkToCstmrStmt></Document>`

const read = (content: string) =>
  statementOf(document(statement(content)), undefined, { currency: 'XOF' })

describe('in camt.053', () => {
  const spaced = (text: string) => [text, ` ${text}\n`, `\t${text}<!-- kept -->`]
  const chargeOf = (content: string) => `<Chrgs><Rcrd>${amountOf('10')}${content}</Rcrd></Chrgs>`
  const sole = async (facts: EntryFacts) => {
    const { problems, lines } = await read(entry(facts))
    assert.ok(problems.length <= 1 && lines.length <= 1, 'at most one of each')
    return problems[0] ?? lines[0] ?? assert.fail('neither a line nor a problem')
  }
  const problemOf = (found: Awaited<ReturnType<typeof sole>>) => {
    assert.ok(typeof found === 'string', 'a problem')
    return found
  }

  // text, what it says; undefined: nothing
  const booleans: [string, boolean | undefined][] = [
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ['TRUE', undefined],
    ['no', undefined],
    ['01', undefined],
    ['2', undefined],
  ]
  for (const [text, expected] of booleans)
    it(`${text} is ${expected ?? 'neither true nor false'}`, async () => {
      for (const one of spaced(text)) {
        const charged = await sole({ charges: chargeOf(`<ChrgInclInd>${one}</ChrgInclInd>`) })
        const reversed = await sole({ other: `<RvslInd>${one}</RvslInd>` })
        const found = [charged, reversed].map((line) =>
          typeof line === 'object' ? line : undefined,
        )
        assert.deepEqual(
          [found[0]?.amount, found[0]?.fee, found[1]?.kind],
          expected === undefined
            ? [undefined, undefined, undefined]
            : [expected ? 1010 : 1000, expected ? 10 : 0, expected ? 'reverse' : 'collect'],
        )
        if (expected === undefined)
          for (const problem of [charged, reversed])
            assert.match(problemOf(problem), /Ntry\[1\]\/\S+: \S+ is neither true nor false$/)
      }
    })

  // text, francs; a text: what is wrong
  const decimals: [string, number | string][] = [
    ['1000', 1000],
    ['+1000', 1000],
    ['0001000', 1000],
    [`${'0'.repeat(30)}1000`, 1000],
    ['1000.', 1000],
    ['1000.0', 1000],
    ['1000.00000', 1000],
    [`1000.${'0'.repeat(30)}`, 1000],
    ['999999999999999', 999_999_999_999_999],
    ['1000.5', 'is not whole francs'],
    ['.5', 'is not whole francs'],
    ['1000.00001', 'is not whole francs'],
    ['0', 'the amount is zero'],
    ['-0', 'the amount is zero'],
    ['.00', 'the amount is zero'],
    ['-1000', 'is not an amount'],
    ['1e3', 'is not an amount'],
    ['1E3', 'is not an amount'],
    ['1 000', 'is not an amount'],
    ['1,000', 'is not an amount'],
    ['0x10', 'is not an amount'],
    ['INF', 'is not an amount'],
    ['NaN', 'is not an amount'],
    ['.', 'is not an amount'],
    ['+', 'is not an amount'],
    ['--1', 'is not an amount'],
    ['١٢٣', 'is not an amount'],
    ['9999999999999999', 'is not an amount'],
  ]
  for (const [text, expected] of decimals)
    it(`${text.slice(0, 30)} is an amount, or is not`, async () => {
      for (const one of spaced(text)) {
        const found = await sole({ amount: one })
        if (typeof found === 'object') assert.equal(found.amount, expected)
        else assert.ok(found.includes(String(expected)), found)
      }
    })

  // text, sign; undefined: none
  const sides: [string, 1 | -1 | undefined][] = [
    ['CRDT', 1],
    ['DBIT', -1],
    ['crdt', undefined],
    ['C', undefined],
    ['+', undefined],
  ]
  for (const [text, sign] of sides)
    it(`${text} is ${sign ?? 'no'} direction`, async () => {
      for (const one of spaced(text)) {
        const moved = await sole({ side: one })
        // A charge that is a credit was given back.
        const charges = chargeOf(`<CdtDbtInd>${one}</CdtDbtInd>`) + chargeOf('').repeat(2)
        const charged = await sole({ charges })
        const held = await read(balance('CLBD', '20', one))
        if (sign === undefined) {
          for (const problem of [moved, charged, ...held.problems])
            assert.match(problemOf(problem), /CdtDbtInd: \S+ is no known direction/)
          assert.equal(held.closing, undefined)
        } else {
          assert.equal(typeof moved === 'object' && moved.sign, sign)
          assert.equal(typeof charged === 'object' && charged.fee, 20 - 10 * sign)
          assert.equal(held.closing, 20 * sign)
        }
      }
    })

  // element, moment; undefined: none
  const moments: [string, string | undefined][] = [
    ['<Dt>2026-11-16</Dt>', '2026-11-16T00:00:00.000Z'],
    ['<Dt>2026-11-16Z</Dt>', '2026-11-16T00:00:00.000Z'],
    ['<Dt>2026-11-16+01:00</Dt>', '2026-11-15T23:00:00.000Z'],
    ['<Dt>2026-11-16-14:00</Dt>', '2026-11-16T14:00:00.000Z'],
    ['<Dt>2026-02-29</Dt>', undefined],
    ['<Dt>26-11-16</Dt>', undefined],
    ['<Dt>-2026-11-16</Dt>', undefined],
    ['<Dt>12026-11-16</Dt>', undefined],
    ['<DtTm>2026-11-16T10:30:00</DtTm>', '2026-11-16T10:30:00.000Z'],
    ['<DtTm>2026-11-16T10:30:00.5</DtTm>', '2026-11-16T10:30:00.500Z'],
    ['<DtTm>2026-11-16T10:30:00.123456789012-05:30</DtTm>', '2026-11-16T16:00:00.123Z'],
    ['<DtTm>2026-11-16T24:00:00Z</DtTm>', '2026-11-17T00:00:00.000Z'],
    ['<DtTm>2026-11-16T24:00:01Z</DtTm>', undefined],
    ['<DtTm>2026-11-16T10:30:00+15:00</DtTm>', undefined],
    ['<DtTm>2026-11-31T10:30:00Z</DtTm>', undefined],
  ]
  for (const [booked, expected] of moments)
    it(`${booked} is ${expected ?? 'no moment'}`, async () => {
      for (const one of [booked, booked.replace('>', '> ').replace('</', '\n</')]) {
        const found = await sole({ booked: one })
        if (expected === undefined) assert.match(problemOf(found), /is not a date/)
        else {
          assert.equal(typeof found === 'object' && found.at.toISOString(), expected)
          const isDay = typeof found === 'object' && found.isDay === true
          assert.equal(isDay, !booked.startsWith('<DtTm>'))
        }
      }
    })
})
