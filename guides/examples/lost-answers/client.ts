import { DuplicateError, OutcomeUnknownError, Passerelle } from '@passerelle/client'

const { PASSERELLE_URL = '', PASSERELLE_KEY = '' } = process.env
const passerelle = new Passerelle({ baseUrl: PASSERELLE_URL, apiKey: PASSERELLE_KEY })

type Order = Parameters<typeof passerelle.collect>[0]

async function collectOnce(order: Order) {
  try {
    return await passerelle.collect(order, {
      // Store the id here: it is known before anything is sent.
      beforeSend: (id) => console.log('sending', id),
      signal: AbortSignal.timeout(30_000),
    })
  } catch (error) {
    // An earlier run has sent it.
    if (error instanceof DuplicateError && error.record !== undefined) return error.record
    // It may have been recorded: look it up later, and do not pay under another id.
    if (error instanceof OutcomeUnknownError) console.log('unknown', error.externalTransactionId)
    throw error
  }
}

const order: Order = {
  externalTransactionId: 'lost-3',
  serviceCode: 'WALLETA_SN_CASHOUT',
  amount: 5000,
  number: '771234567',
  callBackURL: 'http://127.0.0.1:9000/webhooks',
  successUrl: 'http://127.0.0.1:9000/thanks',
  failureUrl: 'http://127.0.0.1:9000/sorry',
}
const first = await collectOnce(order)
const second = await collectOnce(order)
console.log(first.transactionId === second.transactionId ? 'one payment' : 'two payments')
