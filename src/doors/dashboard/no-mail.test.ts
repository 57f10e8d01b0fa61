import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findMail, readMails } from '#merchants/mail/store.ts'
import {
  addPerson,
  liveSettings,
  signedInAs,
  signedInOperator,
  switchFactorOn,
} from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { eventually } from '#test/wait.ts'

const { SMTP_URL: _, ...environment } = liveSettings
const gateway = await liveGateway({ environment: { ...environment, SMTP_URL: '' } })
const { db, url, clientId } = gateway
const operator = await signedInOperator(gateway)
await switchFactorOn(operator)
const secretIn = (text: string) => /id="secret">([^<]+)</.exec(text)?.[1]

/** The page of the newest mail to an address, once it is written. */
function pageOfMail(to: string): Promise<string> {
  return eventually('the mail is kept', async () => {
    const mails = await readMails(db, { state: 'kept', before: null, limit: 50 })
    const found = mails.find(({ recipient }) => recipient === to)
    return found === undefined ? false : `/dashboard/ops/mails/${found.id}`
  })
}

it('a person who forgot the password is told that no mail can leave', async () => {
  const email = await addPerson(gateway, { clientId, role: 'viewer' })
  const path = `${url}/dashboard/forgotten`
  assert.match(await (await fetch(`${path}?lang=en`)).text(), /cannot send email/)
  const body = new URLSearchParams({ email })
  const headers = { origin: url }
  const answer = await fetch(`${path}?lang=en`, { method: 'POST', body, headers })
  const text = await answer.text()
  assert.match(text, /No email can be sent from here/)
  assert.doesNotMatch(text, /Check your email|will arrive soon/)
  const page = await pageOfMail(email)
  assert.match((await operator.get(page)).visible, /Show the link \(only once\)/)
  await operator.post(`${page}/link`, {}, { from: page })
  const shown = await operator.get(page)
  const link = secretIn(shown.text) ?? ''
  assert.match(link, /^http:\/\/\S+\/dashboard\/reset\/\S+$/)
  const reset = await fetch(`${url}${new URL(link).pathname}?lang=en`)
  assert.match(await reset.text(), /new-password/)
  const again = await operator.get(page)
  assert.doesNotMatch(again.text, /dashboard\/reset/)
  assert.match(again.visible, /The link was shown once, then erased/)
  const [mail] = [await findMail(db, page.split('/').at(-1) ?? '')]
  assert.deepEqual([mail?.state, mail?.textBody, mail?.htmlBody], ['kept', '', ''])
  const records = await db`select from audit_log where action = 'mail.link'`
  assert.equal(records.length, 1)
})

it('an invitation is not called sent, and an operator has its link', async () => {
  const owner = await signedInAs(gateway, 'owner')
  const fields = { email: 'new@shop.example', role: 'viewer' }
  await owner.post('/dashboard/team/invite', fields)
  const { text, visible } = await owner.get('/dashboard/team')
  assert.match(visible, /The invitation was created, but this gateway cannot send email/)
  assert.match(text, /id="told" class="notice bad"/)
  assert.equal(secretIn(text), undefined)
  const page = await pageOfMail('new@shop.example')
  await operator.post(`${page}/link`, {}, { from: page })
  assert.match(secretIn((await operator.get(page)).text) ?? '', /dashboard\/join\//)
})

it('the link of somebody who operates the gateway is shown to nobody', async () => {
  await operator.post('/dashboard/ops/users/invite', {
    email: 'second@gateway.example',
    role: 'auditor',
  })
  assert.match((await operator.get('/dashboard/ops/users')).visible, /no email can be sent/)
  const page = await pageOfMail('second@gateway.example')
  await operator.post(`${page}/link`, {}, { from: page })
  const { text, visible } = await operator.get(page)
  assert.match(visible, /link is not shown here/)
  assert.doesNotMatch(text, /dashboard\/join/)
  const auditor = await signedInOperator(gateway, 'auditor')
  await switchFactorOn(auditor)
  assert.doesNotMatch((await auditor.get(page)).visible, /Show the link/)
})
