import assert from 'node:assert/strict'
import { addPerson } from '../dashboard.ts'
import { call } from '../live.ts'
import { eventually } from '../wait.ts'
import { formTo, type Journey, newPayment, open, press, type Stage, told, unfold } from './stage.ts'

const developers = '/dashboard/developers'

/** Shops, keys, webhooks, people and settings. */
export const ofOthers: Journey[] = [
  {
    name: 'adds a sub-merchant, changes it, makes it the default and ends it',
    action: 'sub-merchant.change',
    by: 'admin',
    isRare: true,
    walk: async (stage) => {
      const { page, role } = stage
      const name = `Shop of ${role}`
      // The first one is the default by itself.
      const first = { name, commercialName: name, countries: ['SN'] }
      await call(stage.gateway, 'POST /api/v1/sub-merchant', first)
      await open(stage, '/dashboard/sub-merchants')
      await press(page, 'main a[href="/dashboard/sub-merchants/new"]', '#name')
      await page.fill('#name', name)
      await page.fill('#commercialName', name)
      await page.check('main input[type=checkbox] >> nth=0')
      await press(page, formTo('/new') + ' button', `h1:has-text("${name}")`)
      await page.fill('#commercialName', `The ${name}`)
      await press(page, 'main form:has(#name) button', told('Saved'))
      await press(page, 'button[value=default]', '.head .label:has-text("Default")')
      await press(page, 'button[value=deactivate]', 'button[value=activate]')
    },
  },
  {
    name: 'makes a key, gives it a new secret and revokes it',
    action: 'key.change',
    by: 'developer',
    walk: async (stage) => {
      const { page, role } = stage
      const works = async () => {
        const secret = await page.innerText('#secret')
        return (
          (await call({ url: stage.gateway.url, secret }, 'GET /api/v1/api-services/services'))
            .status === 200
        )
      }
      await open(stage, developers)
      await press(page, `a[href="${developers}/keys/new"]`, '#label')
      await page.fill('#label', `till of ${role}`)
      await press(page, formTo('/new') + ' button', '#secret')
      assert.ok(await works())
      await press(page, `main a:has-text("till of ${role}") >> nth=0`, 'h1, h2')
      await press(page, formTo('/rotate') + ' button', '#secret')
      assert.ok(await works())
      await press(page, formTo('/revoke') + ' button', '.label:has-text("Revoked")')
    },
  },
  {
    name: 'sets where webhooks go',
    action: 'callback.change',
    by: 'developer',
    isRare: true,
    walk: async (stage) => {
      const { page } = stage
      await open(stage, `${developers}/webhooks`)
      await page.fill('#address', `${stage.receiver.url}/default`)
      await press(page, formTo('/address') + ' button', told('The address is saved'))
    },
  },
  {
    name: 'signs webhooks with a new secret',
    action: 'secret.rotate',
    by: 'developer',
    isRare: true,
    walk: async (stage) => {
      const { page } = stage
      await open(stage, `${developers}/webhooks`)
      await press(page, formTo('/secret') + ' button', '#secret:has-text("whsec_")')
    },
  },
  {
    name: 'sends events again: of a payment, one delivery, those ticked, a period, and a test',
    action: 'event.resend',
    by: 'support',
    walk: walkResend,
  },
  {
    name: 'finds a refused request, events, mails and the numbers of the sandbox',
    action: 'developer.read',
    by: 'developer',
    walk: async (stage) => {
      const { page } = stage
      const { body } = await call(stage.gateway, 'POST /api/v1/transaction/init', {})
      const { requestId } = body
      await eventually('it is kept', async () => {
        await open(stage, `${developers}/requests`)
        await page.fill('#q', requestId)
        await press(page, 'form[role=search] button', `main :has-text("${requestId}")`)
        return (await page.locator('main td code, main .card code').count()) > 0
      })
      const tabs: [tab: string, shown: string][] = [
        ['events', 'main a[href*="/developers/events/"]'],
        ['mails', 'main a[href*="/developers/mails/"]'],
        ['sandbox', 'main :text("770000001")'],
      ]
      for (const [tab, shown] of tabs) await press(page, `.tabs a[href$="/${tab}"]`, shown)
      await press(page, '.tabs a[href$="/mails"]', 'main a[href*="/developers/mails/"]')
      await press(page, 'main a[href*="/developers/mails/"] >> nth=0', 'main pre')
    },
  },
  {
    name: 'invites somebody, takes it back, gives a member another role and removes them',
    action: 'team.change',
    by: 'admin',
    walk: async (stage) => {
      const { page, role, hasScripts } = stage
      const invited = `guest-of-${role}-${hasScripts}@shop.example`
      const email = await addPerson(stage.gateway, {
        clientId: stage.gateway.clientId,
        role: 'viewer',
      })
      await open(stage, '/dashboard/team')
      await press(page, 'a[href="/dashboard/team/invite"]', '#email')
      assert.equal(
        await page.locator('#role option[value=owner]').count(),
        role === 'owner' ? 1 : 0,
      )
      await page.fill('#email', invited)
      await press(page, formTo('/invite') + ' button', `main tr:has-text("${invited}")`)
      await page.click(`main tr:has-text("${invited}") button`)
      await page.waitForSelector(`main:not(:has(tr:has-text("${invited}")))`)
      await press(page, `main tr:has-text("${email}") a`, '#role')
      await page.selectOption('#role', 'support')
      await press(page, 'form:has(#role) button', `tr:has-text("${email}"):has-text("Support")`)
      await press(page, `main tr:has-text("${email}") a`, 'button[value=remove]')
      await press(page, 'button[value=remove]', told('no longer in the team'))
    },
  },
  {
    name: 'reads who did what',
    action: 'audit.read',
    by: 'admin',
    isRare: true,
    walk: async (stage) => {
      const { page } = stage
      await open(stage, '/dashboard')
      await press(page, 'nav .side a[href="/dashboard/audit"]', 'main tr:has-text("Person")')
    },
  },
  {
    name: 'changes the settings',
    action: 'settings.change',
    by: 'owner',
    walk: async (stage) => {
      const { page } = stage
      await open(stage, '/dashboard/settings')
      await page.fill('#email', 'shop@shop.example')
      await press(page, formTo('/settings') + ' button', told('aved'))
      assert.equal(await page.inputValue('#email'), 'shop@shop.example')
    },
  },
]

