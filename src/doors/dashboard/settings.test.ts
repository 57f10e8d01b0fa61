import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { readAudit } from '#data/db/audit-log.ts'
import { findBrand } from '#merchants/clients/brand-store.ts'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import { type SignedIn, signedInAs, signInWith, tokenFor, tokenIn } from '#test/dashboard.ts'
import { newLink } from '#test/links.ts'
import { liveGateway } from '#test/live.ts'
import { pagesOf } from '#test/pdf.ts'
import { jpegOf, pngOf, scriptedSvg } from '#test/pictures.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const warned: { msg: string }[] = []
const log = pino({ level: 'warn' }, { write: (text: string) => void warned.push(JSON.parse(text)) })
const gateway = await liveGateway({ log })
const { db, url, clientId } = gateway
const owner = await signedInAs(gateway, 'owner')
const link = await newLink(gateway)
const page = '/dashboard/settings'

interface Look {
  logo?: Buffer
  fileName?: string
  fields?: Record<string, string>
}

/** Sends the form of the payment page's look. */
async function sendLook(person: SignedIn, look: Look, token?: string) {
  const { logo = Buffer.alloc(0), fileName = 'logo.png', fields = {} } = look
  const form = new FormData()
  form.set('token', token ?? tokenFor((await person.get(page)).text, `${page}/look`))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('logo', new File([new Uint8Array(logo)], fileName))
  const { cookie } = person
  const init = { method: 'POST', body: form, headers: { cookie }, redirect: 'manual' } as const
  const answer = await fetch(`${url}${page}/look`, init)
  return { status: answer.status, text: await answer.text() }
}

const payerPage = async () => (await fetch(`${url}/pay/process/${link}`)).text()

describe('the look of the payment page', () => {
  it('is set, seen by payers and taken away', async () => {
    const before = await payerPage()
    assert.doesNotMatch(before, /<img|--deep:#ffb300/)
    const look = { logo: pngOf(120, 40), fields: { colour: '#FFB300' } }
    assert.equal((await sendLook(owner, look)).status, 303)
    const { colour, logo } = await findBrand(db, clientId)
    assert.deepEqual([colour, logo?.width, logo?.height], ['#ffb300', 120, 40])
    await eventually('payers see it', async () => {
      const text = await payerPage()
      return text.includes(`src="logo/${logo?.hash}"`) && text.includes('--deep:#ffb300')
    })
    const shown = await owner.get(page)
    assert.match(shown.text, /<img class="logo" src="\/dashboard\/settings\/logo\?/)
    assert.match(shown.text, /<svg class="sample"/)
    const picture = await owner.get(`${page}/logo`)
    assert.equal(picture.headers.get('content-type'), 'image/png')
    const [last] = await readAudit(db, { clientId, before: null, limit: 1 })
    assert.deepEqual([last?.actor, last?.action], [owner.email, 'client.change'])
    const away = { fields: { removeLogo: 'yes', resetColour: 'yes', colour: '#ffb300' } }
    assert.equal((await sendLook(owner, away)).status, 303)
    assert.deepEqual(await findBrand(db, clientId), { colour: null, country: 'SN', logo: null })
    assert.equal((await owner.get(`${page}/logo`)).status, 404)
  })

  it('stays ours when the colour of the form is left alone', async () => {
    const [, colour = ''] = /type="color" value="([^"]+)"/.exec((await owner.get(page)).text) ?? []
    assert.equal((await sendLook(owner, { fields: { colour } })).status, 303)
    assert.equal((await findBrand(db, clientId)).colour, null)
  })

  it('is sent as a picture alone, also if it is a page too and called one', async () => {
    const logo = Buffer.concat([pngOf(4, 4), Buffer.from('<script>__xss=1</script>')])
    assert.equal((await sendLook(owner, { logo, fileName: 'logo.html' })).status, 303)
    const { logo: stored } = await findBrand(db, clientId)
    const toPayers = await fetch(`${url}/pay/process/logo/${stored?.hash}`)
    assert.deepEqual(Buffer.from(await toPayers.arrayBuffer()), logo)
    const toOwner = await owner.get(`${page}/logo`)
    for (const { headers } of [toPayers, toOwner]) {
      assert.equal(headers.get('content-type'), 'image/png')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';/)
    }
    assert.equal((await sendLook(owner, { fields: { removeLogo: 'yes' } })).status, 303)
  })

  // name, what is sent, status, sentence
  const refused: [string, Look, number, RegExp][] = [
    ['an SVG called PNG', { logo: Buffer.from(scriptedSvg) }, 422, /SVG is not accepted/],
    ['a bomb', { logo: pngOf(100_000, 100_000) }, 422, /is 100000 × 100000 pixels large/],
    ['half a file', { logo: jpegOf(40, 40).subarray(0, 60) }, 422, /image is damaged/],
    ['a page', { logo: Buffer.from('<script>x()</script>') }, 422, /must be a PNG, JPEG or WebP/],
    ['no colour', { fields: { colour: 'red;}</style>' } }, 422, /is not a colour/],
    ['900 KB of nothing', { logo: Buffer.alloc(900_000) }, 422, /must be a PNG/],
  ]
  for (const [name, look, status, sentence] of refused)
    it(`refuses ${name} beside its field, and leaves all as it was`, async () => {
      const answer = await sendLook(owner, look)
      assert.equal(answer.status, status)
      assert.match(answer.text, sentence)
      assert.match(answer.text, /id="(logo|colour)-problem"/)
      assert.ok(!answer.text.includes('</style>'))
      assert.deepEqual(await findBrand(db, clientId), { colour: null, country: 'SN', logo: null })
    })

  it('refuses 10 MB in words, beside the field', async () => {
    const answer = await sendLook(owner, { logo: Buffer.alloc(10_000_000) })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /id="logo-problem"[^>]*>[^<]*larger than 1000000 bytes/)
  })

  it('is set once by a form that is sent twice', async () => {
    const token = tokenFor((await owner.get(page)).text, `${page}/look`)
    const send = (colour: string) => sendLook(owner, { fields: { colour } }, token)
    assert.deepEqual([(await send('#112233')).status, (await send('#445566')).status], [303, 303])
    assert.equal((await findBrand(db, clientId)).colour, '#112233')
    await sendLook(owner, { fields: { resetColour: 'yes', colour: '' } })
  })

  for (const role of ['finance', 'developer', 'support', 'viewer'] as const)
    it(`cannot be changed by ${role}, who sees it`, async () => {
      const person = await signedInAs(gateway, role)
      const shown = await person.get(page)
      assert.match(shown.visible, /Payment page/)
      assert.doesNotMatch(shown.text, /settings\/look/)
      const token = tokenIn((await person.get('/dashboard')).text)
      assert.equal((await sendLook(person, { logo: pngOf(2, 2) }, token)).status, 403)
    })

  it('is that of one merchant alone', async () => {
    await sendLook(owner, { logo: pngOf(8, 8), fields: { colour: '#123456' } })
    const stranger = await signedInAs({ ...gateway, ...(await gateway.newMerchant()) }, 'owner')
    assert.equal((await stranger.get(`${page}/logo`)).status, 404)
    assert.doesNotMatch((await stranger.get(page)).text, /#123456/)
    await sendLook(owner, { fields: { removeLogo: 'yes', resetColour: 'yes' } })
  })
})

