import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { PayerState } from '#money/links/checkout.ts'
import { testClock } from '#test/clock.ts'
import { attempt, manyWallets, states } from '#test/fake-checkout.ts'
import { type PageAnswer, testPayServer, unlimited } from '#test/pay-server.ts'

const server = await testPayServer({ limits: unlimited, origin: 'https://pay.example' })
const { checkout, get, post, submit } = server
const good = { serviceCode: 'WALLETA_SN_CASHOUT', country: 'SN', phone: '77 123 45 67' }
const put = (name: string) => checkout.put({ state: states[name] as PayerState })

/** Asserts that a form, or without `payer` an address, leads to the page and to nothing else. */
function assertToPage({ status, headers }: PageAnswer, id: string, query = '?payer=1'): void {
  assert.equal(status, 303)
  assert.equal(headers.get('location'), `../${id}${query}`)
}

beforeEach(() => checkout.reset())

describe('the review form', () => {
  const rows: [string, object, RegExp][] = [
    [
      'with the wallets of its country',
      {},
      /votre numéro.*77 123 45 67 Sénégal \(\+221\) Payer avec .*Wallet A .*Wallet D .*Payer 5 000/,
    ],
    ['with wallets that are down', {}, /Wallet C Indisponible pour le moment/],
    ['typed with dots and dashes', { phone: '+221-77.123.45.67' }, /77 123 45 67/],
    [
      'in the groups of its country',
      { serviceCode: 'WALLETA_CI_CASHOUT', country: 'CI', phone: '0712345678' },
      /07 12 34 56 78 Côte d’Ivoire \(\+225\)/,
    ],
    [
      'in the country that it looks like',
      { country: '', phone: '671234567' },
      /6 71 23 45 67 Cameroun \(\+237\)/,
    ],
    [
      'of eight digits',
      { country: '', phone: '+223 66.12.34.56' },
      /66 12 34 56 Mali \(\+223\) Payer avec .*Wallet E/,
    ],
  ]
  for (const [name, change, says] of rows)
    it(`shows the number ${name}, and starts no payment`, async () => {
      const id = checkout.put({ wallets: manyWallets })
      const shown = await submit(`${id}/review`, { ...good, ...change })
      assert.equal(shown.status, 200)
      assert.match(shown.visibleText, says)
      assert.deepEqual(checkout.calls, [])
    })

  it('passes country and nine digits on to the pay form', async () => {
    const { markup } = await submit(`${put('choose')}/review`, good)
    const form = /<form method="post" action="\.\.\/[0-9a-f-]{36}\/pay".*?<\/form>/s.exec(
      markup,
    )?.[0]
    assert.match(
      form ?? '',
      /name="country" value="SN">\s*<input [^>]*name="phone" value="771234567"/,
    )
  })

  // the number, what is known of the link, the wallet that is preselected
  const [walletA, walletB] = manyWallets
  const onlyA = walletA === undefined ? [] : [walletA]
  const failed = (cause: string, change = {}) => {
    const { lastFailure } = states['choose-declined'] as { lastFailure: object }
    return { state: { kind: 'choose', lastFailure: { ...lastFailure, cause, ...change } } as never }
  }
  const isB = { serviceCode: 'WALLETB_SN_CASHOUT' }
  const suggestions: [string, string, object, string][] = [
    ['of the number’s first digits', '77 123 45 67', {}, 'WALLETA_SN_CASHOUT'],
    ['of other first digits', '70 123 45 67', {}, 'WALLETD_SN_CASHOUT'],
    ['that is the only one', '75 123 45 67', { wallets: onlyA }, 'WALLETA_SN_CASHOUT'],
    [
      'that is the only one available',
      '75 123 45 67',
      { wallets: [...onlyA, { ...walletB, isAvailable: false }] },
      'WALLETA_SN_CASHOUT',
    ],
    ['of the last try', '77 123 45 67', failed('balance_low', isB), 'WALLETB_SN_CASHOUT'],
    ['of another number’s digits', '70 123 45 67', failed('declined'), 'WALLETD_SN_CASHOUT'],
    ['none: nothing is known of the digits', '75 123 45 67', {}, ''],
    ['none: the likely one is down', '76 123 45 67', {}, ''],
    ['none: it does not know the number', '77 123 45 67', failed('payer_not_found'), ''],
  ]
  for (const [name, phone, change, expected] of suggestions)
    it(`preselects the wallet ${name}`, async () => {
      const { markup } = await submit(`${checkout.put(change)}/review`, { phone, country: '' })
      const checked = [...markup.matchAll(/value="(\w+)" checked/g)].map(([, code]) => code)
      assert.deepEqual(checked, expected === '' ? [] : [expected])
    })

  it('leads back to the first screen with the input and without errors', async () => {
    const id = put('choose')
    const { markup: review } = await submit(`${id}/review`, good)
    const [, href = ''] = /class="second" href="\.\.\/([^"]+)"/.exec(review) ?? []
    const { status, visibleText, markup } = await get(href)
    assert.equal(status, 200)
    assert.match(visibleText, /Étape 1 sur 3/)
    assert.match(markup, /id="phone"[^>]* value="77\s123\s45\s67"/)
    assert.doesNotMatch(markup, /role="alert"/)
  })

  it('keeps the input when the language is switched', async () => {
    const id = put('choose')
    const { markup } = await submit(`${id}/review`, good)
    const [, query = ''] = /class="bar">.*?href="([^"]+)"/s.exec(markup) ?? []
    const { visibleText } = await get(`${id}/review${query.replaceAll('&amp;', '&')}`)
    assert.match(visibleText, /Check your number 77 123 45 67/)
  })

  it('has an address that can be loaded again and shows nobody the number by itself', async () => {
    const id = put('choose')
    const { headers } = await post(`${id}/review`, good)
    const location = headers.get('location') ?? ''
    assert.match(location, /^\.\.\/[0-9a-f-]{36}\/review\?n=[\w-]{100,300}$/)
    const own = location.slice('../'.length)
    for (let times = 0; times < 2; times += 1)
      assert.match((await get(own)).visibleText, /votre numéro.*77 123 45 67/)
    assert.deepEqual(checkout.calls, [])
    // Of another link, changed, or without it: the first page.
    const [, note = ''] = own.split('?n=')
    const other = put('choose')
    assertToPage(await get(`${other}/review?n=${note}`), other, '')
    for (const query of ['', '?n=', '?n=x', `?n=${note.slice(1)}`, `?n=${note}&n=${note}`])
      assertToPage(await get(`${id}/review${query}`), id, '')
    // The payment has begun or ended since.
    checkout.change(id, { state: states.push as PayerState })
    assertToPage(await get(own), id, '')
  })

  it('forgets the number after an hour', async () => {
    const clock = testClock()
    const own = await testPayServer({ clock })
    const id = own.checkout.put()
    const { headers } = await own.post(`${id}/review`, good)
    const address = headers.get('location')?.slice('../'.length) ?? ''
    clock.advance(3_599_000)
    assert.equal((await own.get(address)).status, 200)
    clock.advance(1_000)
    assertToPage(await own.get(address), id, '')
  })
})

