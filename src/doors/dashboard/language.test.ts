import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type DashboardAnswer, signedInAs, signedInOperator, tokenFor } from '#test/dashboard.ts'
import { collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const gateway = await liveGateway()
const owner = await signedInAs(gateway, 'owner')
const operator = await signedInOperator(gateway, 'operator')
const id = await collected(gateway, { amount: 4000 })

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

/** Where a page leads to when its language is switched. */
function backOf({ text }: DashboardAnswer): string {
  const [, back = ''] = /name="back" value="([^"]*)"/.exec(text) ?? []
  return back.replaceAll('&amp;', '&')
}

/** Switches a person's language on an answer; returns the page that is shown then. */
async function switched(person: typeof owner, answer: DashboardAnswer, language: 'fr' | 'en') {
  const path = '/dashboard/account/language'
  const [, told] = /name="told" value="([^"]*)"/.exec(answer.text) ?? []
  const fields = { language, back: backOf(answer), ...(told === undefined ? {} : { told }) }
  const token = tokenFor(answer.text, path)
  const { status, location } = await person.post(path, fields, { token })
  assert.equal(status, 303)
  return person.get(location ?? '')
}

describe('switching the language', () => {
  it('keeps the page and its filters', async () => {
    const list = '/dashboard/transactions?status=SUCCESS&from=2026-01-01'
    const french = await switched(owner, await owner.get(list), 'fr')
    assert.match(plain(french.visible), /État : Réussi/)
    assert.match(french.text, new RegExp(`id="t-${id}"`))
    const english = await switched(owner, french, 'en')
    assert.match(english.visible, /Status: Succeeded/)
  })

  it('keeps a secret that is shown once, until the page is left', async () => {
    const made = await owner.post('/dashboard/developers/keys/new', {
      label: 'Caisse',
      'right-read': 'yes',
    })
    const shown = await owner.get(made.location ?? '')
    const secretIn = (text: string) => /<code id="secret">([^<]+)</.exec(text)?.[1]
    const secret = secretIn(shown.text)
    assert.match(secret ?? '', /^sk_/)
    const french = await switched(owner, shown, 'fr')
    assert.match(french.text, /<html lang="fr"/)
    assert.equal(secretIn(french.text), secret)
    const english = await switched(owner, french, 'en')
    assert.equal(secretIn(english.text), secret)
    assert.equal(secretIn((await owner.get(made.location ?? '')).text), undefined)
    const forged = { language: 'en', back: '/dashboard', told: '{"text":"x","secret":"y"}' }
    await owner.post('/dashboard/account/language', forged, { from: '/dashboard' })
    assert.equal(secretIn((await owner.get('/dashboard')).text), undefined)
  })

  it('keeps what was typed in a form that was refused, without sending it again', async () => {
    const fields = { item: 'Robe wax', amount: '9', lifetime: '86400', customer: 'Awa & Ali' }
    const refused = await owner.post('/dashboard/links/new', fields)
    assert.equal(refused.status, 422)
    const { status, text } = await switched(owner, refused, 'fr')
    assert.equal(status, 200)
    for (const value of ['Robe wax', '9', 'Awa &amp; Ali'])
      assert.match(text, new RegExp(`value="${value}"`))
    await owner.post('/dashboard/account/language', { language: 'en' }, { from: '/dashboard' })
  })

  it('keeps a review under way, before it is sent and after it was refused', async () => {
    const review = '/dashboard/pay?kind=payout&service=WALLETA_SN_CASHIN&to=771234567&amount=5000'
    const shown = await owner.get(`${review}&step=review`)
    const french = await switched(owner, shown, 'fr')
    assert.match(plain(french.visible), /Payer 5 000 F CFA/)
    const refund = await owner.get(`/dashboard/transactions/${id}/refund?amount=500&reason=Taille`)
    const english = await switched(owner, refund, 'en')
    assert.match(plain(english.visible), /500 F CFA.*Taille/)
  })

  it('after a form of which nothing can be shown leads to the page above it', async () => {
    const gone = await owner.post(
      `/dashboard/transactions/${id}/requery`,
      {},
      { from: '/dashboard', token: 'x.y' },
    )
    assert.equal(gone.status, 403)
    assert.equal(backOf(gone), `/dashboard/transactions/${id}`)
  })

  it('never puts a password into an address', async () => {
    const fields = { 'old-password': 'my old words', 'new-password': 'x' }
    const refused = await owner.post('/dashboard/account/password', fields)
    assert.ok(refused.status >= 400)
    assert.doesNotMatch(backOf(refused), /old|=x/)
  })

  it('keeps the review of an operator', async () => {
    const query = `kind=fund&client=${gateway.clientId}&amount=1000&ref=R-1&review=yes`
    const shown = await operator.get(`/dashboard/ops/approvals/new?${query}`)
    assert.equal(backOf(shown), `/dashboard/ops/approvals/new?${query}`)
    const french = await switched(operator, shown, 'fr')
    assert.match(plain(french.visible), /1 000 F CFA.*R-1/)
  })
})

it('a guest keeps where to go when the language is switched', async () => {
  const answer = await fetch(`${gateway.url}/dashboard/sign-in?then=%2Fdashboard%2Flinks`)
  const [, href = ''] = /<a href="([^"]+)" lang="/.exec(await answer.text()) ?? []
  assert.match(href, /^\/dashboard\/sign-in\?then=%2Fdashboard%2Flinks&amp;lang=(fr|en)$/)
})

it('leaves the money sound', () => assertMoney(gateway))
