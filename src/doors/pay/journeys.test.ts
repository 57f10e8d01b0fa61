import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openPage, reloadFollowed, setHidden, testBrowser } from '#test/browser.ts'
import {
  endLifetime,
  eventsOf,
  linkBody,
  linkOf,
  newLink,
  paymentsOf,
  untilSeen,
} from '#test/links.ts'
import { liveGateway, ordersOf, post, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { usualTest as it, sized, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 10 })
const { db, url, connect, links } = gateway
const owner = connect({ asOwner: true })
const browser = await testBrowser()
const shop = await openReceiver()
const desktop = { width: 1280, height: 800 }

// A phone whose payer answers later than any test waits.
const slow = '778600000'
const later = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
await script(gateway, slow, later, true)

let payers = 0
/** A phone of its own, 778600001 and so on, whose payer approves when the test says so. */
async function newPayer() {
  payers += 1
  const phone = String(Number(slow) + payers)
  await script(gateway, phone, later, true)
  return { phone, approve: () => post(`${gateway.lab.url}/lab/continue`, { number: phone }) }
}

const french = {
  choose: 'Payer 7 500 F CFA',
  review: 'Vérifiez votre numéro',
  push: 'Confirmez sur votre téléphone',
  redirect: 'Payez dans Wallet B',
  otp: 'Entrez le code reçu par SMS',
  checking: 'Nous vérifions votre paiement',
  paid: 'Paiement réussi',
  paidBefore: 'Déjà payé, le ',
  gaveUp: 'Paiement annulé',
  exhausted: "Le paiement n'a pas abouti",
  expired: 'Ce lien a expiré',
}

/** Creates a link whose return URLs lead to a running server. */
async function createLink(change: object = {}) {
  const sent = linkBody({
    successUrl: `${shop.url}/ok?cart=1`,
    failureUrl: `${shop.url}/no`,
    ...change,
  })
  const id = await newLink(gateway, sent)
  return { id, externalId: sent.externalTransactionId, address: `${url}/pay/process/${id}` }
}

/** A payer's phone, with French as its language. */
function openPhone(options: BrowserContextOptions = {}) {
  return openPage(browser, { locale: 'fr-SN', ...options })
}

/** Waits for a screen by its title, and for the rest of its page. */
async function seeScreen(page: Page, title: string): Promise<void> {
  const pattern = title.replaceAll(/\s/g, '\\s').replaceAll("'", "['’]").replaceAll('?', '\\?')
  let now = ''
  await eventually(
    () => `${title} (it is ${now})`,
    async () => {
      // title() rejects while the page navigates.
      now = await page.title().catch(() => '')
      return new RegExp(pattern).test(now)
    },
  )
  await page.waitForLoadState('domcontentloaded')
}

/** Waits for a screen, checks its width, and that a reload shows it again. */
async function checkScreen(page: Page, title: string): Promise<void> {
  await seeScreen(page, title)
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    true,
    'it is too wide',
  )
  await page.reload()
  await seeScreen(page, title)
}

/** Fills in the first screen and chooses the wallet on the second. */
async function choose(page: Page, wallet: string, number: string, next = 'Continuer') {
  await page.fill('#phone', number)
  await page.getByRole('button', { name: next }).click()
  await page.locator('.wallets label', { hasText: wallet }).click()
}

async function pay(page: Page, wallet: string, number: string): Promise<void> {
  await choose(page, wallet, number)
  await seeScreen(page, french.review)
  await page.getByRole('button', { name: /^Payer/ }).click()
}

const announcedStatuses = async (id: string) => (await eventsOf(db, id)).map(({ STATUS }) => STATUS)

/** Asserts that a link was paid once, by one executed order, and announced once. */
async function assertPaidOnce(id: string): Promise<void> {
  const payments = await paymentsOf(db, id)
  const orders = await Promise.all(payments.map((payment) => ordersOf(gateway, payment.id)))
  const executed = orders.flat().reduce((sum, order) => sum + order.executed, 0)
  assert.equal(executed, 1)
  assert.equal((await linkOf(db, id)).status, 'SUCCESS')
  assert.deepEqual(await announcedStatuses(id), ['SUCCESS'])
}