describe('wrong input', () => {
  // the input, the message, the field that the list of errors links to
  const numbers: [string, object, RegExp, string][] = [
    ['nothing', { serviceCode: '', phone: '' }, /Entrez votre numéro/, 'phone'],
    ['a short number', { phone: '77 123' }, /9 chiffres, 10 en Côte d’Ivoire, 8 au Mali/, 'phone'],
    ['a foreign number', { phone: '+33 612345678' }, /pour le pays de ce numéro/, 'phone'],
    ['a long text', { phone: '9'.repeat(2000) }, /9 chiffres/, 'phone'],
    [
      'a number of any country',
      { phone: '33123456', country: '' },
      /Choisissez le pays/,
      'country',
    ],
  ]
  const wallets: [string, object, RegExp, string][] = [
    ['no wallet', { serviceCode: '' }, /Choisissez un moyen de paiement\./, 'wallet-0'],
    ['an unknown wallet', { serviceCode: 'WALLETZ' }, /Choisissez/, 'wallet-0'],
    [
      'a wallet of another country',
      { serviceCode: 'WALLETA_CI_CASHOUT' },
      /Choisissez/,
      'wallet-0',
    ],
    ['a wallet that is down', { serviceCode: 'WALLETC_SN_CASHOUT' }, /ne répond pas/, 'wallet-0'],
  ]
  const rows = [
    ...numbers.map((row) => ['review', ...row] as const),
    ...numbers.map((row) => ['pay', ...row] as const),
    ...wallets.map((row) => ['pay', ...row] as const),
  ]
  for (const [action, name, change, says, field] of rows)
    it(`${action} with ${name} shows the error beside its field and in the list`, async () => {
      const id = checkout.put({ wallets: manyWallets })
      const shown = await submit(`${id}/${action}`, { ...good, ...change })
      assert.equal(shown.status, 200)
      assert.match(shown.visibleText, says)
      assert.match(shown.markup, /role="alert"/)
      assert.match(shown.markup, /<title>Il reste quelque chose à corriger/)
      const linked = [...shown.markup.matchAll(/<li><a href="#([^"]+)"/g)].map(([, one]) => one)
      assert.deepEqual(linked, [field])
      assert.match(shown.markup, new RegExp(` id="${field}"[^>]* autofocus`))
      assert.equal(shown.markup.match(/ autofocus/g)?.length, 1)
      assert.equal(/aria-invalid="true"/.test(shown.markup), !field.startsWith('wallet'))
      assert.deepEqual(checkout.calls, [])
    })

  it('is shown again with the rest of the input', async () => {
    const id = checkout.put({ wallets: manyWallets })
    const { markup } = await submit(`${id}/review`, { ...good, country: 'CI', phone: '12' })
    assert.match(markup, /id="phone"[^>]* value="12"/)
    assert.match(markup, /<option value="CI" selected>\+225 Côte d’Ivoire/)
  })

  it('without a wallet links to the first available wallet', async () => {
    const [walletA, ...others] = manyWallets
    const id = checkout.put({ wallets: [{ ...walletA, isAvailable: false } as never, ...others] })
    const { markup } = await submit(`${id}/pay`, { ...good, serviceCode: '' })
    assert.match(markup, /href="#wallet-1"/)
  })
})