/** A picture of this size and type, drawn by the browser. */
async function draw(drawing: Page, type: string, side: number): Promise<Buffer> {
  const noise = type === 'image/png' ? 'Math.random()' : '0.5'
  const text = await drawing.evaluate<string>(`(async () => {
    const canvas = new OffscreenCanvas(${side}, ${side / 2})
    const context = canvas.getContext('2d')
    for (let x = 0; x < ${side}; x += 8) for (let y = 0; y < ${side / 2}; y += 8) {
      context.fillStyle = 'hsl(' + 360 * ${noise} + ' 80% 50%)'
      context.fillRect(x, y, 8, 8)
    }
    const blob = await canvas.convertToBlob({ type: '${type}' })
    const reader = new FileReader()
    reader.readAsDataURL(blob)
    await new Promise((done) => { reader.onload = done })
    return reader.result.split(',')[1]
  })()`)
  return Buffer.from(text, 'base64')
}

describe('in a real browser', () => {
  it('a form that is sent while its picture is being made smaller waits for it', async () => {
    const browser = await testBrowser()
    await using opened = await openPage(browser)
    const { page: person } = opened
    await person.addInitScript(`{
      const read = createImageBitmap
      const held = new Promise((done) => (window.goOn = done))
      createImageBitmap = (file) => held.then(() => read(file))
    }`)
    await signInWith(person, url, owner.email)
    await person.goto(`${url}${page}`)
    const buffer = await draw(person, 'image/png', 2000)
    await person.setInputFiles('#logo', { name: 'a.png', mimeType: 'image/png', buffer })
    const answered = person.waitForResponse('**/settings/look')
    await person.click('form[action$=look] button')
    await person.click('form[action$=look] button')
    await person.evaluate('goOn()')
    assert.equal((await answered).status(), 303)
    await person.waitForSelector('text=Saved.')
  })

  slowTest(
    'a logo of each type is uploaded and drawn for payers, also without scripts',
    async () => {
      const browser = await testBrowser()
      await using opened = await openPage(browser, { viewport: { width: 360, height: 640 } })
      await using plain = await openPage(browser, { javaScriptEnabled: false })
      await signInWith(opened.page, url, owner.email)
      await signInWith(plain.page, url, owner.email)
      for (const [type, person] of [
        ['image/png', opened.page],
        ['image/jpeg', plain.page],
        ['image/webp', plain.page],
      ] as const) {
        // The PNG is too large by far: the page makes it smaller before it is sent.
        const buffer = await draw(opened.page, type, type === 'image/png' ? 2000 : 64)
        await person.goto(`${url}${page}`)
        await person.setInputFiles('#logo', { name: 'a.png', mimeType: type, buffer })
        if (type === 'image/png')
          await eventually('the picture is small', () =>
            person.evaluate<boolean>("document.querySelector('#logo').files[0].size <= 65536"),
          )
        await person.fill('#colour', '#ffb300')
        await person.click('form[action$=look] button')
        await person.waitForSelector('text=Saved.')
        await eventually(`payers see the ${type}`, async () => {
          await opened.page.goto(`${url}/pay/process/${link}`)
          return opened.page.evaluate<boolean>(
            "document.querySelector('img.logo')?.naturalWidth > 0",
          )
        })
      }
      assert.deepEqual(await accessibilityViolations(opened.page), [])
      await opened.page.goto(`${url}${page}`)
      assert.deepEqual(await accessibilityViolations(opened.page), [])
    },
  )
})

