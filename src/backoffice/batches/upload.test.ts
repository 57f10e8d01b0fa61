import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Language } from '#base/kit/language.ts'
import { fillIn } from '#base/kit/refusal.ts'
import { french } from '#edge/wire/french.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { approved, payoutFile, upload } from '#test/batches.ts'
import { contentsOf, liveGateway } from '#test/live.ts'
import { assertGivesTurns } from '#test/longest-work.ts'
import { assertMoney } from '#test/money.ts'
import { bytesOf, zipOf } from '#test/tables.ts'
import { eventually } from '#test/wait.ts'
import { uploadLimits } from './upload.ts'

const live = await liveGateway({ linesPerSecond: 50 })
const { db, clientId, batches } = live
const all = { after: 0, limit: 1000 }

/** The lines of an uploaded file, as short texts. */
async function linesOf(text: string | Buffer) {
  const batch = await upload(live, clientId, text)
  const lines = await batches.lines(batch, all)
  return lines.map((line) => ({
    ...line,
    errors: line.errors.map((one) => `${one.field}: ${fillIn(one.text, one.values)}`),
    warnings: line.warnings.map((one) => fillIn(one.text, one.values)),
  }))
}

describe('a file of payouts', () => {
  // header, line, what is read
  const readable: [string, string, string, [string, string, number]][] = [
    [
      'a code',
      'Numéro;Montant;Service',
      '771234567;15000;WALLETA_SN_CASHIN',
      ['771234567', 'WALLETA_SN_CASHIN', 15_000],
    ],
    [
      'spaces',
      'Numéro;Montant;Service',
      '77 123 45 67;1 000 000;walletb_sn_cashin',
      ['771234567', 'WALLETB_SN_CASHIN', 1_000_000],
    ],
    [
      'a unit',
      'Number,Amount,Wallet,Country',
      '+221771234567,"15\u202f000 F CFA",Wallet A,SN',
      ['771234567', 'WALLETA_SN_CASHIN', 15_000],
    ],
    [
      'a country by its name',
      'tel;somme;operateur;pays',
      "0707070707;500;WALLETB;Côte d'Ivoire",
      ['707070707', 'WALLETB_CI_CASHIN', 500],
    ],
    [
      'a country by the number',
      'phone;amount;wallet',
      '+225 07 07 07 07 07;500;WALLETA',
      ['707070707', 'WALLETA_CI_CASHIN', 500],
    ],
    [
      'the only country of a wallet',
      'phone;amount;wallet',
      '771234567;500;wallet-c',
      ['771234567', 'WALLETC_SN_CASHIN', 500],
    ],
    [
      'a code as wallet',
      'phone;amount;wallet',
      '771234567;500;WALLETD_SN_CASHIN',
      ['771234567', 'WALLETD_SN_CASHIN', 500],
    ],
  ] // prettier-ignore
  for (const [name, header, line, [phone, serviceCode, amount]] of readable)
    it(`is read with ${name}`, async () => {
      const [read] = await linesOf(`${header}\n${line}\n`)
      assert.deepEqual(read?.errors, [])
      assert.deepEqual(
        { phone: read?.phone, serviceCode: read?.serviceCode, amount: read?.amount },
        { phone, serviceCode, amount },
      )
    })

  // line (number;amount;wallet;country;name;external id), errors
  const faulty: [string, RegExp[]][] = [
    ['77123456;500;WALLETC;;', [/^number: 77123456 is not a phone number/]],
    ['+225 0707070707;500;WALLETC;;', [/^number: .* is not one of Senegal/]],
    [';;;;', []],
    ['771234567;;;;Awa', [/^wallet: The wallet is missing/, /^amount: The amount is missing/]],
    ['771234567;500.50;WALLETC;;', [/^amount: 500.50 is not a whole amount/]],
    ['771234567;1.000;WALLETC;;', [/^amount: 1.000 is not a whole amount/]],
    ['771234567;7,71E+08;WALLETC;;', [/^amount/]],
    ['771234567;-500;WALLETC;;', [/^amount/]],
    ['771234567;=500;WALLETC;;', [/^amount/]],
    ['771234567;199;WALLETC;;', [/^amount: The amount must be from 200 to 1000000 francs/]],
    ['771234567;99999999999999999999;WALLETC;;', [/^amount/]],
    ['771234567;500;WALLETA;;', [/^country: The country is missing/]],
    ['771234567;500;WALLETA;ML;', [/^country: The wallet WALLETA has no payouts in ML/]],
    ['771234567;500;WALLETA;Gabon;', [/^country: There is no country Gabon/]],
    ['771234567;500;WALLETZ;SN;', [/^wallet: No payouts are made to the wallet WALLETZ/]],
    ['771234567;500;WALLETA_SN_CASHOUT;;', [/^service: .*did you mean WALLETA_SN_CASHIN/]],
    [`771234567;500;WALLETC;;${'n'.repeat(201)}`, [/^name: .* 200 characters/]],
    ['771234567;500;WALLETC;;"a\nb"', [/^name: .*line breaks/]],
    [`771234567;500;WALLETC;;;${'i'.repeat(121)}`, [/^externalId: .* 120 characters/]],
    ['771234567;500;WALLETC;;;merchant', [/^externalId: The external id must not be merchant/]],
  ] // prettier-ignore
  it('is shown with every error by line', async () => {
    const header = 'Numéro;Montant;Portefeuille;Pays;Nom;Identifiant'
    const expected = faulty.filter(([, errors]) => errors.length > 0)
    const lines = await linesOf([header, ...faulty.map(([line]) => line)].join('\n'))
    assert.equal(lines.length, expected.length, 'empty lines are left out')
    lines.forEach((line, index) => {
      const [text, errors] = expected[index] ?? ['', []]
      assert.equal(line.state, 'faulty', text)
      assert.equal(line.errors.length, errors.length, `${text}: ${line.errors.join(' | ')}`)
      for (const [at, error] of errors.entries()) assert.match(line.errors[at] ?? '', error)
    })
    const [first] = await batches.list(clientId, { limit: 1 })
    await assert.rejects(batches.propose({ ...(first ?? assert.fail()), actor: 'awa' }), {
      message: `${expected.length} lines have errors: correct the file and upload it again`,
    })
  })

  it('has totals by wallet, with the fees of the contract', async () => {
    const lines = [
      '771234567;1000;WALLETA_SN_CASHIN',
      '771234568;2000;WALLETA_SN_CASHIN',
      '771234569;5000;WALLETB_SN_CASHIN',
      'x;1;y',
    ] // prettier-ignore
    const batch = await upload(live, clientId, payoutFile(lines))
    assert.deepEqual(
      [batch.lines, batch.faulty, batch.amount, batch.fee, batch.waiting],
      [4, 1, 8000, 160, 3],
    )
    assert.deepEqual(await batches.totals(batch), [
      { serviceCode: 'WALLETA_SN_CASHIN', lines: 2, amount: 3000, fee: 60 },
      { serviceCode: 'WALLETB_SN_CASHIN', lines: 1, amount: 5000, fee: 100 },
    ])
  })

  it('is read from XLSX, with a title above the header', async () => {
    const file = readFileSync(new URL('../../../test/files/sheetjs.xlsx', import.meta.url))
    await assert.rejects(upload(live, clientId, file), /no column Service/)
    const columns = ['Number', 'Amount', 'Wallet'].map((title) => ({
      title,
      kind: 'whole' as const,
      width: 9,
    }))
    const rows = [[771_234_567, 7000, 'WALLETC']]
    const [line] = await linesOf(await bytesOf(writeXlsx({ title: 'Paie', columns, rows })))
    assert.deepEqual([line?.phone, line?.amount, line?.errors], ['771234567', 7000, []])
  })

  it('is refused as a whole, without a trace, when it cannot be read', async () => {
    const before = await contentsOf(db)
    const bomb = await zipOf({ 'xl/workbook.xml': [Buffer.alloc(60_000_000, ' ')] })
    const tooMany = payoutFile(Array.from({ length: 10_001 }, () => 'x;1;y'))
    const refused: [string | Buffer, RegExp][] = [
      ['', /The file is empty/],
      ['hello\nworld\n', /no line with the titles/],
      ['Numéro;Montant\n1;2\n', /no column Service, Portefeuille \/ Wallet/],
      ['Numéro;Nom\n1;2\n', /no column Montant \/ Amount; .*no column Service/],
      ['Numéro;Montant;Service;Tel\n1;2;3;4\n', /Two columns are titled Tel/],
      ['Numéro;Montant;Service\n', /has no lines/],
      [tooMany, /at most 10000 lines/],
      [Buffer.alloc(uploadLimits.bytesMax + 1, '\n'), /larger than 5000000 bytes/],
      [bomb, /a text is longer than 1000000 characters/],
      [payoutFile(['771234567;500;"x']), /^Line 2: a quote/],
    ]
    for (const [file, problem] of refused)
      await assert.rejects(upload(live, clientId, file), { name: 'Refusal', message: problem })
    assert.deepEqual(await contentsOf(db), before)
  })

  it('may not use an external id twice, in the file or at all', async () => {
    const header = 'Numéro;Montant;Service;Identifiant'
    await approved(live, clientId, ['771234571;700;WALLETC_SN_CASHIN'])
    const own = `${header}\n771234570;600;WALLETC_SN_CASHIN;pay-1\n`
    const batch = await upload(live, clientId, own)
    await batches.propose({ ...batch, actor: 'awa' })
    await batches.approve({ ...batch, actor: 'binta' })
    await ended(batch)
    const again = own.split('\n')[1]?.replace('pay-1', 'pay-2')
    const lines = await linesOf(`${own}771234572;600;WALLETC_SN_CASHIN;pay-2\n${again}`)
    assert.deepEqual(
      lines.map(({ errors }) => errors),
      [
        ['externalId: The external id pay-1 is already used'],
        [],
        ['externalId: Line 3 has the same external id'],
      ],
    )
  })

  it('is flagged where it repeats itself or a recent batch', async () => {
    const { clientId: other } = await live.newMerchant()
    const file = payoutFile([
      '771234567;500;WALLETC_SN_CASHIN',
      '771234567;600;WALLETC_SN_CASHIN',
      '771234567;500;WALLETC_SN_CASHIN',
    ])
    const first = await upload(live, other, file, 'Octobre')
    const warningsOf = async (id: string) =>
      (await batches.lines({ clientId: other, id }, all)).map(({ warnings }) =>
        warnings.map((one) => fillIn(one.text, one.values)),
      )
    const repeats = 'has the same number, wallet and amount'
    assert.deepEqual(await warningsOf(first.id), [[`Line 4 ${repeats}`], [], [`Line 2 ${repeats}`]])
    assert.deepEqual(first.warnings, [])
    const second = await upload(live, other, file, 'Novembre')
    assert.deepEqual(
      second.warnings.map((one) => fillIn(one.text, one.values)),
      ['The same file was uploaded before, as Octobre'],
    )
    assert.deepEqual((await warningsOf(second.id))[1], [`The batch Octobre ${repeats}`])
    for (const { id } of [first, second])
      await batches.cancel({ clientId: other, id, actor: 'awa' })
    const third = await upload(live, other, file, 'Décembre')
    assert.deepEqual([third.warnings, (await warningsOf(third.id))[1]], [[], []])
  })

  it('is compared with earlier ones line by line, not all lines with all', async () => {
    const { clientId: other } = await live.newMerchant()
    // The longest, to one number. All with all take PostgreSQL longer than a statement may.
    const file = payoutFile(
      Array.from({ length: 10_000 }, (_, at) => `771234567;${500 + at};WALLETC_SN_CASHIN`),
    )
    await upload(live, other, file)
    let id = ''
    await assertGivesTurns(async () => ({ id } = await upload(live, other, file)))
    const [row] = await db<{ flagged: number }>`
      select count(*) as flagged from batch_lines
      where (client_id, batch_id) = (${other}, ${id}) and warnings <> '[]'`
    assert.equal(row?.flagged, 10_000)
  })
})

describe('the template', () => {
  for (const language of ['fr', 'en'] as Language[])
    it(`in ${language} is understood when it is filled in`, async () => {
      for (const write of [writeCsv, writeXlsx]) {
        const table = batches.template(language)
        const empty = await bytesOf(write(table))
        await assert.rejects(upload(live, clientId, empty), /The file has no lines/)
        const row = ['771234567', '5000', 'WALLETA', 'SN', 'Awa', 'Paie', 'own-1']
        const [line] = await linesOf(await bytesOf(write({ ...table, rows: [row] })))
        assert.deepEqual(line?.errors, [])
        assert.deepEqual([line?.reference, line?.externalId], ['Paie', 'own-1'])
      }
    })
})

it('says in French everything that a file can be refused for', async () => {
  const rows = await db<{ text: string }>`
    select distinct jsonb_array_elements(errors || warnings) ->> 'text' as text from batch_lines`
  assert.ok(rows.length > 12)
  for (const { text } of rows) assert.ok(text in french, text)
  await assertMoney(live)
})

async function ended({ id }: { id: string }) {
  await eventually('it has finished', async () => {
    await batches.marks([`${clientId} ${id}`])
    return (await batches.get({ clientId, id })).state === 'finished'
  })
}