describe('the pay form', () => {
  it('starts a payment and redirects to the page', async () => {
    const id = put('choose')
    assertToPage(await post(`${id}/pay`, good), id)
    assert.deepEqual(checkout.calls, ['pay WALLETA_SN_CASHOUT 771234567'])
    assert.match((await get(id)).visibleText, /Confirmez sur votre téléphone/)
  })

  it('sent twice starts one payment', async () => {
    const id = put('choose')
    await post(`${id}/pay`, good)
    assertToPage(await post(`${id}/pay`, good), id)
    assert.equal(checkout.calls.length, 1)
  })

  it('keeps ?lang= in the redirect', async () => {
    const id = put('choose')
    assertToPage(await post(`${id}/pay?lang=en`, good), id, '?lang=en&payer=1')
  })

  it('shows an error when the wallet has just become unavailable', async () => {
    checkout.answers.pay = { kind: 'refused', problems: ['unavailable'] }
    const shown = await submit(`${put('choose')}/pay`, good)
    assert.equal(shown.status, 200)
    assert.match(shown.visibleText, /ne répond pas en ce moment/)
  })

  it('redirects to the page when the link is no longer open', async () => {
    checkout.answers.pay = { kind: 'refused', problems: ['not_open', 'phone'] }
    const id = put('choose')
    assertToPage(await post(`${id}/pay`, good), id)
  })

  for (const name of Object.keys(states).filter((one) => !one.startsWith('choose')))
    it(`redirects to the page and does nothing in the state ${name}`, async () => {
      const id = put(name)
      for (const action of ['review', 'pay', 'give-up'])
        assertToPage(await post(`${id}/${action}`, { ...good, sure: 'yes' }), id)
      assert.deepEqual(checkout.calls, [])
    })
})

