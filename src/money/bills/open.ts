import { batched } from '#data/db/batch.ts'
import type { Service } from '#merchants/catalog/services.ts'
import type { BillContext } from './context.ts'
import { inquireBills } from './inquiry.ts'
import { type BillOrder, payBill } from './pay.ts'
import { type BillDraft, recordBillPayments } from './record.ts'

/** Everything that can be done with bills. */
export type Bills = ReturnType<typeof openBills>

/** Opens the room; concurrent payments share one database transaction. */
export function openBills(context: BillContext) {
  const { db, clock } = context
  const record = batched(
    (drafts: BillDraft[]) =>
      db.groupTransaction(drafts.map(clientOf), (tx) =>
        recordBillPayments(tx, drafts, clock.now()),
      ),
    { name: 'bills', ownerOf: clientOf },
  )
  return {
    inquire: (service: Service, account: string) => inquireBills(context, service, account),
    pay: (order: BillOrder) => payBill(context, order, record),
  }
}

function clientOf({ intent }: BillDraft): number {
  return intent.clientId
}