describe('a payer', { concurrency: 2 }, () => {
  it('confirms on the phone, gets a receipt and returns to the shop', async () => {
    const { phone, approve } = await newPayer()
    const shown = new RegExp(`^77\\s860\\s00\\s${phone.slice(-2)}$`)
    const { id, externalId, address } = await createLink({ ClientName: 'Awa', ClientPhone: phone })
    await using opened = await openPhone()
    const { page, complaints } = opened
    // Before any timer is set, so that its time can be stopped: it leaves by itself after a while.
    await page.clock.install()
    await page.goto(address)
    await checkScreen(page, french.choose)
    assert.match(await page.inputValue('#phone'), shown)
    await choose(page, 'Wallet A', phone)
    await checkScreen(page, french.review)
    assert.match((await page.textContent('.echo b')) ?? '', shown)
    await page.getByRole('button', { name: /^Payer/ }).click()
    await seeScreen(page, french.push)
    assert.equal(page.url(), `${address}?payer=1`)
    await approve()
    // Without a reload.
    await seeScreen(page, french.paid)
    assert.ok(await page.isVisible('text=Retour automatique dans'))
    // Much later: it runs until it stops, and cannot stop in its past.
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.goto(address)
    await seeScreen(page, french.paidBefore)
    const receipt = (await page.textContent('.receipt')) ?? ''
    const { providerReference } = (await untilSeen(gateway, id, 'paid')).state.receipt
    for (const part of [id, externalId, providerReference, 'Panier de légumes', 'Wallet A'])
      assert.ok(receipt.includes(part), part)
    assert.match(receipt, /7\s500\sF\sCFA/)
    assert.ok(receipt.includes(`••••••${phone.slice(-2)}`))
    // Ids may have the digits of the number by chance.
    const withoutIds = receipt.split(new RegExp([id, externalId, providerReference].join('|')))
    assert.ok(withoutIds.every((part) => !part.includes('860')))
    assert.equal(await page.isVisible('text=Retour automatique dans'), false)
    await page.getByRole('link', { name: 'Retour à la boutique' }).click()
    await page.waitForURL(/\/ok/)
    const query = `transactionId=${id}&externalTransactionId=${externalId}&status=SUCCESS`
    assert.equal(page.url(), `${shop.url}/ok?cart=1&${query}`)
    await assertPaidOnce(id)
    assert.deepEqual(complaints, [])
  })

  slowTest('on a computer approves the payment on the page of the wallet', async () => {
    const { id, address } = await createLink()
    await using opened = await openPhone({ viewport: desktop })
    const { page, complaints } = opened
    await page.goto(address)
    await pay(page, 'Wallet B', slow)
    await checkScreen(page, french.redirect)
    // To scan with a phone.
    assert.ok(await page.isVisible('.qr svg'))
    await page.getByRole('link', { name: 'Ouvrir Wallet B' }).click()
    await page.getByRole('button', { name: 'Approuver' }).click()
    // The wallet sends its payer back, who then has the address for everybody.
    await seeScreen(page, french.paid)
    assert.equal(page.url(), address)
    await assertPaidOnce(id)
    assert.deepEqual(complaints, [])
  })

  it('types a wrong code, gets a new one and types it, on an English page', async () => {
    const { id, address } = await createLink({ language: 'en' })
    await using opened = await openPhone()
    const { page, complaints } = opened
    await page.goto(address)
    assert.equal(await page.evaluate('document.documentElement.lang'), 'en')
    await choose(page, 'Wallet D', '77 123 45 67', 'Continue')
    await page.getByRole('button', { name: /^Pay / }).click()
    await checkScreen(page, 'Enter the code from your SMS')
    await page.fill('#code', '0000')
    await page.getByRole('button', { name: 'Confirm the code' }).click()
    await page.waitForSelector('text=Incorrect code')
    await page.waitForSelector('text=4 attempts left')
    await page.click('text=No code received?')
    await page.getByRole('button', { name: 'Get a new code' }).click()
    await page.waitForSelector('text=5 attempts left')
    assert.equal((await paymentsOf(db, id)).length, 2)
    await page.fill('#code', '123 456')
    await page.getByRole('button', { name: 'Confirm the code' }).click()
    await seeScreen(page, 'Payment successful')
    await assertPaidOnce(id)
    assert.deepEqual(complaints, [])
  })

  slowTest('changes the wallet while a code, or the wallet’s page, is waited for', async () => {
    const { id, address } = await createLink()
    await using opened = await openPhone()
    const { page } = opened
    await page.goto(address)
    for (const [wallet, title] of [
      ['Wallet D', french.otp],
      ['Wallet B', french.redirect],
    ] as const) {
      await pay(page, wallet, slow)
      await seeScreen(page, title)
      await page.getByRole('button', { name: 'Payer autrement' }).click()
      await checkScreen(page, french.choose)
      assert.ok(await page.isVisible("text=/Le paiement avec Wallet . n['’]a pas abouti/"))
    }
    await pay(page, 'Wallet A', '77 123 45 67')
    await seeScreen(page, french.paid)
    await assertPaidOnce(id)
  })

  // number, message
  const failures = [
    ['770000001', /Le solde ne suffit pas/],
    ['770000002', /La demande a été refusée sur le téléphone/],
    ['770000003', /La demande n['’]a pas été confirmée à temps/],
  ] as const
  for (const [number, cause] of failures.slice(0, sized(1, failures.length)))
    test(`with number ${number} sees why it failed, and pays with another wallet`, async () => {
      const { id, address } = await createLink()
      await using opened = await openPhone()
      const { page, complaints } = opened
      await page.goto(address)
      await pay(page, 'Wallet A', number)
      await page.waitForSelector("text=/n['’]a pas abouti/")
      await checkScreen(page, french.choose)
      const notice = (await page.textContent('.notice.bad')) ?? ''
      assert.match(notice, cause)
      assert.match(notice, /Vous n['’]avez pas été débité/)
      assert.match(notice, /payez autrement \(4 tentatives\)/)
      // Number and wallet are kept: the payer only has to continue.
      assert.equal((await page.inputValue('#phone')).replaceAll(/\s/g, ''), number)
      await page.getByRole('button', { name: 'Continuer' }).click()
      await seeScreen(page, french.review)
      assert.ok(await page.isChecked('[value=WALLETA_SN_CASHOUT]'))
      await page.goto(address)
      await pay(page, 'Wallet C', '77 123 45 67')
      await seeScreen(page, french.paid)
      await assertPaidOnce(id)
      assert.deepEqual(complaints, [])
    })

  slowTest('whose payment has an unknown outcome is asked to wait, not to pay again', async () => {
    const { id, address } = await createLink()
    await using opened = await openPhone()
    const { page } = opened
    await script(gateway, '778500002', [{ do: 'lose_answer' }, { do: 'succeed' }])
    // Nor does the gateway get an answer when it asks about the order, until the end of the checks.
    let isAnswerLost = true
    gateway.proxy.losesAnswerTo = (request) => isAnswerLost && request.includes('/responses/')
    await page.goto(address)
    await pay(page, 'Wallet A', '778500002')
    await checkScreen(page, french.checking)
    assert.ok(await page.isVisible('text=Ne payez pas deux fois'))
    assert.equal(await page.isVisible('text=Payer autrement'), false)
    isAnswerLost = false
    for (const payment of await paymentsOf(db, id)) await gateway.drive(payment.id)
    await seeScreen(page, french.paid)
    await assertPaidOnce(id)
  })

  slowTest('whose prompt is not answered keeps waiting, and cannot give up', async () => {
    const { id, address } = await createLink()
    await using opened = await openPhone({ viewport: desktop })
    const { page } = opened
    await page.goto(address)
    await pay(page, 'Wallet A', '770000004')
    await checkScreen(page, french.push)
    assert.ok(await page.isVisible('text=Wallet A envoie une demande'))
    assert.equal(await page.isVisible('text=Payer autrement'), false)
    assert.equal(await page.isVisible('text=Annuler ce paiement'), false)
    await page.goto(`${address}/give-up`)
    await seeScreen(page, french.push)
    assert.equal(page.url(), address)
    assert.deepEqual(await announcedStatuses(id), [])
  })

  slowTest('gives up after a confirmation, and sees that the link is closed', async () => {
    const { id, externalId, address } = await createLink()
    await using opened = await openPhone()
    const { page } = opened
    await page.goto(address)
    await page.getByRole('link', { name: 'Annuler ce paiement' }).click()
    await checkScreen(page, 'Annuler ce paiement')
    assert.equal((await linkOf(db, id)).status, 'PENDING')
    await page.getByRole('button', { name: 'Oui, annuler' }).click()
    await checkScreen(page, french.gaveUp)
    const back = await page.getByRole('link', { name: 'Retour à la boutique' }).getAttribute('href')
    const query = `transactionId=${id}&externalTransactionId=${externalId}&status=FAILED`
    assert.equal(back, `${shop.url}/no?${query}`)
    assert.deepEqual(await announcedStatuses(id), ['FAILED'])
  })

  slowTest('sees after the fifth failure that the link is closed', async () => {
    const { id, address } = await createLink()
    const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '770000001' }
    for (let times = 0; times < 4; times += 1) {
      await links.checkout.pay(id, order)
      await untilSeen(gateway, id, 'choose')
    }
    await using opened = await openPhone()
    const { page } = opened
    await page.goto(address)
    assert.ok(await page.isVisible('text=/dernière tentative/'))
    await pay(page, 'Wallet A', '770000001')
    await checkScreen(page, french.exhausted)
    assert.deepEqual(await announcedStatuses(id), ['FAILED'])
  })
})

describe('an open page', { concurrency: 2 }, () => {
  slowTest('shows that the link has expired', async () => {
    const { id, externalId, address } = await createLink()
    await using opened = await openPhone()
    const { page, complaints } = opened
    await page.goto(address)
    await page.fill('#phone', '77 1')
    await endLifetime(owner, id)
    await checkScreen(page, french.expired)
    const back = await page.getByRole('link', { name: 'Retour à la boutique' }).getAttribute('href')
    const query = `transactionId=${id}&externalTransactionId=${externalId}&status=EXPIRED`
    assert.equal(back, `${shop.url}/no?${query}`)
    assert.deepEqual(await announcedStatuses(id), ['EXPIRED'])
    assert.deepEqual(complaints, [])
  })

  slowTest('of a link whose time ends during a payment shows the payment’s result', async () => {
    const { id, address } = await createLink()
    const { phone, approve } = await newPayer()
    await using opened = await openPhone()
    const { page } = opened
    await page.goto(address)
    await pay(page, 'Wallet A', phone)
    await seeScreen(page, french.push)
    await endLifetime(owner, id)
    await approve()
    await seeScreen(page, french.paid)
    await assertPaidOnce(id)
  })

  slowTest('shows that it is offline, and the result when the network is back', async () => {
    const { id, address } = await createLink()
    const { phone, approve } = await newPayer()
    await using opened = await openPhone()
    const { page, context } = opened
    await page.goto(address)
    await pay(page, 'Wallet A', phone)
    await seeScreen(page, french.push)
    await reloadFollowed(page)
    await context.setOffline(true)
    await page.waitForSelector('text=Vous êtes hors connexion')
    await approve()
    await untilSeen(gateway, id, 'paid')
    assert.match(await page.title(), /Confirmez/)
    await context.setOffline(false)
    await seeScreen(page, french.paid)
    await page.waitForSelector('text=Vous êtes hors connexion', { state: 'hidden' })
  })

  slowTest('shows the result when the tab becomes visible again', async () => {
    const { id, address } = await createLink()
    const { phone, approve } = await newPayer()
    await using opened = await openPhone()
    const { page } = opened
    await page.goto(address)
    await pay(page, 'Wallet A', phone)
    await seeScreen(page, french.push)
    await reloadFollowed(page)
    await setHidden(page, true)
    await approve()
    await untilSeen(gateway, id, 'paid')
    assert.match(await page.title(), /Confirmez/)
    await setHidden(page, false)
    await seeScreen(page, french.paid)
  })

  it('in two tabs, with a double click in each, begins one payment', async () => {
    const { id, address } = await createLink()
    const { phone, approve } = await newPayer()
    await using opened = await openPhone()
    const { page, context } = opened
    const tabs = [page, await context.newPage()]
    for (const tab of tabs) {
      await tab.goto(address)
      await choose(tab, 'Wallet A', phone)
      await seeScreen(tab, french.review)
    }
    await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: /^Payer/ }).dblclick()))
    for (const tab of tabs) await seeScreen(tab, french.push)
    await approve()
    for (const tab of tabs) await seeScreen(tab, french.paid)
    assert.equal((await paymentsOf(db, id)).length, 1)
    await assertPaidOnce(id)
  })
})

