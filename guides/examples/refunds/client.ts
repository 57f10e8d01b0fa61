import { Passerelle } from '@passerelle/client'

const { PASSERELLE_URL = '', PASSERELLE_KEY = '' } = process.env
const passerelle = new Passerelle({ baseUrl: PASSERELLE_URL, apiKey: PASSERELLE_KEY })

const sale = await passerelle.getPayment('sold-2')
console.log('left to give back:', sale.amount - (sale.refundedAmount ?? 0))

const refund = await passerelle.refund(sale.transactionId, {
  externalTransactionId: `sold-2-back-${Date.now()}`,
  amount: 1000,
})
const ended = await passerelle.waitForFinal(refund.transactionId)
console.log(ended.type, ended.status, ended.amount)
