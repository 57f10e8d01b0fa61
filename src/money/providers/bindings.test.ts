import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { ConfigProblems } from '#base/config/problems.ts'
import { services } from '#merchants/catalog/services.ts'
import { nameOf, readBindings, sandboxBindings } from './bindings.ts'
import { protocolNamed } from './protocols.ts'

test('the sandbox binds every provider of the catalogue to the lab', () => {
  const bindings = sandboxBindings('http://127.0.0.1:8081')
  assert.deepEqual(new Set(bindings.map(nameOf)), new Set(services.map(nameOf)))
  assert.equal(bindings.length, new Set(bindings.map(nameOf)).size)
  for (const { provider, country, connector, baseUrl, credentials } of bindings) {
    assert.equal(baseUrl, `http://127.0.0.1:8081/${connector}/${provider}/${country}`)
    for (const name of protocolNamed(connector)?.credentialNames ?? assert.fail(provider))
      assert.ok(credentials[name], `${provider} ${name}`)
  }
})

test('in the sandbox every wallet and operator has a connector for its operations', () => {
  const needed = { CASHOUT: 'collect', CASHIN: 'disburse', AIRTIME: 'top_up' } as const
  for (const service of services) {
    if (service.operation === 'BILL') continue
    const bound = sandboxBindings('').find((one) => nameOf(one) === nameOf(service))
    const protocol = protocolNamed(bound?.connector ?? '')
    assert.ok(protocol?.capabilities[needed[service.operation]], service.code)
  }
})

const good = {
  provider: 'WALLETA',
  country: 'SN',
  connector: 'gsma',
  baseUrl: 'https://api.wallet.example/v1',
  credentials: { apiKey: 'k-1', organisationId: 'o-1' },
}

test('bindings of live mode are read', () => {
  assert.deepEqual(readBindings(JSON.stringify([good])), [good])
})

describe('problems of live bindings', () => {
  const secret = 's3cret-value'
  // name, list of bindings, problems
  const scenarios: [string, unknown, RegExp[]][] = [
    ['not a list', good, [/must be a JSON list/]],
    ['a missing field', [{ ...good, baseUrl: undefined }], [/must be a JSON list/]],
    ['a number for a secret', [{ ...good, credentials: { apiKey: 1 } }], [/must be a JSON list/]],
    ['an unknown provider', [{ ...good, provider: 'WALLETZ' }], [/WALLETZ_SN is not in the cat/]],
    [
      'a country without this provider',
      [{ ...good, country: 'FR' }],
      [/WALLETA_FR is not in the catalogue/],
    ],
    ['bound twice', [good, good], [/WALLETA_SN is bound twice/]],
    ['plain http', [{ ...good, baseUrl: 'http://a.example' }], [/must begin with https/]],
    [
      'credentials in the address',
      [{ ...good, baseUrl: 'https://u:p@a.example' }],
      [/must begin with https/],
    ],
    ['no address', [{ ...good, baseUrl: 'wallet' }], [/must begin with https/]],
    ['an unknown connector', [{ ...good, connector: 'smoke' }], [/no connector "smoke"/]],
    [
      'a connector without the operations needed',
      [{ ...good, connector: 'top-up' }],
      [
        /WALLETA_SN_CASHIN cannot be served by the connector "top-up"/,
        /WALLETA_SN_CASHOUT cannot/,
        /credentials\.clientId is missing/,
        /credentials\.clientSecret is missing/,
        /credentials\.audience is missing/,
        /credentials\.operatorId is missing/,
      ],
    ],
    [
      'several problems at once',
      [
        { ...good, baseUrl: 'http://a.example', credentials: { apiKey: ' ' } },
        {
          ...good,
          provider: 'WALLETB',
          connector: 'checkout-session',
          credentials: { apiKey: secret, webhookSecret: 'lab_checkout_secret' },
        },
      ],
      [
        /WALLETA_SN: baseUrl/,
        /WALLETA_SN: credentials\.apiKey is missing/,
        /WALLETA_SN: credentials\.organisationId is missing/,
        /WALLETB_SN: credentials\.webhookSecret is the sandbox's/,
      ],
    ],
  ]
  for (const [name, list, expected] of scenarios)
    it(name, () => {
      assert.throws(
        () => readBindings(JSON.stringify(list)),
        (problem: unknown) => {
          assert.ok(problem instanceof ConfigProblems)
          assert.equal(problem.problems.length, expected.length, problem.message)
          expected.forEach((text, index) => assert.match(problem.problems[index] ?? '', text))
          assert.ok(!problem.message.includes(secret))
          return true
        },
      )
    })

  it('not JSON', () => {
    assert.throws(() => readBindings('{'), /must be a JSON list/)
  })
})
