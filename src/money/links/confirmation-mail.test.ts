import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { confirmationMail } from './confirmation-mail.ts'

const link = {
  language: 'fr' as const,
  shop: 'Chez Awa',
  item: 'Sac en cuir',
  amount: 1_250_000,
  externalId: 'commande-42',
  paymentUrl: 'https://pay.test/pay/process/Zm9v',
  expiresAt: new Date('2026-11-15T05:27:00Z'),
  customerName: 'Moussa Fall',
  customerPhone: '771234567',
}
const amount = '1\u202f250\u202f000\u00a0F CFA'

describe('the mail of a new link', () => {
  it('is written in French', () => {
    const { subject, text, html } = confirmationMail(link)
    assert.equal(subject, `Lien de paiement créé\u00a0: Sac en cuir, ${amount}`)
    assert.deepEqual(text.split('\n').slice(0, 12), [
      'Bonjour Chez Awa,',
      '',
      'Votre lien de paiement est prêt. Envoyez-le à votre client pour être payé.',
      '',
      'Article\u00a0: Sac en cuir',
      `Montant\u00a0: ${amount}`,
      'Votre référence\u00a0: commande-42',
      'Client\u00a0: Moussa Fall, 77\u00a0123\u00a045\u00a067',
      'Valable jusqu’au\u00a0: 15 novembre 2026 à 05:27 GMT',
      '',
      'Le lien à envoyer\u00a0:',
      'https://pay.test/pay/process/Zm9v',
    ])
    assert.match(html, /^<!doctype html>\n<html lang="fr">/)
    for (const part of [
      'Bonjour Chez Awa,',
      'Moussa Fall, 77\u00a0123\u00a045\u00a067',
      amount,
      'révoquez',
    ])
      assert.ok(html.includes(part), part)
    assert.match(html, /<a href="https:\/\/pay\.test\/pay\/process\/Zm9v" style="[^"]+">Ouvrir la/)
  })

  it('is written in English', () => {
    const { subject, text, html } = confirmationMail({ ...link, language: 'en' })
    assert.equal(subject, `Payment link created: Sac en cuir, ${amount}`)
    assert.deepEqual(text.split('\n').slice(0, 12), [
      'Hello Chez Awa,',
      '',
      'Your payment link is ready. Send it to your customer to get paid.',
      '',
      'Item: Sac en cuir',
      `Amount: ${amount}`,
      'Your reference: commande-42',
      'Customer: Moussa Fall, 77\u00a0123\u00a045\u00a067',
      'Valid until: 15 November 2026 at 05:27 GMT',
      '',
      'The link to send:',
      'https://pay.test/pay/process/Zm9v',
    ])
    assert.match(html, /^<!doctype html>\n<html lang="en">/)
    assert.match(html, /">Open the payment page<\/a>/)
  })

  // customer name, customer phone, the line about them
  const customers: [string | null, string | null, string | undefined][] = [
    ['Moussa Fall', null, 'Customer: Moussa Fall'],
    [null, '771234567', 'Customer: 77\u00a0123\u00a045\u00a067'],
    [null, null, undefined],
    ['', ' ', undefined],
  ]
  for (const [customerName, customerPhone, line] of customers)
    it(`has ${line === undefined ? 'no line about the customer' : `the line "${line}"`}`, () => {
      const mail = confirmationMail({ ...link, language: 'en', customerName, customerPhone })
      const lines = mail.text.split('\n').filter((one) => one.startsWith('Customer'))
      assert.deepEqual(lines, line === undefined ? [] : [line])
      assert.equal(mail.html.includes('Customer'), line !== undefined)
    })

  it('keeps its subject short and its text whole', () => {
    const item = 'Grand sac en cuir '.repeat(10).trim()
    const { subject, text } = confirmationMail({ ...link, item })
    assert.ok(subject.length < 120, subject)
    assert.match(subject, /…, 1/)
    assert.ok(text.includes(item))
  })

  it('loads no remote content and runs no script', () => {
    const { html } = confirmationMail(link)
    assert.doesNotMatch(html, /<(img|script|link|iframe|form|table)|url\(|src=|@import/i)
  })
})

// Texts that try to add a tag, an attribute, a line or a header.
const payloads = [
  '<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '</dd></dl><a href="https://evil.test">Payer</a>',
  '</title><script>alert(1)</script>',
  '</style><style>*{display:none}',
  '<!--',
  '-->',
  ']]>',
  '&lt;script&gt;',
  '&#60;script&#62;',
  '<svg/onload=alert(1)>',
  '<base href="https://evil.test">',
  '<meta http-equiv="refresh" content="0;url=https://evil.test">',
  '" style="position:fixed" x="',
  '\u2028<b>\u2029',
  'a\r\nThe link to send:\r\nhttps://evil.test',
  'a\nBcc: thief@evil.test',
  '\0<b>',
  '${7*7}{{7*7}}',
]
const fields = ['shop', 'item', 'externalId', 'customerName', 'customerPhone'] as const

describe('hostile text', () => {
  const usual = shapeOf(confirmationMail(link))
  for (const field of fields)
    it(`in ${field} stays text`, () => {
      for (const payload of payloads)
        assert.deepEqual(shapeOf(confirmationMail({ ...link, [field]: payload })), usual, payload)
    })

  it('of any characters stays text', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 }).map((one) => `x${one}`)
    fc.assert(
      fc.property(fc.constantFrom(...fields), text, (field, value) => {
        assert.deepEqual(shapeOf(confirmationMail({ ...link, [field]: value })), usual)
      }),
    )
  })
})

/** Every tag with its attributes, how many lines the text has, and whether the subject is one. */
function shapeOf({ subject, text, html }: ReturnType<typeof confirmationMail>) {
  return {
    tags: [...html.matchAll(/<[^>]*>?/g)].map(([tag]) => tag),
    lines: text.split(/[\r\n\u2028\u2029]/).length,
    isSubjectOneLine: !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject),
  }
}