describe('without JavaScript', { concurrency: 2 }, () => {
  it('a payer pays, and checks the result with the button', async () => {
    const { id, address } = await createLink()
    const { phone, approve } = await newPayer()
    await using opened = await openPhone({ javaScriptEnabled: false })
    const { page } = opened
    await page.goto(`${address}?lang=en`)
    await choose(page, 'Wallet A', phone, 'Continue')
    await page.getByRole('button', { name: /^Pay / }).click()
    await seeScreen(page, 'Confirm on your phone')
    assert.equal(page.url(), `${address}?lang=en&payer=1`)
    await approve()
    await untilSeen(gateway, id, 'paid')
    await page.getByRole('button', { name: 'Check my payment' }).click()
    await seeScreen(page, 'Payment successful')
    await assertPaidOnce(id)
  })

  slowTest('a payer types a wrong code, changes the wallet, and sees a decline', async () => {
    const { id, address } = await createLink()
    await using opened = await openPhone({ javaScriptEnabled: false })
    const { page } = opened
    await page.goto(address)
    const send = async (wallet: string, number: string) => {
      await choose(page, wallet, number)
      await page.getByRole('button', { name: /^Payer/ }).click()
    }
    await send('Wallet D', '77 123 45 67')
    await page.fill('#code', '9999')
    await page.getByRole('button', { name: 'Valider le code' }).click()
    await page.waitForSelector('text=/Code incorrect/')
    await page.getByRole('button', { name: 'Payer autrement' }).click()
    await send('Wallet A', '770000001')
    await untilSeen(gateway, id, 'choose')
    await page.getByRole('button', { name: 'Vérifier mon paiement' }).click()
    await page.waitForSelector('text=/solde ne suffit pas/')
  })
})

