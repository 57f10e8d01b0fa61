import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Action, may, roles } from '#merchants/people/rights.ts'
import { type SignedIn, signedInAs, tokenIn } from '#test/dashboard.ts'
import { newLink } from '#test/links.ts'
import { call, collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { findAddresses } from '#test/screenshots/crawl.ts'
import { guardedRoutes, routeOf, screenRoutes } from '#test/screenshots/routes.ts'
import { eventually } from '#test/wait.ts'
import { firstVisitBytesMax, openScales } from '#test/wire-bytes.ts'

const gateway = await liveGateway({ pace: 50 })
const { url } = gateway

// Ends an attribute and a text, and would run in both.
const hostile = `"'><img src=x onerror=__xss=1>`
const escaped = '&quot;&#39;&gt;&lt;img src=x onerror=__xss=1&gt;'

const owner = await signedInAs(gateway, 'owner')
await writeEverywhere(owner)
const addresses = await findAddresses(owner, ['/dashboard'], merchantRoutes())
const texts = new Map<string, string>()
for (const address of addresses.values()) texts.set(address, (await owner.get(address)).text)

function merchantRoutes(): string[] {
  const ofOthers = /^\/dashboard\/(?:ops|sign-in|forgotten|join|reset)/
  return screenRoutes().filter((route) => !ofOthers.test(route))
}

/** Makes one of everything that a merchant has, with a hostile text wherever one can be typed. */
async function writeEverywhere(person: SignedIn): Promise<void> {
  const done = async (path: string, fields: Record<string, string>, from = path) => {
    const { status, visible } = await person.post(path, fields, { from })
    assert.equal(status, 303, `${path}: ${visible}`)
  }
  await done('/dashboard/account', { name: hostile })
  const shop = { name: hostile, commercialName: hostile, description: hostile, city: hostile }
  const more = { legalName: hostile, businessActivity: hostile, managerName: hostile }
  const created = await call(gateway, 'POST /api/v1/sub-merchant', {
    ...shop,
    ...more,
    address: hostile,
    countries: ['SN'],
  })
  assert.equal(created.status, 201, created.text)
  const customData = JSON.stringify({ hostile })
  const { subMerchantId } = created.body.data
  await collected(gateway, { customData, sub_merchant_id: subMerchantId })
  await newLink(gateway, { ItemName: hostile, ClientName: hostile, customData })
  await done('/dashboard/developers/keys/new', { label: hostile, 'right-read': 'yes' })
  await done('/dashboard/team/invite', { email: 'invited@shop.example', role: 'viewer' })
  await uploadBatch(person)
  await eventually('its event is delivered or has failed', async () => {
    const { text } = await person.get('/dashboard/developers/webhooks')
    return /developers\/webhooks\/[0-9a-f-]{36}/.test(text)
  })
}

async function uploadBatch(person: SignedIn): Promise<void> {
  const form = new FormData()
  form.set('token', tokenIn((await person.get('/dashboard/batches')).text))
  form.set('name', hostile)
  const name = `"${hostile.replaceAll('"', '""')}"`
  const text = `numero;service;montant;nom\r\n771234567;WALLETA_SN_CASHIN;1500;${name}\r\n`
  form.set('file', new File([text], 'file.csv'))
  const init = { method: 'POST', body: form, headers: { cookie: person.cookie } }
  const answer = await fetch(`${url}/dashboard/batches`, init)
  assert.equal(answer.status, 200, await answer.text())
}

describe('every page of a merchant', () => {
  it('is found from home by links', () => {
    const rest = merchantRoutes().filter((route) => !addresses.has(route))
    // A mail needs an address of the merchant, a passkey a host's name.
    assert.deepEqual(rest, ['/dashboard/developers/mails/:id', '/dashboard/account/passkeys/new'])
  })

  it('shows texts as texts, whatever they are', () => {
    const shown = [...texts].filter(([, text]) => text.includes('onerror=__xss'))
    assert.ok(shown.length > 20, `only ${shown.length} pages show any`)
    const wrong = shown.filter(
      ([, text]) => countOf(text, 'onerror=__xss') !== countOf(text, escaped),
    )
    assert.deepEqual(
      wrong.map(([address]) => address),
      [],
    )
  })

  it('with all that it needs is at most 60 KB on the wire', async () => {
    const scales = openScales(owner)
    for (const address of texts.keys()) {
      const bytes = await scales.weigh(address)
      assert.ok(bytes < firstVisitBytesMax, `${address}: ${bytes} bytes`)
    }
    assert.equal(scales.files.size, 3)
  })

  it('with an id, and what can be sent from it, is a 404 for another merchant', async () => {
    const stranger = await signedInAs({ ...gateway, ...(await gateway.newMerchant()) }, 'owner')
    const token = tokenIn((await stranger.get('/dashboard')).text)
    const known = [...addresses].filter(([route]) => route.includes('/:'))
    assert.ok(known.length > 10, `only ${known.length} have an id`)
    const open: string[] = []
    for (const [, address] of known)
      if ((await stranger.get(address)).status !== 404) open.push(address)
    const forms = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/action="(\/dashboard\/[^"?]*[0-9a-f-]{36}[^"?]*)"/g)].map(([, to]) => to),
    )
    for (const path of new Set(forms)) {
      const { status } = await stranger.post(path ?? '', {}, { token })
      if (status !== 404) open.push(`POST ${path}: ${status}`)
    }
    assert.deepEqual(open, [])
  })

  for (const role of roles.filter((one) => one !== 'owner'))
    it(`offers ${role} what it may do of what it offers an owner, and nothing else`, async () => {
      const person = await signedInAs(gateway, role)
      const offered = new Set<string>()
      await findAddresses(person, ['/dashboard'], merchantRoutes(), (text) => {
        for (const one of offersIn(text)) offered.add(one)
      })
      const whole = new Set([...texts.values()].flatMap(offersIn))
      const allowed = [...whole].filter((one) => may(role, rightFor(one)))
      // The first member of the team is an owner, whom only owners change.
      const apart = role === 'admin' ? ['POST /dashboard/team/:person'] : []
      assert.deepEqual([...offered, ...apart].toSorted(), allowed.toSorted())
    })
})

const guarded = guardedRoutes()
const guardedPaths = guarded.map(({ path }) => path)

/** The links and forms of a page, each as a method and a route that asks for a right. */
function offersIn(text: string): string[] {
  const links = [...text.matchAll(/href="(\/dashboard\/?[^"#]*)"/g)].map(
    ([, to = '']) => `GET ${to}`,
  )
  const forms = [...text.matchAll(/<form[^>]*method="(get|post)" action="([^"]*)"/g)].map(
    ([, method = '', to = '']) => `${method.toUpperCase()} ${to}`,
  )
  return [...links, ...forms].flatMap((one) => {
    const [method = '', to = ''] = one.split(' ')
    const path = routeOf(guardedPaths, to)
    const isGuarded = guarded.some((route) => route.method === method && route.path === path)
    return isGuarded ? [`${method} ${path}`] : []
  })
}

function rightFor(offer: string): Action {
  const found = guarded.find(({ method, path }) => `${method} ${path}` === offer)
  assert.ok(found)
  return found.action
}

it('looking moves no money', () => assertMoney(gateway))

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}
