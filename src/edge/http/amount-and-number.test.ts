import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addEcho, assertGeneralError, echo, echoBody, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const app = await gateway.start({ routes: addEcho })

// JSON texts. Whole francs from 200 to 1,000,000 are accepted, in any notation of exactly that
// number, and nine digits, also as people write them or with the code of the service's country.
const amounts = {
  passing: `200 201 500 999999 1000000 200.0 200.00000 1000000.0 2e2 2E2 2e+2 0.2e3 2000e-1 1e3 1e6
    1.0e6 10000.00e2 "200" "200.0" "5000.00" "1000000.0"`,
  refused: `199 0 -0 -1 -200 1 100 199.99 200.5 200.1 999999.5 1000000.5 1000001 1000000.01 2000000
    -1000000 1e7 1e21 1e308 -1e308 1e999 -1e999 5e-324 2e-2 0.2 1.5e2 9007199254740993
    99999999999999999999 200.0000001 2147483648 -2147483649 4294967496 18446744073709551816
    "" "0" "199" "1000001" "0x2710" " 200" "200 " "+200" "200." "200.50" "2e2" "5e3" "-200"
    "0x100" "0b11001000" "0o310" "200abc" "1,000"
    "1 000" "1_000" "٢٠٠" "２００" "二百" "Ⅽ" "NaN" "Infinity" "-Infinity" "null" "true" "\\u0000"
    "200\\u0000" "500\\n" "\\u200b200" "500 FCFA" "XOF 500" "$500" "500,00" "five hundred"
    true false null [] [200] [[200]] ["200"] [200,200] {} {"amount":200} {"valueOf":200}
    {"$numberInt":"200"} {"toString":"200"} [null] [true] ""`,
}

const numbers = {
  passing: `"771234567" "000000000" "999999999" "123456789" "070000000" "\\u0037\\u00371234567"
    "77 123 45 67" "77.123.45.67" "77-123-45-67" "77\\u202f123\\u00a045 67" "+221 77 123 45 67"
    "+221771234567"
    "221771234567" "00221771234567" "221 77 123 45 67"`,
  refused: `"" " " "7" "77123456" "7712345678" "77123456a" "a77123456" "77 123 45" "77-123-45"
    "77.12.345" "+22177123" "+77123456" "-77123456" "00221771" "2217712345678" "+225771234567"
    "225771234567"
    " 771234567" "771234567 " "77  1234567" "771234567\\n" "\\n771234567" "771234567\\r\\n"
    "77123\\n4567"
    "771234567\\t" "771234567\\u0000" "\\u000077123456" "\\u0000" "771234567\\u200b"
    "\\ufeff771234567" "771234567\\u2028" "٧٧١٢٣٤٥٦٧" "۷۷۱۲۳۴۵۶۷" "７７１２３４５６７" "७७१२३४५६७"
    "𝟕𝟕𝟏𝟐𝟑𝟒𝟓𝟔𝟕" "①②③④⑤⑥⑦⑧⑨" "77123456７" "77123456٧" "7.7123e8" "0x2DF6DC7" "7712345.0"
    "771234567;" "771234567'" "771234567--" "' or 1=1" "<script>1" "771,234,567" "771234567x"
    "\\ud800" "77123456\\ud800" "771234567\\ud83d\\ude00" "ABCDEFGHI" "NaN" "null"
    771234567 77123456 0 7.71234567e8 -771234567 123456789.0 true false null [] ["771234567"]
    [7,7,1,2,3,4,5,6,7] {} {"number":"771234567"} {"length":9}`,
}

/** The JSON values in a text, separated by white space. */
function valuesOf(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|\[[^\s]*\]|\{[^\s]*\}|[^\s]+/g) ?? []
}

for (const [field, code, { passing, refused }] of [
  ['amount', 'INVALID_AMOUNT', amounts],
  ['number', 'INVALID_PHONE', numbers],
] as const)
  describe(field, () => {
    for (const value of valuesOf(passing))
      it(`${field} ${value} is accepted`, () => check(field, value))
    for (const value of valuesOf(refused))
      it(`${field} ${value} is refused`, () => check(field, value, code))
    it(`a missing ${field} is refused`, () => check(field, undefined, code))
  })

async function check(field: string, value: string | undefined, code?: string): Promise<void> {
  const others = Object.entries(echoBody).filter(([name]) => name !== field)
  const members = others.map(([name, one]) => `"${name}":${JSON.stringify(one)}`)
  if (value !== undefined) members.push(`"${field}":${value}`)
  const answer = await app.send(`POST ${echo}`, { body: `{${members.join()}}` })
  assert.equal(answer.status, code === undefined ? 201 : 400, answer.text)
  if (code === undefined) {
    const sent = JSON.parse(value ?? '')
    const taken = field === 'amount' ? Number(sent) : sent.replaceAll(/[^0-9]/g, '').slice(-9)
    assert.equal(answer.body[field], taken)
    return
  }
  assertGeneralError(answer, code)
  assert.equal(answer.body.param, field)
  assert.equal((answer.body.message as string[]).length, 1)
}

it('at least 150 values are tested', () => {
  const all = [amounts, numbers].flatMap(({ passing, refused }) => valuesOf(passing + refused))
  assert.ok(all.length >= 150, `${all.length}`)
})
