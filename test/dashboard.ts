import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { systemClock as clock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { stepAt, totpAt } from '#merchants/people/factors/totp.ts'
import type { OperatorRole, Role } from '#merchants/people/rights.ts'
import { insertPerson, upsertMembership } from '#merchants/people/store.ts'
import type { Gateway } from './live.ts'

/** What a page of the dashboard answered. */
export interface DashboardAnswer {
  status: number
  headers: Headers
  text: string
  /** The text between the tags, with ordinary spaces. */
  visible: string
  location: string | null
}

/** A person who is signed in, without a browser: pages are requested and forms are sent. */
export interface SignedIn {
  url: string
  email: string
  cookie: string
  get(path: string, headers?: Record<string, string>): Promise<DashboardAnswer>
  /**
   * Sends a form of the page at `from` (the path itself unless given), with its token: of several
   * with this address, the one that has most of these fields. A form that leads on is not followed.
   */
  post(
    path: string,
    fields?: Record<string, string>,
    options?: { from?: string; token?: string; headers?: Record<string, string> },
  ): Promise<DashboardAnswer>
}

/** The password of every person that tests create; its hash is computed cheaply. */
export const testPassword = 'a long test password'
const testHash =
  '$argon2id$v=19$m=1024,t=1,p=1$c2FsdCBvZiB0aGUgdGVzdHM$' +
  'U4GbMr7KovFibRxgOVG6fKXScUy4xIWSCLe5y+Ztg7I'

let personCount = 0

/** Adds a person: to a client, to the operators, to both or to nothing. */
export async function addPerson(
  { db }: Pick<Gateway, 'db'>,
  options: {
    clientId?: number
    role?: Role
    operatorRole?: OperatorRole
    language?: 'fr' | 'en'
    email?: string
  } = {},
): Promise<string> {
  personCount += 1
  const { clientId, role, operatorRole = null, language = 'en' } = options
  const { email = `person-${personCount}@shop.example` } = options
  const createdAt = clock.now()
  const id = newId(createdAt)
  await db.transaction(async (tx) => {
    const person = { id, email, name: `Person ${personCount}`, passwordHash: testHash, language }
    assert.ok(await insertPerson(tx, { ...person, operatorRole, isDemo: false, createdAt }))
    if (clientId !== undefined && role !== undefined)
      await upsertMembership(tx, { personId: id, clientId, role, createdAt })
  })
  return email
}

/** Signs a new person of a role in to a client of the gateway. */
export async function signedInAs(
  gateway: Pick<Gateway, 'db' | 'url' | 'clientId'>,
  role: Role,
  language: 'fr' | 'en' = 'en',
): Promise<SignedIn> {
  const { clientId } = gateway
  return signIn(gateway.url, await addPerson(gateway, { clientId, role, language }))
}

/** Signs a new operator in. */
export async function signedInOperator(
  gateway: Pick<Gateway, 'db' | 'url'>,
  operatorRole: OperatorRole = 'operator',
  language: 'fr' | 'en' = 'en',
): Promise<SignedIn> {
  return signIn(gateway.url, await addPerson(gateway, { operatorRole, language }))
}

/** Signs in with mail address and password; `way` is a cookie that a proxy wants. */
export async function signIn(
  url: string,
  email: string,
  password: string = testPassword,
  way = '',
): Promise<SignedIn> {
  const answer = await send(url, '/dashboard/sign-in', {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
    ...(way === '' ? {} : { headers: { cookie: way } }),
  })
  assert.equal(answer.status, 303, answer.visible)
  const set = answer.headers.getSetCookie().map((one) => one.split(';')[0])
  const cookie = [...(way === '' ? [] : [way]), ...set].join('; ')
  const get: SignedIn['get'] = (path, headers = {}) =>
    send(url, path, { headers: { cookie, ...headers } })
  return {
    url,
    email,
    cookie,
    get,
    post: async (path, fields = {}, { from = path, token, headers = {} } = {}) => {
      const used = token ?? tokenFor((await get(from)).text, path, fields)
      const body = new URLSearchParams({ token: used, ...fields })
      return send(url, path, { method: 'POST', body, headers: { cookie, ...headers } })
    },
  }
}

/**
 * Sends a form whose names are looked up when it is sent, then the review of what was found, with
 * what that holds.
 */
export async function postReviewed(
  person: SignedIn,
  path: string,
  fields: Record<string, string>,
  from = path,
): Promise<DashboardAnswer> {
  const review = await person.post(path, fields, { from })
  if (review.status !== 409) return review
  return person.post(path, fields, { token: tokenFor(review.text, path) })
}

/** The cookies of a person for a browser; a guest has none. */
export function cookiesOf(person: SignedIn | undefined, url: string) {
  const cookies = (person?.cookie ?? '').split('; ').filter(Boolean)
  return cookies.map((one) => {
    const [name = '', value = ''] = one.split('=')
    return { name, value, url }
  })
}

/** The token of the form of a page that is sent to an address and has most of these fields. */
export function tokenFor(text: string, path: string, fields: Record<string, string> = {}): string {
  const has = (form: string) =>
    Object.entries(fields).filter(([name, value]) =>
      form.includes(`name="${name}" value="${value}"`),
    ).length
  const own = text
    .split('<form')
    .map((form) => form.split('</form>')[0] ?? '')
    .filter((form) => form.includes(`action="${path}"`) && tokenIn(form) !== '')
    .toSorted((one, other) => has(other) - has(one))
  return tokenIn(own[0] ?? text)
}

/** The token of the first form of a page; those of its frame, which stand before, come last. */
export function tokenIn(text: string): string {
  const [frame = '', ...main] = text.split('<main')
  return /name="token" value="([^"]+)"/.exec([...main, frame].join(''))?.[1] ?? ''
}