describe('the settings of a merchant', () => {
  const right = { name: 'Chez Awa', email: 'awa@shop.example', language: 'en', lifetime: '21600' }

  it('are changed, and seen by those who may not change them', async () => {
    const fields = { ...right, timeZone: 'Africa/Douala' }
    assert.equal((await owner.post(page, fields)).location, page)
    const viewer = await signedInAs(gateway, 'viewer')
    const { visible, text } = await viewer.get(page)
    const all = /Chez Awa .*awa@shop\.example .*English .*Africa\/Douala .*6 hours/
    assert.match(visible, all)
    assert.doesNotMatch(text, /name="timeZone"/)
    assert.equal((await viewer.post(page, fields, { from: '/dashboard' })).status, 403)
  })

  it('have an address and a tax number, which stand on its papers', async () => {
    const head = { address: '12 rue Félix Faure, Dakar', taxNumber: '00512345 2G3' }
    assert.equal((await owner.post(page, { ...right, ...head })).location, page)
    const own = (path: string) => fetch(`${url}${path}`, { headers: { cookie: owner.cookie } })
    const statement = '/dashboard/statements/file?from=2026-01-01&to=2026-01-31&form=pdf'
    const paper = await own(statement)
    const [texts = []] = pagesOf(Buffer.from(await paper.arrayBuffer()))
    assert.ok(texts.includes(head.address), texts.join(' | '))
    assert.ok(texts.some((text) => text.endsWith(head.taxNumber)))
    // A form of before these fields keeps them; a long one is refused.
    await owner.post(page, right)
    assert.match((await owner.get(page)).text, /value="12 rue Félix Faure, Dakar"/)
    const long = await owner.post(page, { ...right, address: 'x'.repeat(121), taxNumber: '1\t2' })
    assert.equal(long.status, 422)
    for (const name of Object.keys(head))
      assert.match(long.text, new RegExp(`id="${name}-problem"`))
    await owner.post(page, { ...right, address: '', taxNumber: '' })
    assert.doesNotMatch((await owner.get(page)).text, /Félix/)
  })

  it('that are wrong come back with what was typed and what is wrong', async () => {
    const typed = { name: '', email: 'nobody', timeZone: 'Mars/Olympus' }
    const { status, text } = await owner.post(page, { ...right, ...typed })
    assert.equal(status, 422)
    assert.match(text, /value="nobody"/)
    for (const name of Object.keys(typed)) assert.match(text, new RegExp(`id="${name}-problem"`))
    assert.match((await owner.get(page)).text, /value="Chez Awa"/)
  })

  it('are escaped wherever they are shown', async () => {
    const viewer = await signedInAs(gateway, 'viewer')
    for (const payload of xssPayloads.filter((one) => one.length <= 80 && /[<"]/.test(one))) {
      await owner.post(page, { ...right, name: payload })
      for (const person of [owner, viewer])
        assert.ok(!(await person.get(page)).text.includes(payload), payload)
    }
  })
})

it('none of these pages warns of anything in the log', () =>
  assert.deepEqual(
    warned.map(({ msg }) => msg),
    [],
  ))
