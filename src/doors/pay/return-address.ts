import type { PayerView } from '#money/links/checkout.ts'

type End = 'SUCCESS' | 'FAILED' | 'EXPIRED'

/** The shop's return URL with ids and status in its query; null if it is no http(s) URL. */
export function returnAddress(view: PayerView, status: End): string | null {
  const url = webAddress(status === 'SUCCESS' ? view.successUrl : view.failureUrl)
  if (url === null) return null
  const parameters = new URLSearchParams({
    transactionId: view.id,
    externalTransactionId: view.reference,
    status,
  }).toString()
  // Appended as text: searchParams would re-encode the shop's own query.
  url.search = url.search === '' ? parameters : `${url.search}&${parameters}`
  return url.href
}

/** An http(s) URL; null for any other text, so that no link runs a script. */
export function webAddress(text: string): URL | null {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : null
}
