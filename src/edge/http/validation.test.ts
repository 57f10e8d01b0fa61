import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addEcho, assertGeneralError, echo, echoBody, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const app = await gateway.start({ routes: addEcho })

const sentAsNumber = 'was sent as a number: send it as text, in quotes'
const envoyeCommeNombre = 'a été envoyé comme un nombre : envoyez-le comme texte, entre guillemets'
const amount = 'amount must be a whole number from 200 to 1000000'
const number = 'number must be exactly 9 digits, without country code'
const montant = 'amount doit être un nombre entier de 200 à 1000000'
const numero = 'number doit comporter exactement 9 chiffres, sans indicatif'

interface Scenario {
  name: string
  change: Record<string, unknown>
  english: string[]
  french: string[]
  code: string
  param?: string
}

const scenarios: Scenario[] = [
  {
    name: 'a wrong amount',
    change: { amount: '500.50' },
    english: [amount],
    french: [montant],
    code: 'INVALID_AMOUNT',
    param: 'amount',
  },
  {
    name: 'a number of the wrong type',
    change: { number: 771234567 },
    english: [`number ${sentAsNumber}`],
    french: [`number ${envoyeCommeNombre}`],
    code: 'INVALID_PHONE',
    param: 'number',
  },
  {
    name: 'a missing amount',
    change: { amount: undefined },
    english: ['amount is required'],
    french: ['amount est obligatoire'],
    code: 'INVALID_AMOUNT',
    param: 'amount',
  },
  {
    name: 'a misspelt amount',
    change: { amount: undefined, ammount: 500 },
    english: ['amount is required: you sent ammount, did you mean amount?'],
    french: ['amount est obligatoire : vous avez envoyé ammount, vouliez-vous dire amount ?'],
    code: 'INVALID_AMOUNT',
    param: 'amount',
  },
  {
    name: 'a wrong amount and number',
    change: { amount: 1, number: '1' },
    english: [amount, number],
    french: [montant, numero],
    code: 'VALIDATION_FAILED',
  },
  {
    name: 'an id of 129 characters',
    change: { externalTransactionId: 'x'.repeat(129) },
    english: ['externalTransactionId must be a string of 1 to 128 characters'],
    french: ['externalTransactionId doit être un texte de 1 à 128 caractères'],
    code: 'VALIDATION_FAILED',
    param: 'externalTransactionId',
  },
  {
    name: 'a value that is no choice',
    change: { country: 'FR' },
    english: ['country must be one of SN, CI'],
    french: ["country doit être l'une des valeurs SN, CI"],
    code: 'VALIDATION_FAILED',
    param: 'country',
  },
  {
    name: 'every wrong field',
    change: {
      externalTransactionId: '',
      serviceCode: undefined,
      amount: 200.5,
      number: '+225771234567',
      country: 'FR',
      tags: ['a', 1, 'b', {}],
    },
    english: [
      'serviceCode is required',
      'externalTransactionId must be a string of 1 to 128 characters',
      amount,
      'number has the code +225 of CI: send its 9 digits with a service of CI',
      'country must be one of SN, CI',
      `tags.1 ${sentAsNumber}`,
      'tags.3 must be a string',
    ],
    french: [
      'serviceCode est obligatoire',
      'externalTransactionId doit être un texte de 1 à 128 caractères',
      montant,
      "number porte l'indicatif +225 de CI : envoyez ses 9 chiffres avec un service de CI",
      "country doit être l'une des valeurs SN, CI",
      `tags.1 ${envoyeCommeNombre}`,
      'tags.3 doit être un texte',
    ],
    code: 'VALIDATION_FAILED',
  },
]

const languages: [acceptLanguage: string, language: 'english' | 'french'][] = [
  ['en', 'english'],
  ['fr', 'french'],
  ['fr-SN, fr;q=0.9, en;q=0.8', 'french'],
  ['en-GB, en;q=0.9, fr;q=0.8', 'english'],
  ['de', 'english'],
]

describe('a request with invalid fields', () => {
  for (const scenario of scenarios)
    for (const [acceptLanguage, language] of languages)
      it(`lists ${scenario.name} in ${language} if it accepts ${acceptLanguage}`, async () => {
        const headers = { 'accept-language': acceptLanguage }
        const json = { ...echoBody, ...scenario.change }
        const answer = await app.send(`POST ${echo}`, { json, headers })
        assert.equal(answer.status, 400)
        assertGeneralError(answer, scenario.code)
        assert.deepEqual(answer.body.message, scenario[language])
        assert.equal(answer.body.param, scenario.param)
        const fields = scenario.english.map((sentence) => sentence.split(' ')[0])
        assert.deepEqual(answer.body.params, fields)
      })

  const accepted: [name: string, change: Record<string, unknown>][] = [
    ['an id of 128 characters', { externalTransactionId: 'x'.repeat(128) }],
    ['an id of 128 characters beyond the basic plane', { externalTransactionId: '😀'.repeat(128) }],
    ['an id of one character', { externalTransactionId: '1' }],
    ['unknown fields', { amountt: 1, Amount: 'x', id: 7 }],
  ]
  for (const [name, change] of accepted)
    it(`${name}: accepted`, async () => {
      const answer = await app.send(`POST ${echo}`, { json: { ...echoBody, ...change } })
      assert.equal(answer.status, 201, answer.text)
      const { externalTransactionId = echoBody.externalTransactionId } = change
      assert.equal(answer.body.externalTransactionId, externalTransactionId)
      assert.deepEqual(Object.keys(answer.body), ['externalTransactionId', 'amount', 'number'])
    })
})
