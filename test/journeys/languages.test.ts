import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'
import { openPage, testBrowser } from '../browser.ts'
import { addPerson, signInWith, testPassword } from '../dashboard.ts'
import { getLink, linkBody } from '../links.ts'
import { call, collected, continuePayer, initBody, liveGateway, script } from '../live.ts'
import { assertMoney } from '../money.ts'
import { openReceiver } from '../receiver.ts'
import { csvOf, lineOf } from '../statement-maker.ts'
import { eventually } from '../wait.ts'
import { download } from './stage.ts'

/*
 * One day of each trade, in French and in English, by the words that its people read: a step finds
 * what it clicks by its name alone. JOURNEY_PICTURES=FOLDER keeps a picture of each step.
 */

const gateway = await liveGateway({ pace: 50, environment: { APPROVAL_ABOVE: '1000' } })
const { url, db, clientId } = gateway
const receiver = await openReceiver()
after(() => receiver.close())
const browser = await testBrowser()
const pictures = process.env.JOURNEY_PICTURES ?? ''
const languages = ['fr', 'en'] as const
type Words = [fr: string, en: string]

let numbers = 778_300_000
const newNumber = () => String((numbers += 1))

type Person = Omit<NonNullable<Parameters<typeof addPerson>[1]>, 'language'> & { width?: number }

/** A person before a browser, who knows one language. */
async function walker(name: string, language: 'fr' | 'en', { width = 1280, ...person }: Person) {
  const opened = await openPage(browser, { viewport: { width, height: 800 }, locale: language })
  const { page } = opened
  const inWords = ([french, english]: Words) => (language === 'fr' ? french : english)
  let steps = 0
  const look = async () => {
    steps += 1
    if (pictures === '') return
    await mkdir(pictures, { recursive: true })
    const path = join(pictures, `${name}-${language}-${String(steps).padStart(2, '0')}.png`)
    await page.screenshot({ path, fullPage: true })
  }
  /** Waits for a text in the page, and keeps its picture. */
  const see = async (...words: Words) => {
    await page.locator('body', { hasText: inWords(words) }).waitFor()
    await page.waitForLoadState('domcontentloaded')
    await look()
  }
  /** Clicks what has a name, a link before a button. */
  const click = async (...words: Words) => {
    const text = inWords(words)
    const named = page
      .getByRole('link', { name: text })
      .or(page.getByRole('button', { name: text }))
    await named.first().click()
    await page.waitForLoadState('domcontentloaded')
  }
  if (Object.keys(person).length > 0)
    await signInWith(page, url, await addPerson(gateway, { ...person, language }))
  return { ...opened, see, click, inWords, page }
}