async function send(url: string, path: string, init: RequestInit): Promise<DashboardAnswer> {
  const answer = await fetch(`${url}${path}`, { ...init, redirect: 'manual' })
  const text = await answer.text()
  const visible = text
    .replaceAll('<wbr>', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
  const { status, headers } = answer
  return { status, headers, text, visible, location: headers.get('location') }
}

/** Signs in in a browser. */
export async function signInWith(
  page: Page,
  url: string,
  email: string,
  password: string = testPassword,
): Promise<void> {
  await page.goto(`${url}/dashboard/sign-in`)
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('main button')
  await page.waitForURL((address) => !address.pathname.endsWith('/sign-in'))
}

/** The code that an authenticator app shows for a secret, now or some steps of 30 s later. */
export function appCode(secret: string, stepsLater = 0, now = clock.now()): string {
  const bits = Array.from(secret, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  return totpAt(Buffer.from(bytes), stepAt(now) + stepsLater)
}

/** Switches a person's second factor on; returns its secret and the recovery codes. */
export async function switchFactorOn(
  person: SignedIn,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const path = '/dashboard/account/second-factor'
  const { text } = await person.get(path)
  const [, secret = ''] = /<code>([A-Z2-7]+)<\/code>/.exec(text) ?? []
  const [, sealed = ''] = /name="sealed" value="([^"]+)"/.exec(text) ?? []
  const answer = await person.post(path, { sealed, code: appCode(secret) })
  assert.equal(answer.status, 303, answer.visible)
  const [, codes = ''] = /<code id="secret">([^<]+)</.exec((await person.get(path)).text) ?? []
  return { secret, recoveryCodes: codes.split('\n') }
}

/** The settings of a live gateway, as far as the dashboard looks at them. */
export const liveSettings = {
  MODE: 'live',
  PUBLIC_URL: 'https://pay.example',
  DATABASE_URL: 'postgresql://app@localhost/passerelle',
  SECRET_KEY: Buffer.from('a secret key of the tests, 32 bytes').toString('base64'),
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Passerelle <no-reply@example.com>',
}
