import { newId } from '#base/kit/ids.ts'
import type { Money, Payment, PutRow } from './history-rows.ts'
import { copyRow } from './postgres-copy.ts'

const origin = 'https://shop.example.com'
export const callbackUrl = `${origin}/webhooks/passerelle`

/** Writes the event of a payment, and its delivery at the first try. */
export function writeEvent(payment: Payment, money: Money, putRow: PutRow): void {
  const { merchant, id, externalId, service, amount, fee, phone, finalStatus, endedAt } = payment
  const { clientId, keyId, available } = merchant
  const ended = endedAt.toISOString()
  const [before, after] = [money.before ?? available.balance, money.after ?? available.balance]
  const body = JSON.stringify({
    id,
    externalTransactionId: externalId,
    transactionType: service.operation,
    AMOUNT: amount,
    FEE: finalStatus === 'SUCCESS' ? fee : 0,
    PHONE_NUMBER: phone,
    STATUS: finalStatus,
    CUSTOM_DATA: '{}',
    COMPLETED_AT: ended,
    BALANCE: after,
    PREVIOUS_BALANCE: before,
    CURRENT_BALANCE: after,
    FAILURE_CODE: finalStatus === 'SUCCESS' ? '' : 'PROVIDER_DECLINED',
    FAILURE_MESSAGE: finalStatus === 'SUCCESS' ? '' : "L'opérateur a refusé le paiement",
  })
  merchant.position += 1
  const [eventId, deliveryId] = [newId(endedAt), newId(endedAt)]
  const key = [clientId, eventId, keyId, merchant.position]
  putRow('events', copyRow([...key, 'transaction', id, body, ended]))
  putRow(
    'deliveries',
    copyRow([clientId, deliveryId, eventId, origin, callbackUrl, 'delivered', 1, ended, ended]),
  )
  putRow('delivery_attempts', copyRow([clientId, deliveryId, 1, ended, 200, 80, 'ok']))
}
