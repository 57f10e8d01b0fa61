import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accessibilityViolations, openPage, testBrowser } from '../../test/browser.ts'
import { states } from '../../test/fake-checkout.ts'
import { testPayServer, unlimited } from '../../test/pay-server.ts'
import type { PayerState } from '../links/checkout.ts'

const { checkout, pageOf } = await testPayServer({ limits: unlimited })
const browser = await testBrowser()
const push = states.push as PayerState
const paid = states.paid as PayerState

describe('a payer whose network fails', () => {
  it('sees a notice while the browser is offline', async () => {
    await using opened = await openPage(browser)
    const { page, context } = opened
    await page.goto(pageOf(checkout.put({ state: push })))
    await context.setOffline(true)
    await page.waitForSelector('text=Cette page reprendra dès que le réseau revient')
    const padding = "parseFloat(getComputedStyle(document.querySelector('#offline')).paddingTop)"
    assert.ok(Number(await page.evaluate(padding)) >= 12)
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    await page.waitForSelector('#offline', { state: 'hidden' })
  })

  it('who continues while offline keeps what was typed, and it is sent afterwards', async () => {
    checkout.reset()
    await using opened = await openPage(browser)
    const { page, context } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await page.fill('#phone', '77 123 45 67')
    await context.setOffline(true)
    await page.click('text=Continuer')
    await page.waitForSelector('text=Votre demande partira dès que le réseau revient')
    await page.click('text=Continuer')
    assert.equal(await page.inputValue('#phone'), '77 123 45 67')
    await context.setOffline(false)
    await page.waitForSelector('text=Ce numéro est-il juste')
    assert.equal(await page.isVisible('#offline'), false)
    // The same for the payment: it begins once.
    await context.setOffline(true)
    await page.click('text=/Payer 5/')
    await page.waitForSelector('text=Votre demande partira dès que le réseau revient')
    assert.deepEqual(checkout.calls, [])
    await context.setOffline(false)
    await page.waitForSelector('text=Confirmez sur votre téléphone')
    assert.deepEqual(checkout.calls, ['pay WALLETA_SN_CASHOUT 771234567'])
  })

  it('whose form waited while another tab paid sees that, and sends nothing', async () => {
    checkout.reset()
    await using opened = await openPage(browser)
    const { page, context } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await page.fill('#phone', '77 123 45 67')
    await page.click('text=Continuer')
    await page.waitForSelector('text=/Payer 5/')
    await context.setOffline(true)
    await page.click('text=/Payer 5/')
    checkout.change(id, { state: paid })
    await context.setOffline(false)
    await page.waitForSelector('text=Paiement réussi')
    assert.deepEqual(checkout.calls, [])
  })
})
