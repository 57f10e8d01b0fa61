import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { describe } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { errorCodes } from '#edge/wire/error-codes.ts'
import { failureRows } from '#edge/wire/failure.ts'
import { count, testGateway } from '#test/app.ts'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { guideNames } from './contents.ts'

const gateway = await testGateway()
const app = await gateway.start({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
const get = (path: string, headers: Record<string, string> = {}) =>
  app.send(`GET ${path}`, { key: null, headers })
// Each test is another reader: pages are limited for each network.
let readers = 0
const asReader = () => {
  readers += 1
  return { 'x-forwarded-for': `198.51.100.${readers}` }
}

const pages = (['fr', 'en'] as const).flatMap((language) =>
  ['', ...guideNames.map((name) => `/${name}`)].map((path) => `/docs/${language}${path}`),
)
const texts = new Map<string, string>()
const reader = asReader()
for (const path of pages) texts.set(path, (await get(path, reader)).text)

describe('the guides', () => {
  for (const path of pages)
    it(`has ${path}, and every link on it leads somewhere`, async () => {
      const text = texts.get(path) ?? ''
      assert.match(text, new RegExp(`<html lang="${path.slice(6, 8)}">`))
      assert.match(text, /<h1>.+<\/h1>/)
      assert.doesNotMatch(text, /<!-- generated|\.\.\/examples|>undefined<|\[object/)
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.deepEqual(ids, [...new Set(ids)], 'an id stands once on a page')
      const prose = text.replaceAll(/<(pre|code|style)[ >][^]*?<\/\1>/g, '')
      assert.doesNotMatch(prose, /.*\p{L}('|&#39;)\p{L}.*/u, 'straight apostrophes')
      for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
        if (href.startsWith('data:')) continue
        const [target = '', anchor] = href.split('#')
        const page = target === '' ? text : texts.get(target)
        if (page === undefined) {
          const known = /^\/(docs\/(assets\/|(fr|en)\/[\w-]+\.md$)?|dashboard|llms)/
          assert.match(target, known, `${path} links to ${href}`)
        } else if (anchor !== undefined)
          assert.ok(page.includes(` id="${anchor}"`), `${path} links to ${href}`)
      }
    })

  it('is found in the language of the reader, French first', async () => {
    const rows: [string | undefined, string][] = [
      [undefined, '/docs/fr'],
      ['en-GB,en;q=0.9', '/docs/en'],
      ['de', '/docs/fr'],
      ['fr;q=0.5, en;q=0.9', '/docs/en'],
    ]
    for (const [header, target] of rows) {
      const headers = header === undefined ? {} : { 'accept-language': header }
      const { status, headers: got } = await get('/docs/guides', headers)
      assert.deepEqual([status, got.location], [302, target], header)
    }
  })

  it('leaves the reference where it was, which links to it', async () => {
    const reference = await get('/docs/')
    assert.match(reference.text, /href="\/docs\/try\/"/)
    assert.match((await get('/docs/try/')).text, /js\/scalar\.js/)
    const { text } = await get('/openapi.json')
    assert.match(text, /\(\/docs\/en\).*\(\/docs\/fr\)/)
  })

  it('has a reference of every address, field and error, without a script', async () => {
    const { text, headers, status } = await get('/docs/')
    assert.equal(status, 200)
    assert.equal((await get('/docs')).headers.location, '/docs/')
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/)
    const { paths, components } = JSON.parse((await get('/openapi.json')).text)
    for (const [path, methods] of Object.entries<object>(paths))
      for (const method of Object.keys(methods))
        assert.ok(
          text.includes(`<code>${method.toUpperCase()} ${path}</code>`),
          `${method} ${path}`,
        )
    for (const field of Object.keys(components.schemas.InitRequest.properties))
      assert.ok(text.includes(`<code>${field}</code>`), field)
    for (const code of Object.keys(errorCodes))
      assert.ok(text.includes(`<code>${code}</code>`), code)
    assert.doesNotMatch(text, /undefined|\[object|\$ref/)
    // On the slow profile these are less than two seconds, with the style.
    assert.ok(gzipSync(text).length < 40_000, `${gzipSync(text).length} bytes`)
  })

  it('has every code of errors and failures, in both languages', () => {
    for (const language of ['fr', 'en'] as const) {
      const text = texts.get(`/docs/${language}/errors`) ?? ''
      const codes = [...Object.keys(errorCodes), ...failureRows(language).map(({ code }) => code)]
      for (const code of codes) assert.ok(text.includes(`<code>${code}</code>`), code)
    }
  })

  it('names each example by its file, as commands and later examples do', () => {
    const text = texts.get('/docs/en/first-payment') ?? ''
    for (const name of ['setup.sh', 'client.ts', 'client.php', 'client.py'])
      assert.ok(text.includes(`<b>${name}</b>`), name)
  })

  it('allows nothing but its own style and script', async () => {
    for (const path of [
      '/docs/fr',
      '/docs/en/errors',
      '/docs/fr/search?q=webhook',
      '/docs/fr/no',
    ]) {
      const { headers } = await get(path)
      const policy = String(headers['content-security-policy'])
      assert.match(
        policy,
        /^default-src 'none'; style-src 'self'; script-src 'self'; img-src data:/,
      )
      assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    }
  })

  it('shows no page of another name, and no file outside of its folder', async () => {
    const rows = [
      '/docs/fr/nothing',
      '/docs/fr/..%2F..%2Fpackage',
      '/docs/fr/..%2F..%2FREADME.md',
      '/docs/fr/%2e%2e%2f%2e%2e%2fREADME.md',
      '/docs/fr/constructor',
      '/docs/fr/__proto__',
      '/docs/fr/__proto__.md',
      '/docs/fr/first-payment.md.md',
      '/docs/assets/x/..%2Froutes.ts',
      '/docs/assets/x/routes.ts',
      '/docs/de',
    ]
    for (const path of rows) {
      const { status, text } = await get(path)
      assert.equal(status, 404, path)
      assert.doesNotMatch(text, /npm ci|"dependencies"|addGuides/, path)
    }
  })
})

describe('a search', () => {
  const found = async (query: string, language = 'fr') => {
    const path = `/docs/${language}/search?q=${encodeURIComponent(query)}`
    const { text, status } = await get(path, asReader())
    assert.equal(status, 200)
    const main = /<main[^]*<\/main>/.exec(text)?.[0] ?? ''
    return { main, hrefs: [...main.matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href) }
  }

  it('finds sections by their headings and texts, without accents and capitals', async () => {
    const { hrefs, main } = await found('ETRE PREVENU')
    assert.equal(hrefs[0], '/docs/fr/first-payment#etre-prevenu')
    assert.match(main, /<mark>prévenu<\/mark>/)
    assert.equal((await found('remboursé')).hrefs.length, (await found('rembourse')).hrefs.length)
    assert.match((await found('duplicate_transaction', 'en')).hrefs.join(' '), /errors#every-code/)
  })

  it('finds nothing for words that do not stand together, and says so', async () => {
    const { hrefs, main } = await found('compteur zèbre')
    assert.deepEqual(hrefs, [])
    assert.match(main, /Aucun résultat pour/)
  })

  it('escapes what was typed, and takes anything', async () => {
    const attacks = ['"><script>alert(1)</script>', "'onfocus=x", '<img src=x>', '(?=a)+[', '\\']
    for (const query of [...attacks, '%', '', ' ', 'é'.repeat(1000), '𝒳𝒳', 'İİİİ']) {
      const { main } = await found(query)
      assert.doesNotMatch(main, /<script|<img|onfocus="/)
    }
    const twice = await get('/docs/fr/search?q=webhook&q=facture', asReader())
    assert.equal(twice.status, 200)
    assert.match(twice.text, /« webhook »|«.webhook.»/u)
    assert.equal((await get('/docs/fr/search', asReader())).status, 200)
  })

  it('is limited for each network', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const headers = asReader()
    const ask = () => app.send('GET /docs/fr/search?q=zz', { key: null, headers, agent })
    const answers = await Promise.all(Array.from({ length: 70 }, ask))
    assert.deepEqual(count(answers), { 200: 60, 429: 10 })
    agent.destroy()
  })
})

describe('for programs', () => {
  it('lists each guide in both languages as Markdown, which is served', async () => {
    const { text } = await get('/llms.txt')
    const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, href = '']) => new URL(href))
    assert.equal(links.length, 2 * guideNames.length)
    const reader = asReader()
    for (const { pathname } of links) {
      const markdown = await get(pathname, reader)
      assert.equal(markdown.status, 200, pathname)
      assert.match(String(markdown.headers['content-type']), /^text\/markdown/)
      assert.match(markdown.text, /^# /)
    }
  })

  it('has all English guides in one file', async () => {
    const { text } = await get('/llms-full.txt')
    assert.equal([...text.matchAll(/^# [A-Z]/gm)].length, guideNames.length)
    assert.match(text, /createHmac/)
  })
})

describe('the archive of commands', () => {
  it('is a small package that asks for no other, and is not sent twice', async () => {
    const answer = await fetch(`${app.url}/docs/passerelle-cli.tgz`, { headers: asReader() })
    assert.match(String(answer.headers.get('cache-control')), /max-age/)
    const archive = Buffer.from(await answer.arrayBuffer())
    assert.ok(archive.length < 100_000, `${archive.length} bytes`)
    const text = gunzipSync(archive).toString()
    const [, description = '{}'] = /package\/package\.json\0[^{]*(\{.+?\})\0/.exec(text) ?? []
    const { bin, dependencies } = JSON.parse(description)
    assert.deepEqual([bin, dependencies], [{ passerelle: 'passerelle.js' }, undefined])
    assert.doesNotMatch(text, /^import .*\.ts'/m)
    const etag = String(answer.headers.get('etag'))
    const again = await get('/docs/passerelle-cli.tgz', { ...asReader(), 'if-none-match': etag })
    assert.equal(again.status, 304)
  })
})

describe('in a browser', async () => {
  const browser = await testBrowser()
  const shown = ['', '/first-payment', '/errors', '/webhooks', '/search?q=webhook', '/nowhere']

  for (const colorScheme of ['light', 'dark'] as const)
    slowTest(`is accessible and no wider than a phone (${colorScheme})`, async () => {
      const { page, context, complaints } = await openPage(browser, {
        colorScheme,
        extraHTTPHeaders: asReader(),
      })
      const foreign: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(app.url) && !request.url().startsWith('data:'))
          foreign.push(request.url())
      })
      for (const language of ['fr', 'en'])
        for (const path of shown) {
          await page.goto(`${app.url}/docs/${language}${path}`)
          assert.deepEqual(await accessibilityViolations(page), [], `${language}${path}`)
          const overflow = 'document.documentElement.scrollWidth - innerWidth'
          assert.ok((await page.evaluate<number>(overflow)) <= 0, `${language}${path} is too wide`)
        }
      assert.deepEqual([complaints, foreign], [[], []])
      await context.close()
    })

  it('is read, searched and turned to the other language without JavaScript', async () => {
    const options = { javaScriptEnabled: false, extraHTTPHeaders: asReader() }
    const { page, context } = await openPage(browser, options)
    await page.goto(`${app.url}/docs/fr`)
    await page.getByRole('searchbox').fill('signature')
    await page.getByRole('button', { name: 'Rechercher' }).click()
    await page.locator('.found a').first().click()
    await page.getByRole('link', { name: 'English' }).click()
    assert.match(page.url(), /\/docs\/en\/[\w-]+$/)
    await page.locator('.neighbours [rel=next]').click()
    assert.equal(await page.locator('.snippet button:visible').count(), 0)
    await context.close()
  })

  it('copies an example by a button, where that is possible', async () => {
    const { page, context } = await openPage(browser, { extraHTTPHeaders: asReader() })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${app.url}/docs/en/first-payment`)
    const button = page.locator('.snippet button').first()
    await button.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(copied, /^export PASSERELLE_URL=/)
    await context.close()
  })
})
