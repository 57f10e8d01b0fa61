import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { chunksOf, statementOf } from '#test/statements.ts'
import { mappingProblems } from './check-mapping.ts'
import { previewStatement } from './preview.ts'

const read = (name: string) =>
  readFileSync(new URL(`../../../test/statements/${name}`, import.meta.url))

describe('statements as providers export them', () => {
  // file, mapping, lines as kind and effect, opening and closing balance
  const examples: [string, string | undefined, string[], number?, number?][] = [
    [
      'wallet-latin1.csv',
      'wallet-latin1.json',
      ['transfer -500000', 'collect 0', 'reverse -15000', 'disburse -10118', 'collect 47228'],
      1_250_000,
      772_110,
    ],
    [
      'wallet-signed.csv',
      'wallet-signed.json',
      ['collect 9900', 'collect 1485', 'disburse -5050', 'reverse -10000', 'transfer -3000'],
    ],
    [
      'wallet-workbook.xlsx',
      'wallet-workbook.json',
      ['collect 11880', 'collect 3465', 'collect 0', 'transfer -15000'],
      100_000,
      100_345,
    ],
    [
      'bank-camt053.xml',
      undefined,
      ['collect 4950', 'disburse -10000', 'transfer -5000', 'fee -200'],
      200_000,
      189_750,
    ],
  ]
  for (const [file, mappingFile, expected, opening, closing] of examples)
    it(`reads ${file}, and its balances are what its lines make`, async () => {
      const mapping =
        mappingFile === undefined ? undefined : JSON.parse(read(mappingFile).toString())
      if (mapping !== undefined) assert.deepEqual(mappingProblems(mapping), [])
      const found = await statementOf(read(file), mapping)
      const effects = found.lines.map(({ sign, amount, fee, status }) =>
        status === 'succeeded' ? sign * amount - fee : 0,
      )
      assert.deepEqual(found.problems, [])
      assert.deepEqual(
        found.lines.map(({ kind }, index) => `${kind} ${effects[index]}`),
        expected,
      )
      assert.deepEqual([found.opening, found.closing], [opening, closing])
      const sum = effects.reduce((total, one) => total + one, 0)
      if (opening !== undefined) assert.equal(opening + sum, closing)
      const preview = await previewStatement(chunksOf(read(file), 512), mapping)
      assert.deepEqual([preview.problems, preview.lines.length], [[], expected.length])
    })

  for (const file of ['wallet-latin1.csv', 'wallet-signed.csv', 'wallet-workbook.xlsx'])
    it(`proposes a mapping for ${file}`, async () => {
      const preview = await previewStatement(chunksOf(read(file), 512), undefined)
      assert.deepEqual(preview.undecided, [])
      assert.deepEqual(mappingProblems(preview.proposal), [])
      assert.deepEqual(preview.problems, [])
      assert.ok(preview.lines.length >= 4)
    })
})
