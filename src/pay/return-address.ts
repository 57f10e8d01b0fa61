import type { PayerView } from '../links/checkout.ts'

type End = 'SUCCESS' | 'FAILED' | 'EXPIRED'

/** Where the shop wants its payer back, with what it needs to know; null: nowhere one can go. */
export function returnAddress(view: PayerView, status: End): string | null {
  const url = webAddress(status === 'SUCCESS' ? view.successUrl : view.failureUrl)
  if (url === null) return null
  const told = new URLSearchParams({
    transactionId: view.id,
    externalTransactionId: view.reference,
    status,
  }).toString()
  // Put behind what is there, which stays as the shop wrote it.
  url.search = url.search === '' ? told : `${url.search}&${told}`
  return url.href
}

/** An address that a link may lead to; null for anything but http and https. */
export function webAddress(text: string): URL | null {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : null
}
