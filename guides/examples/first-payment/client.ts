import { Passerelle } from '@passerelle/client'

const { PASSERELLE_URL = '', PASSERELLE_KEY = '' } = process.env
const passerelle = new Passerelle({ baseUrl: PASSERELLE_URL, apiKey: PASSERELLE_KEY })

const started = await passerelle.collect({
  externalTransactionId: 'order-1002',
  serviceCode: 'WALLETA_SN_CASHOUT',
  amount: 5000,
  number: '771234567',
  callBackURL: 'http://127.0.0.1:9000/webhooks',
  successUrl: 'http://127.0.0.1:9000/thanks',
  failureUrl: 'http://127.0.0.1:9000/sorry',
})
const ended = await passerelle.waitForFinal(started.transactionId)
console.log(ended.status, ended.amount, ended.fee)
