import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { queueMail } from '#merchants/mail/queue.ts'
import { may, roles } from '#merchants/people/rights.ts'
import { openPage, testBrowser } from '#test/browser.ts'
import { addPerson, appCode, signedInAs, signIn, signInWith } from '#test/dashboard.ts'
import { ofMoney } from '#test/journeys/of-money.ts'
import { ofOthers } from '#test/journeys/of-others.ts'
import { type Journey, newPayment, press } from '#test/journeys/stage.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { sections } from './frame/sections.ts'

/*
 * What each role does in the dashboard, in a real browser and by what can be clicked alone. In npm
 * test most journeys are taken by one of the roles that may, with scripts; in the slow tests all,
 * also without scripts; in the full ones by all roles. That nobody is offered more:
 * every-page.test.ts.
 */

const gateway = await liveGateway({ pace: 50 })
const { url, db, clientId } = gateway
const receiver = await openReceiver()
const browser = await testBrowser()
const journeys = [...ofMoney, ...ofOthers]
const isWalked = sized<(journey: Journey, role: string) => boolean>(
  ({ by, isRare }, role) => by === role && isRare !== true,
  ({ by }, role) => by === role,
  () => true,
)
await keepMail()
await setAddress()

for (const hasScripts of sized([true], [true, false]))
  for (const role of roles)
    describe(`${role}, with${hasScripts ? '' : 'out'} scripts`, async () => {
      const opened = await openPage(browser, {
        javaScriptEnabled: hasScripts,
        viewport: { width: 1280, height: 800 },
      })
      after(() => opened.context.close())
      const { page } = opened
      const payment = await newPayment({ gateway, receiver })
      const stage = { gateway, receiver, role, page, hasScripts, payment }

      it('signs in, and is shown the rooms of its rights alone', async () => {
        await signInWith(page, url, await addPerson(gateway, { clientId, role }))
        const hrefs = await page.evaluate<string[]>(
          `[...document.querySelectorAll('nav .side a')].map((link) => link.getAttribute('href'))`,
        )
        const rooms = sections.filter(({ action }) => may(role, action))
        assert.deepEqual(
          hrefs,
          rooms.map(({ href }) => href),
        )
      })

      for (const journey of journeys)
        if (may(role, journey.action) && isWalked(journey, role))
          it(journey.name, () => journey.walk(stage))

      it('meets no error of a script', () => assert.deepEqual(opened.complaints, []))
    })

for (const hasScripts of sized([true], [true, false]))
  it(`an account, with${hasScripts ? '' : 'out'} scripts`, async () => {
    const email = `joins-${hasScripts}@shop.example`
    const owner = await signedInAs(gateway, 'owner')
    await owner.post('/dashboard/team/invite', { email, role: 'finance' })
    await using opened = await openPage(browser, { javaScriptEnabled: hasScripts })
    const { page, complaints } = opened
    const submit = async (fields: Record<string, string>, shown: string) => {
      for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value)
      await press(page, 'main form button:not([type=button])', shown)
    }
    // Joins by the mail.
    await page.goto(`${url}${await linkTo(email, 'join')}?lang=en`)
    await submit({ name: 'Awa', password: 'short' }, '#password-problem')
    await submit({ password: 'three easy words' }, 'nav.menu')
    // Signs another device out.
    const elsewhere = await signIn(url, email, 'three easy words')
    await page.goto(`${url}/dashboard/account/sessions`)
    await press(page, 'button[value=all]', '.notice[role=status]')
    assert.equal((await elsewhere.get('/dashboard')).status, 303)
    // Adds a second step.
    await page.goto(`${url}/dashboard/account/second-factor`)
    await submit({ code: appCode(await page.innerText('main form code')) }, '#secret')
    const [recovery = ''] = (await page.innerText('#secret')).split('\n')
    // Has forgotten the password.
    await page.context().clearCookies()
    await page.goto(`${url}/dashboard/sign-in?lang=en`)
    await press(page, 'a[href^="/dashboard/forgotten"]', 'form[action*=forgotten] #email')
    await submit({ email }, 'text=No email can be sent from here')
    await page.goto(`${url}${await linkTo(email, 'reset')}?lang=en`)
    await submit({ password: 'four other easy words' }, '#code')
    await submit({ code: '000000' }, 'text=Incorrect or already used')
    await submit({ code: recovery }, 'nav.menu')
    assert.deepEqual(complaints, [])
  })

it('leaves the money in order', () => assertMoney(gateway))

/** The address in a mail to somebody. */
function linkTo(email: string, kind: string): Promise<string> {
  return eventually(`a mail to ${email}`, async () => {
    const mails = await db<{ text: string }>`
      select text_body as text from mails where recipient = ${email}`
    const links = mails.map(({ text }) => new RegExp(`/dashboard/${kind}/[\\w-]+`).exec(text)?.[0])
    return links.find((link) => link !== undefined)
  })
}

/** A mail to a payer, as there is one for each link with an address. */
async function keepMail(): Promise<void> {
  const recordId = '00000000-0000-7000-8000-000000000001'
  const mail = { clientId, recordId, to: 'payer@shop.example', language: 'en' as const }
  const texts = { kind: 'link_created', subject: 'A link', text: 'Pay here', html: '' }
  await db.transaction((tx) => queueMail(tx, { ...mail, ...texts }, new Date(), false))
}

/** Sets where webhooks go that name no address, such as those that people try. */
async function setAddress(): Promise<void> {
  const page = '/dashboard/developers/webhooks'
  const owner = await signedInAs(gateway, 'owner')
  const fields = { address: `${receiver.url}/default` }
  const { status } = await owner.post(`${page}/address`, fields, { from: page })
  assert.equal(status, 303)
}
