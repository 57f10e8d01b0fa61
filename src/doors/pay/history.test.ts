import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { PayerState } from '#money/links/checkout.ts'
import { openWatchedPage, testBrowser } from '#test/browser.ts'
import { states } from '#test/fake-checkout.ts'
import { testPayServer, unlimited } from '#test/pay-server.ts'

const server = await testPayServer({ limits: unlimited })
const { checkout, pageOf } = server
const browser = await testBrowser()
const paid = states.paid as PayerState

describe('back, a reload, a second tab and the address sent to a friend', () => {
  for (const javaScriptEnabled of [true, false])
    it(`show what is so, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      checkout.reset()
      await using opened = await openWatchedPage(server, browser, { javaScriptEnabled })
      await using friend = await openWatchedPage(server, browser, { javaScriptEnabled })
      const { page, context, complaints } = opened
      const id = checkout.put()
      const sees = async (one: Page, text: RegExp) => {
        await one.waitForSelector(`text=${text}`)
      }
      /** The present step, however its address is opened. */
      const everyWay = async (text: RegExp, elsewhere = text) => {
        await sees(page, text)
        await page.reload()
        await sees(page, text)
        const tab = await context.newPage()
        await tab.goto(page.url())
        await sees(tab, text)
        await tab.close()
        await friend.page.goto(page.url())
        await sees(friend.page, elsewhere)
      }
      await page.goto(pageOf(id))
      await page.click('text=Continuer')
      await everyWay(/Entrez votre numéro/)
      await page.fill('#phone', '77 123 45 67')
      await page.click('text=Continuer')
      await everyWay(/Vérifiez votre numéro/)
      await page.goBack()
      await sees(page, /Étape 1 sur 3|Entrez votre numéro/)
      await page.goForward()
      await sees(page, /Vérifiez votre numéro/)
      await page.click('text=/Payer 5/')
      await everyWay(/Confirmez sur votre téléphone/)
      await page.goBack()
      await sees(page, /Confirmez sur votre téléphone/)
      await page.goForward()
      checkout.change(id, { state: paid })
      if (!javaScriptEnabled) await page.click('button:text("Vérifier mon paiement")')
      await sees(page, /Paiement réussi/)
      for (let steps = 0; steps < 3; steps += 1) {
        await page.goBack()
        await sees(page, /Paiement réussi|Déjà payé, le 15/)
      }
      await friend.page.goto(pageOf(id))
      await sees(friend.page, /Déjà payé, le 15/)
      assert.equal(await friend.page.isVisible('text=Retour automatique'), false)
      assert.deepEqual(checkout.calls, ['pay WALLETA_SN_CASHOUT 771234567'])
      assert.deepEqual(complaints, [])
    })
})