describe('over HTTP', () => {
  const form = (address: string, fields: Record<string, string>) =>
    fetch(address, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

  it('every unknown link gets the same page', async () => {
    const pages = []
    for (const id of ['00000000-0000-4000-8000-000000000000', 'x', "';--"]) {
      const answer = await fetch(`${url}/pay/process/${id}`)
      assert.equal(answer.status, 404)
      pages.push((await answer.text()).replaceAll(/nonce="[^"]+"/g, ''))
    }
    assert.equal(new Set(pages).size, 1)
  })

  it('the page contains neither customData, e-mail address, secret nor callback URL', async () => {
    const hidden = { customData: '"secret-data"', Email: 'awa@hidden.example' }
    const text = await (await fetch((await createLink(hidden)).address)).text()
    for (const part of ['secret-data', 'hidden.example', gateway.secret, 'callBackURL', '/hook'])
      assert.ok(!text.includes(part), part)
  })

  it('a form with a wrong service or number begins no payment', async () => {
    const { id, address } = await createLink()
    for (const fields of [
      { serviceCode: 'WALLETA_SN_CASHIN', phone: '771234567' },
      { serviceCode: 'WALLETA_SN_CASHOUT', phone: '77123' },
      { serviceCode: 'WALLETA_SN_CASHOUT', phone: '+237671234567' },
      { serviceCode: '', phone: '' },
    ])
      assert.match((await form(`${address}/pay`, fields)).headers.get('location') ?? '', /[?&]n=/)
    assert.deepEqual(await paymentsOf(db, id), [])
  })

  it('of 24 forms in a minute the last four are told when to try again', async () => {
    const { id, address } = await createLink()
    const told: boolean[] = []
    while (told.length < 24) {
      const { headers } = await form(`${address}/code`, { code: '1234' })
      const shown = await fetch(new URL(headers.get('location') ?? '', `${address}/code`))
      told.push(/Réessayez dans \d+\s+secondes/.test(await shown.text()))
    }
    assert.deepEqual(told, [...Array(20).fill(false), ...Array(4).fill(true)])
    assert.equal((await fetch(address)).status, 200)
    assert.equal((await linkOf(db, id)).attempts, 0)
  })
})

test('the ledger is consistent after these tests', () => assertMoney(gateway))
