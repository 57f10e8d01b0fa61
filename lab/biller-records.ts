import { lastNineDigits } from './fields.ts'
import type { OrderBook } from './order.ts'
import { keepRecords } from './order-journal.ts'
import type { Body, Mount } from './router.ts'
import { seededRandom } from './seeded-random.ts'

/** One bill of one customer. */
export interface Bill {
  reference: string
  account: string
  amount: number
  isPaid: boolean
  createdAt: number
}

/** The records of the billers: bills and whether they are paid. */
export interface BillerRecords {
  /** The current bills of a customer; undefined when the biller does not know the reference. */
  billsOf(mount: Mount, account: string): Bill[] | undefined
  /** One bill of a customer, current or earlier. */
  billOf(mount: Mount, account: string, reference: string): Bill | undefined
  /** Marks a bill as paid; false when it was paid before. */
  settle(mount: Mount, account: string, reference: string): boolean
  write(bill: Bill): Body
}

interface Customer {
  firstName: string
  lastName: string
  unpaid: number
  paid: number
  /** What the biller tells as its own fee of each bill; the bill's payment is without it. */
  fee?: number
}

const customers: Record<string, Customer> = {
  '100000001': { firstName: 'Awa', lastName: 'Ndiaye', unpaid: 1, paid: 0 },
  '100000002': { firstName: 'Moussa', lastName: 'Diop', unpaid: 3, paid: 0 },
  '100000003': { firstName: 'Fatou', lastName: 'Sarr', unpaid: 0, paid: 2 },
  '100000005': { firstName: 'Ibrahima', lastName: 'Fall', unpaid: 1, paid: 0 },
  '100000006': { firstName: 'Mariama', lastName: 'Ba', unpaid: 1, paid: 0 },
  '100000007': { firstName: 'Seynabou', lastName: 'Diallo', unpaid: 1, paid: 0, fee: 150 },
}

/** A prepaid meter and its holder; each top-up returns `codes` recharge codes. */
export interface Meter {
  firstName: string
  lastName: string
  address: string
  codes: number
}

const meters: Record<string, Meter> = {
  '200000001': { firstName: 'Aminata', lastName: 'Sow', address: '12 rue 10, Dakar', codes: 1 },
  '200000002': { firstName: 'Cheikh', lastName: 'Gueye', address: '3 rue 22, Dakar', codes: 1 },
  '200000003': { firstName: 'Khady', lastName: 'Faye', address: '8 rue 5, Thiès', codes: 1 },
  '200000005': { firstName: 'Omar', lastName: 'Kane', address: '41 rue 7, Rufisque', codes: 1 },
  '200000006': { firstName: 'Sokhna', lastName: 'Mbaye', address: '5 rue 14, Mbour', codes: 1 },
  '200000007': { firstName: 'Abdou', lastName: 'Seck', address: '27 rue 3, Dakar', codes: 3 },
}

const dayMs = 86_400_000

/** The meter with this reference, which may have leading zeros. */
export function meterOf(account: string): Meter | undefined {
  return isReference(account) ? meters[lastNineDigits(account)] : undefined
}

/** A reference as the biller writes it: twelve digits, with leading zeros. */
export function billerReference(account: string): string {
  return lastNineDigits(account).padStart(12, '0')
}

/** Opens the records; the bills of a customer are created when they are first requested. */
export function openBillerRecords(book: OrderBook): BillerRecords {
  const accounts = new Map<string, { current: Bill[]; all: Map<string, Bill> }>()
  let issued = 0
  const save = keepRecords<{ account: string; bills: Bill[] }>(
    book,
    'bills',
    ({ account, bills }, mount) => add(mount, account, bills),
  )

  function accountAt(mount: Mount, account: string) {
    const accountKey = `${mount.path} ${account}`
    const records = accounts.get(accountKey) ?? { current: [], all: new Map<string, Bill>() }
    accounts.set(accountKey, records)
    return records
  }

  function add(mount: Mount, account: string, bills: Bill[]): void {
    const records = accountAt(mount, account)
    records.current = bills
    for (const bill of bills) records.all.set(bill.reference, bill)
    issued += bills.length
  }

  function issue(mount: Mount, account: string, number: number, isPaid: boolean): Bill {
    const amount = 2500 + 5 * Math.floor(seededRandom(book.seed, number, 3) * 8000)
    const reference = `${mount.provider.charAt(0)}${book.firstId + number}`
    return { reference, account, amount, isPaid, createdAt: Date.now() }
  }

  function recordsOf(mount: Mount, reference: string) {
    const account = lastNineDigits(reference)
    const customer = isReference(reference) ? customers[account] : undefined
    if (customer === undefined || !/^(WATER|ELEC)$/.test(mount.provider)) return undefined
    const records = accountAt(mount, account)
    // New bills follow when the last one is paid; a customer who never owes anything keeps the old.
    const isAllPaid = records.current.every(({ isPaid }) => isPaid)
    if (isAllPaid && (customer.unpaid > 0 || records.current.length === 0)) {
      const bills = Array.from({ length: customer.unpaid + customer.paid }, (_, index) =>
        issue(mount, account, issued + index + 1, index >= customer.unpaid),
      )
      add(mount, account, bills)
      save(mount, { account, bills })
    }
    return records
  }

  return {
    billsOf: (mount, account) => recordsOf(mount, account)?.current,
    billOf: (mount, account, reference) => recordsOf(mount, account)?.all.get(reference),
    settle: (mount, account, reference) => {
      const bill = accountAt(mount, account).all.get(reference)
      if (bill === undefined) return true
      if (bill.isPaid && book.isIdempotent) return false
      bill.isPaid = true
      return true
    },
    write: writeBill,
  }
}

function writeBill(bill: Bill): Body {
  const customer = customers[bill.account]
  return {
    billReference: bill.reference,
    billStatus: bill.isPaid ? 'paid' : 'unpaid',
    amountDue: String(bill.amount),
    currency: 'XOF',
    dueDate: new Date(bill.createdAt + 15 * dayMs).toISOString().slice(0, 10),
    creationDate: new Date(bill.createdAt).toISOString(),
    customData: [
      { key: 'customerReference', value: billerReference(bill.account) },
      { key: 'customerFirstName', value: customer?.firstName },
      { key: 'customerLastName', value: customer?.lastName },
      { key: 'billFee', value: String(customer?.fee ?? 0) },
    ],
  }
}

function isReference(account: string): boolean {
  return /^0*[1-9][0-9]{8}$/.test(account)
}