async function walkResend(stage: Stage): Promise<void> {
  const { page, receiver } = stage
  const { id } = await newPayment(stage)
  const count = () => receiver.got.length
  const again = async (what: string, selector: string) => {
    const before = count()
    await page.click(selector)
    await eventually(`${what} is sent again`, () => count() > before)
    await page.waitForSelector('.notice[role=status]')
  }
  await eventually('it is delivered', async () => {
    await open(stage, `/dashboard/transactions/${id}`)
    return (await page.locator(formTo('/resend')).count()) > 0
  })
  await unfold(page, 'form[action$="/resend"]')
  await again('the event', `${formTo('/resend')} button`)
  await open(stage, `${developers}/webhooks?state=delivered`)
  await press(page, 'main a[href*="/developers/webhooks/"] >> nth=0', formTo('/replay'))
  await again('the delivery', `${formTo('/replay')} button`)
  await open(stage, `${developers}/webhooks`)
  await page.check('main input[name^=event-] >> nth=0')
  await again('what is ticked', 'button:has-text("Resend selected")')
  await open(stage, `${developers}/webhooks`)
  await page.click('summary:has-text("Resend a date range")')
  await page.fill('#from', '2020-01-01T00:00')
  await page.fill('#to', '2099-01-01T00:00')
  await page.check('#all')
  await again('the period', `${formTo('/replay-range')} button`)
  await again('a test', `${formTo('/test')} button`)
}