for (const language of languages)
  describe(`in ${language === 'fr' ? 'French' : 'English'}`, () => {
    it('an operator ends a payment without a result, which a second one approves', async () => {
      const { body } = await call(
        gateway,
        'POST /api/v1/transaction/init',
        initBody({ number: '770000010' }),
      )
      const id = String(body.transaction.transactionId)
      await eventually('it waits for a person', async () => {
        const rows =
          await db`select from transactions where id = ${id} and attempt_state = 'parked'`
        return rows.length === 1
      })
      await using first = await walker('operator', language, { operatorRole: 'operator' })
      const { page, see, click } = first
      await see('État', 'Health')
      await click('À décider', 'To decide')
      await see('Transactions à décider', 'Transactions to decide')
      await page.click(`main a[href$="${id}"]`)
      await click('Terminer manuellement', 'End manually')
      await page.selectOption('#as', 'failed')
      await page.fill('#reason', 'Portal, 10:40')
      await click('Vérifier', 'Review')
      await see('Vérifiez avant de continuer', 'Check before you go on')
      await click('Proposer', 'Propose')
      await see('Vous l’avez proposé', 'You proposed it')
      await using second = await walker('approver', language, { operatorRole: 'finance-operator' })
      await second.click('Approbations', 'Approvals')
      await second.see('À décider', 'To decide')
      await second.page.click(`main a[href="${new URL(page.url()).pathname}"]`)
      await second.see('Portal, 10:40', 'Portal, 10:40')
      await second.click('Approuver', 'Approve')
      await second.see('Approuvé', 'Approved')
      assert.deepEqual([...first.complaints, ...second.complaints], [])
    })

    it('a finance officer imports a statement after a look at it', async () => {
      const id = await collected(gateway, {
        serviceCode: 'WALLETB_SN_CASHOUT',
        number: newNumber(),
      })
      const file = csvOf([await lineOf(db, id, { fee: 7 })])
      await using opened = await walker('finance', language, { operatorRole: 'finance-operator' })
      const { page, see, click, complaints } = opened
      await click('Rapprochement', 'Reconciliation')
      await click('Importer un relevé', 'Import a statement')
      await page.selectOption('#provider', 'WALLETB_SN')
      const name = `${language}.csv`
      await page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(file) })
      await click('Envoyer et voir', 'Send and look')
      await see('Ce qui serait importé', 'What would be imported')
      await click('Importer maintenant', 'Import it now')
      await page.fill('#confirm-password', testPassword)
      await page.click('main form[method=post] button')
      await see('Le relevé est importé.', 'The statement is imported.')
      await click('Voir le résultat', 'See the result')
      await see(name, name)
      assert.deepEqual(complaints, [])
    })

    it('an accountant takes a statement and the list of payments home', async () => {
      await collected(gateway, { number: newNumber() })
      await using opened = await walker('accountant', language, { clientId, role: 'viewer' })
      const { page, see, click, inWords, complaints } = opened
      await see('Encaissé aujourd’hui', 'Collected today')
      await click('Relevés', 'Statements')
      await see('Solde d’ouverture', 'Opening balance')
      const statement = await download(page, '.statement a[href$="form=csv"]')
      assert.match(statement.toString(), new RegExp(inWords(['Frais', 'Fee'])))
      await click('Transactions', 'Transactions')
      await see('Encaissement', 'Collection')
      const list = await download(page, 'a[href^="/dashboard/transactions/export.csv"]')
      assert.match(list.toString(), new RegExp(inWords([';Frais;', ';Fee;'])))
      assert.deepEqual(complaints, [])
    })

    it('a developer makes a key, sets a webhook address and looks at a delivery', async () => {
      await using opened = await walker('developer', language, { clientId, role: 'developer' })
      const { page, see, click, complaints } = opened
      await click('Développeurs', 'Developers')
      await click('Créer une clé', 'Create a key')
      await page.fill('#label', `till, ${language}`)
      await click('Créer la clé', 'Create the key')
      await see('Copiez-le maintenant', 'Copy it now')
      const secret = await page.innerText('#secret')
      await page.goto(`${url}/dashboard/developers/webhooks`)
      await page.fill('#address', `${receiver.url}/${language}`)
      await page.click('main form[action$="/address"] button')
      await see('L’adresse est enregistrée.', 'The address is saved.')
      await page.click('main form[action$="/test"] button')
      await see('Votre adresse a répondu HTTP 200', 'Your address answered HTTP 200')
      const callBackURL = `${receiver.url}/${language}`
      await collected({ ...gateway, secret }, { number: newNumber(), callBackURL })
      await eventually('it is delivered', async () => {
        await page.goto(`${url}/dashboard/developers/webhooks?state=delivered`)
        return (await page.locator('main a[href*="/developers/webhooks/"]').count()) > 0
      })
      await see('Livré', 'Delivered')
      await page.click('main a[href*="/developers/webhooks/"] >> nth=0')
      await see('cashout.success', 'cashout.success')
      assert.deepEqual(complaints, [])
    })

    it('a payer opens a link, confirms on the phone, and is led back to the shop', async () => {
      const number = newNumber()
      await script(gateway, number, [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }], true)
      const { body } = await call(
        gateway,
        getLink,
        linkBody({ language, successUrl: `${receiver.url}/ok` }),
      )
      await using opened = await walker('payer', language, { width: 360 })
      const { page, see, click, complaints } = opened
      await page.clock.install()
      await page.goto(body.PaymentUrl)
      await see('Continuer', 'Continue')
      await page.fill('#phone', number)
      await click('Continuer', 'Continue')
      await page.locator('.wallets label', { hasText: 'Wallet A' }).click()
      await see('Vérifiez votre numéro', 'Check your number')
      await page.getByRole('button', { name: /^(Payer|Pay) / }).click()
      await see('Confirmez sur votre téléphone', 'Confirm on your phone')
      await continuePayer(gateway, number)
      await see('Paiement réussi', 'Payment successful')
      await see('Retour automatique dans', 'Going back by itself in')
      // Sooner than who waits for it.
      await page.clock.runFor(10_000)
      await page.waitForURL(/\/ok\?.*status=SUCCESS/)
      assert.deepEqual(complaints, [])
    })
  })

test('the ledger is consistent after these journeys', () => assertMoney(gateway))
