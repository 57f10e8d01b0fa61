import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Language } from '#base/kit/language.ts'
import { testClock } from '#test/clock.ts'
import { branded, manyWallets, states } from '#test/fake-checkout.ts'
import { openPayServer, testPayServer, unlimited } from '#test/pay-server.ts'

const server = await testPayServer({ limits: unlimited, origin: 'https://pay.example' })
const { checkout, get, submit } = server
const missing = '99999999-9999-4999-8999-999999999999'
const put = (name: string) => checkout.put({ state: states[name] ?? { kind: 'expired' } })
const withoutNonce = (text: string) => text.replaceAll(/nonce="[^"]+"/g, '')

describe('the page of a state', () => {
  // state, language, text that the page contains, text that it does not
  const rows: [string, Language, RegExp, RegExp?][] = [
    ['choose', 'fr', /Vous payez à Boutique Démo 5 000 F CFA .*Sac à main .*CMD-2026-0042/],
    ['choose', 'fr', /Payable jusqu’au 16 janvier 2026 à 10:00 GMT/, /abouti/],
    ['choose', 'en', /You are paying Boutique Démo 5 000 F CFA .*Payable until 16 January 2026/],
    ['choose', 'fr', /Acceptés ici : Wallet A · Wallet B/],
    [
      'choose-declined',
      'fr',
      /n’a pas abouti L’opérateur l’a refusé. Vous n’avez pas été débité.*\(4 tentatives\)/,
    ],
    ['choose-refused', 'fr', /refusée sur le téléphone/],
    ['choose-timeout', 'en', /was not confirmed in time/],
    [
      'push',
      'fr',
      /Confirmez sur votre téléphone .*5 000 F CFA au 77 123 45 67.*Vérifier mon paiement/,
    ],
    ['push', 'fr', /Rien n’est arrivé \?/, /Payer autrement/],
    ['redirect', 'fr', /Payez dans Wallet B .*Ouvrir Wallet B .*Scannez .*Payer autrement/],
    ['preparing', 'fr', /On prépare votre paiement Wallet B…/, /Ouvrir Wallet B/],
    ['otp', 'fr', /Entrez le code reçu par SMS .*77 123 45 67.* Il reste 5 tentatives/],
    [
      'checking',
      'fr',
      /Nous vérifions votre paiement .*Ne payez pas deux fois\./,
      /Payer autrement/,
    ],
    ['checking', 'en', /We are checking your payment .*Do not pay twice\./],
    [
      'paid',
      'fr',
      /Déjà payé, le 15 janvier 2026 à 10:03 GMT 5 000 F CFA payés à .*Retour à la boutique/,
    ],
    ['paid', 'fr', /15 janvier 2026 à 10:03 GMT .*Wallet A .*••••••67 .*MP260115/, /77 123/],
    ['gave-up', 'fr', /Paiement annulé Vous n’avez pas été débité\. .*Retour à la boutique/],
    ['exhausted', 'fr', /n’a pas abouti .*Vous n’avez pas été débité\. .*aucune tentative/],
    ['expired', 'fr', /Ce lien a expiré Vous n’avez pas été débité\. Il était payable jusqu’au 16/],
    ['expired', 'en', /This link has expired You have not been charged/],
  ]
  for (const [name, lang, says, never] of rows)
    it(`${name} in ${lang} contains ${says.source.slice(0, 40)}`, async () => {
      const { status, visibleText, markup } = await get(`${put(name)}?lang=${lang}`)
      assert.equal(status, 200)
      assert.match(markup, new RegExp(`<html lang="${lang}">`))
      assert.match(visibleText, says)
      if (never) assert.doesNotMatch(visibleText, never)
    })

  for (const [name, state] of Object.entries(states))
    for (const lang of ['fr', 'en'])
      it(`${name} in ${lang} has one heading and is under 9 KB compressed`, async () => {
        const wallets = manyWallets
        const { text, markup } = await get(`${checkout.put({ state, wallets })}?lang=${lang}`)
        assert.equal(markup.match(/<h1/g)?.length, 1)
        assert.doesNotMatch(markup, / (on[a-z]+|style)=/)
        // A nonce has any letters.
        const written = markup.replaceAll(/ nonce="[^"]+"/g, '')
        assert.doesNotMatch(written, /undefined|null|NaN|\[object/)
        const bytes = gzipSync(text, { level: 6 }).length
        assert.ok(bytes < 9 * 1024, `${bytes} bytes`)
      })
})

describe('the card that chats show of a page', () => {
  const cardOf = (markup: string) =>
    Object.fromEntries(
      [...markup.matchAll(/<meta property="(og:[^"]+)" content="([^"]*)">/g)].map(
        ([, name = '', text = '']) => [name, text.replaceAll(/\s/g, ' ')],
      ),
    )

  for (const [name, state] of Object.entries(states))
    it(`says shop, amount and item, and nothing of the customer: ${name}`, async () => {
      const id = checkout.put({ state, customerName: 'Fatou Ndiaye', customerPhone: '771234567' })
      for (const [lang, locale] of [
        ['fr', 'fr_FR'],
        ['en', 'en_GB'],
      ])
        assert.deepEqual(cardOf((await get(`${id}?lang=${lang}`)).markup), {
          'og:type': 'website',
          'og:locale': locale,
          'og:title': 'Boutique Démo · 5 000 F CFA',
          'og:description': 'Sac à main en cuir',
        })
    })

  it('has the logo of the merchant', async () => {
    const { markup } = await get(checkout.put(branded))
    const { 'og:image': image = '' } = cardOf(markup)
    assert.match(image, /^https:\/\/pay\.example\.test\/process\/logo\/[0-9a-f]{64}$/)
  })

  it('is on no page of a link that there is not', async () => {
    assert.deepEqual(cardOf((await get(missing)).markup), {})
  })
})

describe('a payment that has ended', () => {
  const clock = testClock('2026-01-15T10:04:00Z')

  it('is news, and leads back to the shop, only at the address of its payer', async () => {
    const own = await testPayServer({ clock })
    const id = own.checkout.put({ state: states.paid as never })
    const news = await own.get(`${id}?payer=1`)
    assert.match(news.visibleText, /Paiement réussi 5 000 F CFA .*Retour automatique/)
    assert.match(news.markup, /data-wallet="WALLETA_SN_CASHOUT"/)
    const assertOld = async (path: string) => {
      const { visibleText, markup } = await own.get(path)
      assert.match(visibleText, /Déjà payé, le 15 janvier 2026 à 10:03 GMT 5 000 F CFA .*Retour à/)
      assert.doesNotMatch(visibleText, /réussi|automatique/)
      assert.doesNotMatch(markup, /data-wallet/)
    }
    await assertOld(id)
    await assertOld(`${id}?payer=2`)
    clock.advance(600_000)
    await assertOld(`${id}?payer=1`)
    assert.match((await own.get(`${id}?lang=en`)).visibleText, /Already paid on 15 January 2026 at/)
  })

  for (const name of ['gave-up', 'exhausted'])
    it(`as ${name} leads back to the shop by itself only for its payer, for a while`, async () => {
      const then = testClock('2026-01-15T10:04:00Z')
      const own = await testPayServer({ clock: then })
      const id = own.checkout.put({ state: states[name] as never })
      assert.match((await own.get(`${id}?payer=1`)).visibleText, /Retour automatique/)
      const assertStays = async (path: string) => {
        const { visibleText } = await own.get(path)
        assert.match(visibleText, /Retour à la boutique/)
        assert.doesNotMatch(visibleText, /automatique/)
      }
      await assertStays(id)
      then.advance(600_000)
      await assertStays(`${id}?payer=1`)
    })
})

it('only a page that waits is loaded again by itself where there is no script', async () => {
  const refreshed = /<noscript><meta http-equiv="refresh"\s+content="10;url=([^"]+)"><\/noscript>/
  for (const [name, state] of Object.entries(states)) {
    const id = put(name)
    const { markup, visibleText } = await get(`${id}?payer=1&n=x`)
    const waits = state.kind === 'checking' || /^(sending|push|redirect|preparing)$/.test(name)
    assert.equal(refreshed.exec(markup)?.[1], waits ? `${id}?payer=1` : undefined, name)
    assert.equal(/se met à jour toute seule/.test(visibleText), waits, name)
  }
})