describe('the code form', () => {
  const rows: [string, 'accepted' | 'wrong_code' | 'expired' | 'unavailable', string, RegExp][] = [
    ['wrong', 'wrong_code', '000000', /Code incorrect.*Il reste 5 tentatives/],
    ['expired', 'expired', '123456', /n’est plus valable/],
    ['not answered by the operator', 'unavailable', '123456', /ne répond pas/],
    ['empty', 'accepted', '', /de 4 à 8 chiffres/],
    ['too short', 'accepted', '123', /de 4 à 8 chiffres/],
    ['too long', 'accepted', '123456789', /de 4 à 8 chiffres/],
    ['not a number', 'accepted', '12345a', /de 4 à 8 chiffres/],
  ]
  for (const [name, answer, code, says] of rows)
    it(`asks again after a code that is ${name}`, async () => {
      checkout.answers.confirm = answer
      const shown = await submit(`${put('otp')}/code`, { code })
      assert.equal(shown.status, 200)
      assert.match(shown.visibleText, says)
      assert.match(
        shown.markup,
        /id="code"[^>]* aria-describedby="code-hint code-error" aria-invalid/,
      )
      assert.doesNotMatch(shown.markup, /id="code"[^>]* value=/)
      assert.deepEqual(checkout.calls, answer === 'accepted' ? [] : [`confirm ${code}`])
    })

  for (const code of ['123456', ' 123 456 ', '123-456'])
    it(`passes ${JSON.stringify(code)} on as 123456`, async () => {
      const id = put('otp')
      assertToPage(await post(`${id}/code`, { code }), id)
      assert.deepEqual(checkout.calls, ['confirm 123456'])
    })

  it('redirects to the page when no code is expected', async () => {
    checkout.answers.confirm = 'not_waiting'
    const id = put('push')
    assertToPage(await post(`${id}/code`, { code: '123456' }), id)
  })

  it('leads to the page, and nowhere else, when a wrong code has ended the payment', async () => {
    const id = put('otp')
    checkout.answers.confirm = 'wrong_code'
    const confirm = checkout.confirm
    checkout.confirm = async (linkId, code) => {
      checkout.change(linkId, { state: { kind: 'checking', attempt } })
      return confirm(linkId, code)
    }
    const { visibleText } = await submit(`${id}/code`, { code: '123456' })
    assert.match(visibleText, /Ne payez pas deux fois/)
    assert.doesNotMatch(visibleText, /incorrect/)
    checkout.confirm = confirm
  })
})

