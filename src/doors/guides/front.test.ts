import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testGateway } from '#test/app.ts'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'

const gateway = await testGateway()
const app = await gateway.start()
const get = (path: string, headers: Record<string, string> = {}) =>
  app.send(`GET ${path}`, { key: null, headers })
const link = '9c3d8241-1b2a-f302-a77a-24756110a5e9'

describe('the front page', () => {
  it('speaks the language of the visitor, and leads to everything', async () => {
    for (const [header, title, dashboard] of [
      ['fr-SN', /passerelle de paiement/, /Tableau de bord/],
      ['en-GB', /a payment gateway/, /Dashboard/],
    ] as const) {
      const { status, text } = await get('/', { 'accept-language': header })
      assert.equal(status, 200)
      assert.match(text, title)
      assert.match(text, dashboard)
      for (const href of ['/dashboard', `/docs/${header.slice(0, 2)}`, '/docs/'])
        assert.ok(text.includes(`href="${href}"`), href)
      assert.ok(text.length < 20_000, `${text.length} characters`)
    }
    assert.match((await get('/?lang=en', { 'accept-language': 'fr' })).text, /<html lang="en">/)
  })

  it('leads a payer from a whole address, or the number of a link, to its page', async () => {
    for (const typed of [
      `https://pay.example/pay/process/${link}?payer=1`,
      ` ${link.toUpperCase()} `,
    ]) {
      const { status, headers } = await get(`/?link=${encodeURIComponent(typed)}`)
      assert.deepEqual([status, headers.location], [303, `/pay/process/${link}`])
    }
    for (const typed of ['', 'robe wax', '//evil.example', link.slice(1)]) {
      const { status, text } = await get(`/?lang=en&link=${encodeURIComponent(typed)}`)
      assert.equal(status, 200)
      assert.match(text, /not the address of a payment link/)
    }
  })

  it('is accessible on a phone and on a desk, in both languages', async () => {
    for (const width of [360, 1280])
      for (const path of ['/?lang=fr&link=x', '/?lang=en']) {
        const { page } = await openPage(await testBrowser(), { viewport: { width, height: 800 } })
        await page.goto(`${app.url}${path}`)
        assert.deepEqual(await accessibilityViolations(page), [])
        assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= width)
        const folder = process.env.PICTURES
        if (folder)
          await page.screenshot({ path: `${folder}/front-${width}-${path.slice(7, 9)}.png` })
        await page.context().close()
      }
  })
})

describe('security.txt', () => {
  const path = 'GET /.well-known/security.txt'

  it('tells where to report a weakness, until half a year from now', async () => {
    const told = await gateway.start({ environment: { SECURITY_CONTACT: 'mailto:s@example.com' } })
    const { status, headers, text } = await told.send(path, { key: null })
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
    assert.match(text, /^Contact: mailto:s@example\.com\n/)
    assert.match(text, /\nCanonical: http:\S+\/\.well-known\/security\.txt\n$/)
    const [, expires = ''] = /\nExpires: (\S+)\n/.exec(text) ?? []
    const days = (Date.parse(expires) - gateway.clock.now().getTime()) / 86_400_000
    assert.ok(days >= 180 && days <= 181, expires)
  })

  it('is not there when nobody is named', async () => {
    assert.equal((await app.send(path, { key: null })).status, 404)
  })
})

describe('what search engines read', () => {
  it('lists guides and reference, not the pages of payers and merchants', async () => {
    const { text } = await get('/robots.txt')
    assert.match(text, /Allow: \/docs\/\n/)
    assert.match(text, /Disallow: \/\n/)
    for (const path of ['/?lang=en', '/docs/en', '/docs/fr/first-payment']) {
      const page = (await get(path)).text
      assert.doesNotMatch(page, /noindex/)
      assert.match(page, /<meta name="description" content="[^"]{40,}">/)
    }
    assert.match((await get('/dashboard/sign-in')).text, /noindex/)
    const icon = await get('/favicon.ico')
    assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'])
  })
})
