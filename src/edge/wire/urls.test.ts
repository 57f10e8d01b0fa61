import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillIn } from '#base/kit/refusal.ts'
import { testGateway } from '#test/app.ts'
import { linkBody } from '#test/links.ts'
import { call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { checkLink } from './link.ts'
import { urlProblem } from './urls.ts'

const notWhole = 'successUrl must be a full http or https address'
const credentials = 'successUrl must not contain a user name or password'
const notHttps = 'successUrl must begin with https://'
const notPublic = 'successUrl must be an address on the public internet'

// Refused in both modes; by the sentence that refuses them.
const refused: Record<string, string[]> = {
  [notWhole]: [
    '',
    ' ',
    'shop.example',
    'www.shop.example/thanks',
    '/thanks',
    './thanks',
    '../thanks',
    '?a=1',
    '#top',
    '//shop.example/thanks',
    '///shop.example',
    '\\\\shop.example\\thanks',
    'http:',
    'http:/',
    'http://',
    'https://',
    'https:///shop.example',
    'https:////shop.example',
    'https://?a=1',
    'https://#top',
    'http:shop.example',
    'https:/shop.example',
    'https:\\\\shop.example',
    'https:\\/shop.example',
    'https://\\shop.example',
    'https://shop.example\\@evil.example',
    'https://shop.example/a\\b',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'javascript://shop.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'ftp://shop.example/',
    'ws://shop.example/',
    'wss://shop.example/',
    'gopher://shop.example/',
    'blob:https://shop.example/1',
    'view-source:https://shop.example',
    'about:blank',
    'mailto:a@shop.example',
    'tel:771234567',
    'intent://shop.example#Intent;end',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example/a b',
    'https://shop.example/\r\nLocation: https://evil.example',
    'https://shop.example/\nSet-Cookie: a=b',
    'https://shop.example/\rX: y',
    'https://shop.example/\t',
    'htt\tps://shop.example',
    'https://shop\t.example',
    'https://shop.example/\u0001',
    'https://shop.example/\u007f',
    'https://shop.example/\u0085',
    'https://shop.example/\u2028',
    'https://shop.example/\ufeff',
    'https://shop\u200b.example',
    'https://shop\u00ad.example',
    'https://shop.example/\u202egpj.exe',
    'https://shop.example:99999/',
    'https://shop.example:port/',
    'https://[::1/',
    'https://[nonsense]/',
    'https://1.2.3.4.5.6.7/',
    'https://256.1.1.1/',
    'https://exa mple/',
    'https://<shop>.example/',
    'https://%00.example/',
    `https://shop.example/${'a'.repeat(2049 - 21)}`,
    `https://shop.example/?${'é'.repeat(2048)}`,
  ],
  [credentials]: [
    'https://user@shop.example/',
    'https://user:password@shop.example/',
    'https://:password@shop.example/',
    'https://@shop.example/',
    'https://:@shop.example/',
    'https://shop.example@evil.example/',
    'https://shop.example%2F@evil.example/',
    'https://shop.example:443@evil.example/',
    'http://user@127.0.0.1:9/',
  ],
}

// Accepted in both modes, and stored without any change.
const good = [
  'https://shop.example',
  'https://shop.example/',
  'HTTPS://Shop.Example/Thanks',
  'https://shop.example:8443/a/b/../c',
  'https://shop.example/?a=1&b=%20%2F%3f&c=a+b&&d',
  'https://shop.example/thanks?next=https%3A%2F%2Fother.example%2F%3Fx%3D1&mail=a@b.example',
  'https://shop.example/?next=//other.example/&q=javascript:alert(1)#top',
  'https://shop.example/é?ç=ü&e=😀',
  'https://boutique-été.example/',
  'https://xn--fiqs8s.example/%E2%82%AC',
  `https://shop.example/${'a'.repeat(2048 - 21)}`,
  'https://8.8.8.8/',
  'https://[2a00:1450:4007:80f::200e]/',
]

// Accepted in sandbox mode only; by the sentence that refuses them in live mode.
const local: Record<string, string[]> = {
  [notHttps]: ['http://shop.example/', 'HTTP://shop.example', 'http://127.0.0.1:9/hook'],
  [notPublic]: [
    'https://localhost/',
    'https://localhost.:8443/',
    'https://LOCALHOST/',
    'https://shop.localhost/',
    'https://intranet/',
    'https://intranet./',
    'https://./',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://metadata.google.internal./',
    'https://router.lan/',
    'https://nas.home.arpa/',
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://１２７.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[fd12:3456::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[2001::7f00:1]/',
    'https://[2002:7f00:1::]/',
  ],
}

function problemOf(url: string, mode: 'sandbox' | 'live'): string | undefined {
  const problem = urlProblem('successUrl', url, mode)
  return problem && fillIn(problem.text, { field: problem.field ?? '' })
}

describe('urlProblem', () => {
  for (const [sentence, urls] of Object.entries(refused))
    for (const url of urls)
      it(`${JSON.stringify(url).slice(0, 60)} is refused in both modes`, () => {
        assert.equal(problemOf(url, 'sandbox'), sentence)
        assert.equal(problemOf(url, 'live'), sentence)
      })
  for (const url of good)
    it(`${JSON.stringify(url).slice(0, 60)} is accepted in both modes`, () => {
      assert.equal(problemOf(url, 'sandbox'), undefined)
      assert.equal(problemOf(url, 'live'), undefined)
    })
  for (const [sentence, urls] of Object.entries(local))
    for (const url of urls)
      it(`${url} is accepted in sandbox mode only`, () => {
        assert.equal(problemOf(url, 'sandbox'), undefined)
        assert.equal(problemOf(url, 'live'), sentence)
      })
})

describe('the addresses of a request', async () => {
  const gateway = await liveGateway({ pace: 20 })
  const target = 'POST /api/v1/transaction/init'

  for (const [path, bodyOf] of [
    [target, initBody],
    ['POST /api/v1/transaction/merchant/get-link', linkBody],
  ] as const)
    it(`a refused address in any field of ${path} is 400 and records nothing`, async () => {
      for (const [sentence, urls] of Object.entries(refused))
        for (const url of urls) {
          const fields = { callBackURL: url, successUrl: url, failureUrl: url }
          const { status, body } = await call(gateway, path, bodyOf(fields))
          assert.equal(status, 400, url)
          const said = Object.keys(fields).map((field) => sentence.replace('successUrl', field))
          assert.deepEqual(body.message, said, url)
        }
      assert.deepEqual(await gateway.db`select external_id from external_ids`, [])
    })

  it('live mode refuses addresses of a link that only a sandbox accepts', () => {
    for (const [sentence, urls] of Object.entries(local))
      for (const url of urls)
        for (const field of ['callBackURL', 'successUrl', 'failureUrl']) {
          const fields = { callBackURL: good[0], successUrl: good[0], failureUrl: good[0] }
          const body = linkBody({ ...fields, [field]: url })
          const problems = checkLink(body, { mode: 'live', webhookRules: 'live' })
          const said = problems.map((one) => fillIn(one.text, { field: one.field ?? '' }))
          assert.deepEqual(said, [sentence.replace('successUrl', field)])
          assert.deepEqual(checkLink(body, { mode: 'sandbox', webhookRules: 'sandbox' }), [])
        }
  })

  it('a sandbox for the public refuses near addresses of webhooks only', async () => {
    const { start } = await testGateway()
    const app = await start({ environment: { WEBHOOK_ADDRESSES: 'public' } })
    const near = { callBackURL: 'http://127.0.0.1:8081/lab/reset', successUrl: 'http://127.0.0.1/' }
    const bill = { serviceCode: 'WATER_SN_BILL', reference_client: '100000001' }
    const sentence = 'callBackURL must begin with https://'
    for (const [path, json] of [
      [target, initBody(near)],
      ['POST /api/v1/transaction/merchant/get-link', linkBody(near)],
      ['POST /api/v1/billing/pay', { ...bill, callBackURL: near.callBackURL }],
      ['POST /api/v1/transaction/refund/x', { callBackURL: near.callBackURL }],
    ] as const) {
      const { status, body } = await app.send(path, { json })
      assert.deepEqual([status, body.message], [400, [sentence]], path)
    }
    await app.close()
  })

  it('the merchant and the provider get every accepted address back unchanged', async () => {
    for (const url of [...good, ...Object.values(local).flat().slice(0, 5)]) {
      const fields = { callBackURL: url, successUrl: url, failureUrl: url }
      const sent = initBody({ serviceCode: 'WALLETB_SN_CASHOUT', ...fields })
      const { status, body } = await call(gateway, target, sent)
      assert.equal(status, 201, url)
      const { callBackURL, webhook, successUrl, failureUrl, cancelUrl } = body.transaction
      const answered = new Set([callBackURL, webhook, successUrl, failureUrl, cancelUrl])
      assert.deepEqual([...answered], [url])
      const session = String(body.transaction.cashout_url).split('/').at(-1)
      const path = `/checkout-session/WALLETB/SN/v1/checkout/sessions/${session}`
      const answer = await fetch(gateway.lab.url + path, { headers: { Authorization: 'Bearer x' } })
      const { success_url, error_url } = (await answer.json()) as Record<string, string>
      assert.deepEqual([success_url, error_url], [url, url])
    }
    await assertMoney(gateway)
  })
})