describe('the form for a new code', () => {
  it('is on the screen for the code, with the tries that are left', async () => {
    const { markup, visibleText } = await get(put('otp'))
    assert.match(markup, /\/new-code">\s*<input type="hidden" name="triesLeft" value="4">/)
    assert.match(visibleText, /Pas de code reçu \? .*, 4 fois au plus. .*débité qu’une fois/)
    const last = checkout.put({ state: states.otp as PayerState, attemptsLeft: 0 })
    assert.doesNotMatch((await get(last)).markup, /new-code/)
  })

  it('redirects to the page once a new payment has begun', async () => {
    const id = put('otp')
    assertToPage(await post(`${id}/new-code`, { triesLeft: '4' }), id)
    assert.deepEqual(checkout.calls, ['newCode 4'])
  })

  it('says why there is none', async () => {
    checkout.answers.newCode = 'too_late'
    const late = await submit(`${put('otp')}/new-code`, { triesLeft: '4' })
    assert.match(late.visibleText, /déjà en cours/)
    checkout.answers.newCode = 'unavailable'
    const down = await submit(`${put('otp')}/new-code`, { triesLeft: '4' })
    assert.match(down.visibleText, /ne répond pas/)
  })

  it('does nothing in another state, and without a number of tries begins nothing', async () => {
    const id = put('push')
    assertToPage(await post(`${id}/new-code`, { triesLeft: '4' }), id)
    assert.deepEqual(checkout.calls, [])
    await post(`${put('otp')}/new-code`)
    assert.deepEqual(checkout.calls, ['newCode NaN'])
  })
})

describe('the forms to change the wallet and to give up', () => {
  it('changing the wallet redirects to the page', async () => {
    const id = put('otp')
    assertToPage(await post(`${id}/other-wallet`), id)
    assert.deepEqual(checkout.calls, ['changeWallet'])
  })

  it('changing the wallet too late shows why not, and the present state', async () => {
    checkout.answers.changeWallet = 'too_late'
    const shown = await submit(`${put('redirect')}/other-wallet`)
    assert.match(shown.visibleText, /déjà en cours.*Payez dans Wallet B/)
  })

  it('giving up closes the link only after a confirmation', async () => {
    const id = put('choose')
    const question = await submit(`${id}/give-up`)
    assert.equal(question.status, 200)
    assert.match((await get(`${id}/give-up`)).visibleText, /Annuler ce paiement \? .*Oui, annuler/)
    assert.match(question.visibleText, /Annuler ce paiement \? .*Oui, annuler/)
    assert.deepEqual(checkout.calls, [])
    assertToPage(await post(`${id}/give-up`, { sure: 'yes' }), id)
    assert.match((await get(id)).visibleText, /Paiement annulé/)
  })

  it('giving up is refused while a payment is in progress', async () => {
    checkout.answers.giveUp = 'too_late'
    const shown = await submit(`${put('choose')}/give-up`, { sure: 'yes' })
    assert.match(shown.visibleText, /déjà en cours/)
  })
})

describe('every form', () => {
  const id = put('choose')

  it('has an address that leads to the page, or asks before the payer gives up', async () => {
    for (const action of ['review', 'pay', 'code', 'new-code', 'other-wallet']) {
      assertToPage(await get(`${id}/${action}`), id, '')
      assertToPage(await get(`${id}/${action}?lang=en`), id, '?lang=en')
    }
    const pushed = put('push')
    assertToPage(await get(`${pushed}/give-up`), pushed, '')
  })

  it('that fails leads to the page, which says not to pay twice', async () => {
    const pay = checkout.pay
    checkout.pay = async () => {
      throw new Error('the connection was lost')
    }
    const shown = await submit(`${put('choose')}/pay`, good)
    checkout.pay = pay
    assert.equal(shown.status, 200)
    assert.match(shown.visibleText, /Ne payez pas deux fois.*Étape 1 sur 3/)
  })

  // headers of the browser, whether the form is accepted
  const sources: [object, boolean][] = [
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: server.url }, false],
    [{ origin: server.url }, true],
    [{ origin: 'https://pay.example' }, true],
    [{ origin: 'null' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'https://pay.example.evil.example' }, false],
    [{ origin: 'garbage' }, false],
  ]
  for (const [headers, isAccepted] of sources)
    it(`is ${isAccepted ? 'accepted' : 'refused'} with ${JSON.stringify(headers)}`, async () => {
      const shown = await submit(`${id}/review`, good, headers)
      const isRefused = /ne vient pas de notre page.*Étape 1 sur 3/.test(shown.visibleText)
      assert.equal(isRefused, !isAccepted, shown.visibleText)
    })

  const form = 'application/x-www-form-urlencoded'
  // what is sent, whether it can be read
  const bodies: [string, string | null, string | undefined, boolean][] = [
    ['without a body', null, undefined, true],
    ['in another charset', 'phone=1', `${form}; charset=latin1`, false],
    ['in UTF-8', 'phone=1', `${form};charset=UTF-8`, true],
    ['in JSON', '{}', 'application/json', false],
    ['with files', 'x', 'multipart/form-data; boundary=x', false],
    ['as plain text', 'phone=1', 'text/plain', false],
    ['that is too large', `phone=${'9'.repeat(4096)}`, form, false],
    ['with a zero byte', 'phone=%00', form, false],
    ['with fields named like methods', '__proto__=1&constructor=2&phone=3', form, true],
    ['with invalid percent-encoding', 'phone=%zz&serviceCode=%', form, true],
    ['with a repeated field', 'phone=1&phone=2&phone[]=3', form, true],
  ]
  for (const [name, body, type, isRead] of bodies)
    it(`${name} leads to a page${isRead ? '' : ', which says that it was not read'}`, async () => {
      const headers = type === undefined ? {} : { 'content-type': type }
      const init = { method: 'POST', body, headers, redirect: 'manual' } as const
      const sent = await fetch(`${server.pageOf(id)}/review`, init)
      assert.equal(sent.status, 303)
      const page = new URL(sent.headers.get('location') ?? '', `${server.pageOf(id)}/review`)
      const shown = await (await fetch(page)).text()
      assert.equal(/n’a pas pu être lue/.test(shown), !isRead, shown)
    })
})