describe("a merchant's own look", () => {
  const { colour, logo } = branded.brand
  const own = { 'sec-fetch-site': 'same-origin' }

  it('is one style and one picture from our own address, and nothing else', async () => {
    for (const state of Object.values(states)) {
      const [plain, look] = [
        await get(checkout.put({ state })),
        checkout.put({ state, ...branded }),
      ]
      const { text, markup, headers } = await get(look)
      const image =
        /<img class="logo" alt="" src="(logo\/[0-9a-f]{64})" width="120"\s+height="40"[^>]*>/
      const letter = '<span class="mono" aria-hidden="true">B</span>'
      assert.equal(
        markup.match(image)?.[1] ?? 'none',
        state.kind === 'paid' ? 'none' : `logo/${logo?.hash}`,
      )
      assert.match(text, new RegExp(`--deep:${colour};.*--on-deep:#000000;.*</style>`))
      assert.match(headers.get('content-security-policy') ?? '', /; img-src 'self' data:;/)
      // The page is the same otherwise: nothing of the look is left in a page without it.
      const same = (page: string) =>
        withoutNonce(page)
          .replace(image, letter)
          .replaceAll(/\n?<meta property="og:image[^>]*>/g, '')
          .replaceAll(/00000000-0000-4000-8000-\d+|\d\d:\d\d:\d\d/g, '')
      assert.ok(same(markup) === same(plain.markup), state.kind)
      assert.ok(gzipSync(text, { level: 6 }).length < 9 * 1024)
    }
  })

  it('is found from the address of a form, too', async () => {
    const { markup } = await submit(
      `${checkout.put(branded)}/review`,
      { phone: '77 123 45 67' },
      own,
    )
    assert.match(markup, /src="\.\.\/logo\/abab/)
  })

  it('has a logo that browsers keep, and take for nothing but a picture', async () => {
    const { status, headers } = await get(`logo/${logo?.hash}`)
    assert.equal(status, 200)
    const expected: [string, string | null][] = [
      ['content-type', 'image/png'],
      ['cache-control', 'public, max-age=31536000, immutable'],
      ['x-content-type-options', 'nosniff'],
      ['content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'"],
      ['cross-origin-resource-policy', 'same-origin'],
      ['set-cookie', null],
    ]
    for (const [name, value] of expected) assert.equal(headers.get(name), value, name)
  })

  for (const hash of ['cd'.repeat(32), 'x', '../../etc/passwd', `${logo?.hash}0`, '%00'])
    it(`has no logo at ${hash.slice(0, 20)}`, async () => {
      const { status, headers } = await get(`logo/${encodeURIComponent(hash)}`)
      assert.ok(status === 404 || status === 400, String(status))
      assert.notEqual(headers.get('content-type'), 'image/png')
    })
})

describe('the page', () => {
  const id = put('choose')

  it('allows its own style and script only, by a nonce', async () => {
    const { headers, text } = await get(id)
    const nonces = new Set([...text.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => nonce))
    const [nonce = ''] = nonces
    assert.equal(nonces.size, 1)
    assert.ok(nonce.length >= 20)
    assert.equal(
      headers.get('content-security-policy'),
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; ` +
        "connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; " +
        "frame-ancestors 'none'",
    )
  })

  it('has a new nonce in each answer, and is the same otherwise', async () => {
    const [one, two] = [await get(id), await get(id)]
    assert.notEqual(one.text, two.text)
    assert.equal(withoutNonce(one.text), withoutNonce(two.text))
  })

  const expected: [string, string | null][] = [
    ['content-type', 'text/html; charset=utf-8'],
    ['content-language', 'fr'],
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['vary', 'Accept-Encoding, Accept-Language'],
    ['set-cookie', null],
  ]
  for (const [name, value] of expected)
    it(`has the header ${name}: ${value}`, async () => {
      for (const shown of [await get(id), await get(missing), await submit(`${id}/review`)])
        assert.equal(shown.headers.get(name), value)
      assert.match((await get(id)).headers.get('permissions-policy') ?? '', /camera=\(\)/)
    })

  const encodings: [string, string | null][] = [
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.0,gzip;q=0', null],
    ['identity', null],
    ['zstd', null],
  ]
  for (const [accepted, encoding] of encodings)
    it(`is sent as ${encoding ?? 'plain text'} for Accept-Encoding: ${accepted}`, async () => {
      const { headers, text } = await get(id, { 'accept-encoding': accepted })
      assert.equal(headers.get('content-encoding'), encoding)
      assert.match(text, /<\/html>\s*$/)
    })

  it('answers GET and HEAD, and 405 to other methods', async () => {
    const head = await fetch(server.pageOf(id), { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(await head.text(), '')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      assert.equal((await fetch(server.pageOf(id), { method })).status, 405, method)
  })

  it('contains relative URLs only, except those of the shop and the wallet', async () => {
    const shop = new Set(['https://shop.example/', 'https://pay.walletb.example/'])
    for (const name of Object.keys(states)) {
      const { markup } = await get(put(name))
      const addresses = [...markup.matchAll(/(?:href|action|src|data-page)="([^"]*)"/g)]
      for (const [, address = ''] of addresses) {
        const isForeign = [...shop].some((one) => address.startsWith(one))
        assert.ok(isForeign || /^([0-9a-f-]{36}|[?#]|data:image)/.test(address), address)
      }
    }
  })

  const places: [string, string][] = [
    ['', `"${id}/review"`],
    ['/', `"../${id}/review"`],
    ['?lang=en', `"${id}/review?lang=en"`],
  ]
  for (const [tail, action] of places)
    it(`at <id>${tail} has the form action ${action}`, async () => {
      assert.ok((await get(`${id}${tail}`)).text.includes(`action=${action}`))
    })

  it('keeps ?lang= in its forms', async () => {
    const { markup } = await get(`${put('push')}?lang=en`)
    assert.match(markup, /<input type="hidden" name="lang" value="en">/)
  })

  it('has no QR code on a phone', async () => {
    const redirect = put('redirect')
    assert.match((await get(redirect)).markup, /class="qr"/)
    assert.doesNotMatch((await get(redirect, { 'sec-ch-ua-mobile': '?1' })).markup, /class="qr"/)
  })

  it('has no link to a URL that is not http or https', async () => {
    const state = states.redirect as object
    for (const url of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'x'])
      assert.doesNotMatch(
        (await get(checkout.put({ state: { ...state, url } as never }))).markup,
        /href="(javascript|data:text|\/\/|x)/,
      )
    const urls = { successUrl: 'javascript:alert(1)', failureUrl: 'javascript:alert(1)' }
    for (const name of ['paid', 'gave-up', 'expired'])
      assert.doesNotMatch(
        (await get(checkout.put({ state: states[name] as never, ...urls }))).markup,
        /javascript:/,
      )
  })

  it('has no form when no wallet is available', async () => {
    const down = manyWallets.map((wallet) => ({ ...wallet, isAvailable: false }))
    const { visibleText, markup } = await get(checkout.put({ wallets: down }))
    assert.match(visibleText, /Aucun moyen de paiement ne répond/)
    assert.doesNotMatch(markup, /id="phone"/)
  })
})

describe('the first screen', () => {
  // the number as the merchant wrote it, the number and the country on the page
  for (const [written, shown, country] of [
    ['771234567', '77 123 45 67', 'SN'],
    ['77 123 45 67', '77 123 45 67', 'SN'],
    ['+221 77-123-45-67', '77 123 45 67', 'SN'],
    ['221771234567', '77 123 45 67', 'SN'],
    ['+225 07 12 34 56 78', '07 12 34 56 78', 'CI'],
    ['+237 6 71 23 45 67', '6 71 23 45 67', 'CM'],
    ['0022366123456', '66 12 34 56', 'ML'],
    ['331234567', '331234567', 'SN'],
    ['+33 6 12 34 56 78', '', 'SN'],
    ['call me', '', 'SN'],
    ['', '', 'SN'],
  ] as const)
    it(`fills in the customer’s number ${JSON.stringify(written)} as "${shown}"`, async () => {
      const id = checkout.put({ wallets: manyWallets, customerPhone: written })
      const { markup } = await get(id)
      const [, value = ''] = /id="phone"[^>]* value="([^"]*)"/.exec(markup) ?? []
      const [, selected = ''] = /<option value="(\w+)" selected/.exec(markup) ?? []
      assert.deepEqual([value.replaceAll('\u00a0', ' '), selected], [shown, country])
    })

  // where the merchant is, the country that is preset
  for (const [country, selected] of [
    ['CI', 'CI'],
    ['BJ', 'SN'],
    [null, 'SN'],
  ] as const)
    it(`presets ${selected} for a shop in ${country}, and believes the number first`, async () => {
      const id = checkout.put({ wallets: manyWallets, country })
      const [, preset] = /<option value="(\w+)" selected/.exec((await get(id)).markup) ?? []
      assert.equal(preset, selected)
      const read = async (phone: string) => {
        const entry = { phone, country: selected, serviceCode: '' }
        const { markup } = await submit(`${id}/review`, entry)
        return /<p class="echo">.*?<small>([^ ]+)/s.exec(markup)?.[1]
      }
      assert.equal(await read('6 71 23 45 67'), 'Cameroun')
      assert.equal(await read('+223 66 12 34 56'), 'Mali')
      // What no operator of any country is known to have is one of the shop's own.
      const own = selected === 'SN' ? ['33 123 45 67', 'Sénégal'] : ['03 12 34 56 78', 'Côte']
      assert.equal(await read(own[0] ?? ''), own[1])
    })

  it('has the number of the last try, in the form of its country', async () => {
    const { lastFailure } = states['choose-declined'] as { lastFailure: object }
    const failed = { ...lastFailure, phone: '712345678', country: 'CI' }
    const state = { kind: 'choose', lastFailure: failed } as never
    const id = checkout.put({ wallets: manyWallets, customerPhone: '771234567', state })
    const { markup } = await get(id)
    assert.match(markup, /id="phone"[^>]* value="07\u00a012\u00a034\u00a056\u00a078"/)
    assert.match(markup, /<option value="CI" selected/)
  })

  it('says that a payment was cancelled where no prompt could be refused', async () => {
    const { lastFailure } = states['choose-refused'] as { lastFailure: object }
    const failed = { ...lastFailure, serviceCode: 'WALLETD_SN_CASHOUT', walletName: 'Wallet D' }
    const state = { kind: 'choose', lastFailure: failed } as never
    const { visibleText } = await get(checkout.put({ state }))
    assert.match(visibleText, /annulé avant d’être validé/)
    assert.doesNotMatch(visibleText, /refusée sur le téléphone/)
  })
})

it('a page that waits says when it last looked', async () => {
  const clock = testClock()
  const own = await testPayServer({ clock })
  for (const name of ['push', 'redirect', 'preparing', 'checking']) {
    const id = own.checkout.put({ state: states[name] as never })
    const before = clock.now().toISOString().slice(11, 19)
    assert.match((await own.get(id)).visibleText, new RegExp(`vérification à ${before} GMT`))
    clock.advance(61_000)
    const after = clock.now().toISOString().slice(11, 19)
    assert.match((await own.get(id)).visibleText, new RegExp(`vérification à ${after} GMT`))
  }
})

it('every page of a sandbox says that it is a test, and none of a live gateway', async () => {
  const live = await testPayServer({ isSandbox: false })
  for (const [name, state] of Object.entries(states)) {
    assert.match((await get(put(name))).visibleText, /TEST Aucun argent réel/)
    assert.doesNotMatch((await live.get(live.checkout.put({ state }))).text, /TEST|argent réel/)
  }
  assert.match((await get('nope')).visibleText, /TEST/)
  assert.doesNotMatch((await live.get('nope')).text, /TEST/)
})

describe('an unknown link', () => {
  it('gets the same 404 page at every path and for every form', async () => {
    const paths = [
      missing,
      'nope',
      missing.toUpperCase(),
      `${missing}0`,
      missing.replaceAll('-', ''),
      '..%2f..%2fapi',
      '%27%20or%201=1',
      'a'.repeat(3000),
      `${missing}/nothing`,
      'a/b/c',
      '',
    ]
    const { text: expected } = await get(missing)
    for (const path of paths) {
      const { status, text } = await get(path)
      assert.equal(status, 404, path)
      assert.equal(withoutNonce(text), withoutNonce(expected), path)
    }
    for (const action of ['review', 'pay', 'code', 'other-wallet', 'give-up']) {
      const { status, text } = await submit(`${missing}/${action}`, { phone: '1' })
      assert.equal(status, 404)
      assert.equal(withoutNonce(text), withoutNonce(expected))
    }
    assert.match((await get(`${missing}?lang=en`)).visibleText, /Link not found/)
  })

  it('has no /state and no /events', async () => {
    for (const path of [missing, 'nope', '%00'])
      for (const what of ['state', 'events']) {
        const { status, text } = await get(`${path}/${what}`)
        assert.ok([400, 404].includes(status), `${path} ${status}`)
        if (status === 404) assert.equal(text, '{"version":null}')
      }
  })
})

describe('an error', () => {
  it('under overload is a page with 503 that says not to pay twice', async () => {
    const busy = await openPayServer({ inFlightMax: 0 })
    const shown = await busy.get(busy.checkout.put())
    await busy.close()
    assert.equal(shown.status, 503)
    assert.equal(shown.headers.get('retry-after'), '1')
    assert.match(shown.visibleText, /Un problème de notre côté Ne payez pas deux fois/)
  })

  it('by a bug is a page with 500 without any detail', async () => {
    const broken = await openPayServer()
    broken.checkout.look = async () => {
      throw new Error('secret detail')
    }
    const shown = await broken.get(missing)
    await broken.close()
    assert.equal(shown.status, 500)
    assert.match(shown.visibleText, /Un problème de notre côté/)
    assert.doesNotMatch(shown.text, /secret detail/)
  })
})
