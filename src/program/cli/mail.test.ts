import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock } from '#base/kit/clock.ts'
import { findClientId } from '#merchants/clients/store.ts'
import { queueMail } from '#merchants/mail/queue.ts'
import { confirmationMail } from '#money/links/confirmation-mail.ts'
import { ensureDemoData } from '#program/sandbox/demo.ts'
import { testDatabase } from '#test/database.ts'
import { openMailServer } from '#test/mail-server.ts'
import { assertRefused, commandLine, dataFolder, startGateway } from '#test/program.ts'
import { eventually } from '#test/wait.ts'

const { url, db } = await testDatabase()
const server = await openMailServer()
const environment = { DATABASE_URL: url, DATA_DIR: await dataFolder(), LAB_PORT: '0' }
const sending = { ...environment, SMTP_URL: server.url }
const passerelle = commandLine(environment)
await ensureDemoData(db, systemClock, readConfig({ DEMO_HISTORY: '0' }))
const clientId = (await findClientId(db, 'Boutique Démo')) ?? 0

function write(item: string, hasSmtp: boolean): Promise<string> {
  const language = 'fr' as const
  const content = confirmationMail({
    language,
    shop: 'Boutique Démo',
    item,
    amount: 5000,
    externalId: 'order-1',
    paymentUrl: 'http://127.0.0.1/pay/process/1',
    expiresAt: new Date('2026-11-15T05:27:00Z'),
    customerName: null,
    customerPhone: null,
  })
  const mail = { clientId, kind: 'link_created', recordId: 'link-1', language, ...content }
  const to = 'demo@passerelle.test'
  return db.transaction((tx) => queueMail(tx, { ...mail, to }, systemClock.now(), hasSmtp))
}

const kept = await write('Sac en cuir', false)
const gateway = await startGateway(sending)
after(() => gateway.stop())

describe('a mail written without a mail server', () => {
  it('is listed as kept', async () => {
    const text = await passerelle.text('mail list')
    assert.match(text, /^Made +Mail +State +Tries +To +Subject +Problem\n/)
    assert.match(text, new RegExp(`${kept} +kept +0 +demo@passerelle.test +Lien de paiement créé`))
    const { mails } = await passerelle.json('mail list --limit 1 --state kept')
    assert.deepEqual(
      mails.map(({ id, textBody }: { id: string; textBody?: string }) => [id, textBody]),
      [[kept, undefined]],
    )
    assert.deepEqual(await passerelle.json('mail list --state sent'), { mails: [] })
  })

  it('is shown as text, as HTML and as JSON', async () => {
    const text = await passerelle.text(`mail show ${kept}`)
    assert.match(text, /^To +demo@passerelle\.test\nSubject +Lien de paiement créé/)
    assert.match(text, /\nAbout +link_created link-1 of client \d+\n/)
    assert.match(text, /\nState +kept, attempts 0\n\nBonjour Boutique Démo,\n/)
    const html = await passerelle.text(`mail show ${kept} --html`)
    assert.match(html, /^<!doctype html>\n<html lang="fr">/)
    const shown = await passerelle.json(`mail show ${kept}`)
    assert.deepEqual([shown.id, shown.language, shown.recordId], [kept, 'fr', 'link-1'])
    assert.match(shown.textBody, /^Bonjour/)
  })

  it('is counted in the metrics', async () => {
    const answer = await fetch(`${gateway.url}/metrics`)
    const text = await answer.text()
    for (const [state, count] of Object.entries({ kept: 1, pending: 0, failed: 0 }))
      assert.ok(text.includes(`passerelle_mails{state="${state}"} ${count}\n`), text)
  })

  it('is sent by resend, once SMTP_URL is set', async () => {
    const resend = `mail resend ${kept}`
    assertRefused(
      await passerelle.run(resend),
      /^passerelle: SMTP_URL is not set: nothing can be sent$/,
    )
    const printed = await passerelle.text(resend, sending)
    assert.equal(printed, `${kept} to demo@passerelle.test will be sent.\n`)
    const [posted] = await server.has(1)
    assert.equal(posted?.mail.messageId, `<${kept}@localhost>`)
    assert.deepEqual(posted?.to, ['demo@passerelle.test'])
    await eventually('sent', async () => (await stateOf(kept)) === 'sent')
    assertRefused(await passerelle.run(resend, sending), /^passerelle: This email is already sent$/)
  })
})

describe('a mail written with a mail server', () => {
  it('is sent by the gateway', async () => {
    const id = await write('Pagne', true)
    const [, posted] = await server.has(2)
    assert.equal(posted?.mail.messageId, `<${id}@localhost>`)
    assert.match(posted?.mail.subject ?? '', /Pagne, 5\u202f000\u00a0F CFA/)
    assert.match(posted?.mail.text ?? '', /Bonjour Boutique Démo,/)
    await eventually('sent', async () => (await stateOf(id)) === 'sent')
    assert.match(await passerelle.text(`mail show ${id}`), /\nSent +\d{4}-/)
  })

  it('shows why it could not be sent', async () => {
    server.answer = (step) => (step === 'RCPT' ? 550 : undefined)
    const id = await write('Wax', true)
    await eventually('failed', async () => (await stateOf(id)) === 'failed')
    server.answer = () => undefined
    assert.match(await passerelle.text(`mail show ${id}`), /\nProblem +.*: 550.* so it is\n/)
  })
})

describe('an unknown mail', () => {
  for (const id of ['nothing', '01a1dd36-eabf-7012-88f3-422b744f1304'])
    for (const verb of ['show', 'resend'])
      it(`mail ${verb} ${id} is refused`, async () =>
        assertRefused(await passerelle.run(`mail ${verb} ${id}`), /^passerelle: No email found$/))
})

describe('the demo merchants', () => {
  it('have mail addresses under .test, where no mail arrives', async () => {
    for (const [name, email] of [
      ['Boutique Démo', 'demo@passerelle.test'],
      ['Marché Témoin', 'temoin@passerelle.test'],
    ]) {
      const shown = await passerelle.json(`client show "${name}"`)
      assert.deepEqual([shown.email, shown.language], [email, 'fr'])
    }
  })
})

async function stateOf(id: string): Promise<string> {
  return (await passerelle.json(`mail show ${id}`)).state
}
