import { type Static, Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import { reason } from '#base/kit/refusal.ts'
import { parseServiceCode, type Service, services } from '#merchants/catalog/services.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import { type Customer, referenceOf } from '#money/bills/inquiry.ts'
import type { Bill } from '#money/providers/contract.ts'
import { ErrorCodeWire, fieldsAtFault, sentence } from './error.ts'
import { OneOf } from './one-of.ts'
import { billerAccountPattern } from './patterns.ts'
import { enabledTerms } from './service.ts'

const BillService = OneOf(
  services.filter((service) => service.operation === 'BILL').map((service) => service.code),
  { title: 'Bill service code', description: 'Water, electricity, or a prepaid meter' },
)

/** The fields that identify a customer at a biller. */
export const billCustomer = {
  serviceCode: BillService,
  reference_client: Type.String({
    pattern: billerAccountPattern,
    description: 'Meter, policy or customer number',
  }),
}

export const InquiryBody = Type.Object(billCustomer, {
  title: 'Inquiry request',
  examples: [{ serviceCode: 'WATER_SN_BILL', reference_client: '100000001' }],
})

const maybeText = Type.Union([Type.String(), Type.Null()])

const BillWire = Type.Object(
  {
    paymentTransactionNumber: maybeText,
    referenceClient: Type.String({ description: 'As the biller writes it' }),
    referenceFacture: Type.String({ description: 'The bill, or the session of a prepaid meter' }),
    nom: Type.String(),
    prenom: maybeText,
    montant: Type.Integer({ description: '0 for a prepaid meter' }),
    frais: Type.Integer(),
    total: Type.Integer(),
    dateEcheance: Type.String({ description: 'YYYY-MM-DD; empty for a prepaid meter' }),
    paid: Type.Boolean(),
    address: maybeText,
    meterStatus: maybeText,
  },
  { title: 'Bill' },
)

export const InquiryAnswer = Type.Object(
  {
    success: Type.Boolean(),
    referenceClient: Type.String(),
    bills: Type.Array(BillWire),
  },
  { title: 'Inquiry answer' },
)

export const InquiryNotFound = Type.Object(
  {
    success: Type.Literal(false),
    message: Type.Union([Type.String(), Type.Array(Type.String())]),
    bills: Type.Optional(Type.Array(BillWire)),
    code: ErrorCodeWire,
    ...fieldsAtFault,
    requestId: Type.String(),
  },
  { title: 'Bill not found', description: 'An invalid request has a list of messages instead' },
)

/** The service of a checked body, and the client's terms for it. */
export function readBillService(
  { serviceCode }: Pick<Static<typeof InquiryBody>, 'serviceCode'>,
  contract: Contract,
): { service: Service; terms: ServiceTerms } {
  const service = parseServiceCode(serviceCode)
  if (service === undefined) throw new Error('unchecked service')
  return { service, terms: enabledTerms(contract, serviceCode) }
}

export function writeInquiry({ account, bills }: NonNullable<Customer>) {
  return { success: true, referenceClient: account, bills: bills.map(writeBill) }
}

function writeBill(bill: Bill) {
  return {
    paymentTransactionNumber: null,
    referenceClient: bill.account,
    referenceFacture: referenceOf(bill),
    nom: bill.lastName,
    prenom: bill.firstName,
    montant: bill.amount,
    frais: bill.fee,
    total: bill.amount + bill.fee,
    dateEcheance: bill.dueOn ?? '',
    paid: bill.isPaid,
    address: bill.address,
    meterStatus: bill.meterStatus,
  }
}

export function writeInquiryNotFound(language: Language, requestId: string) {
  return {
    success: false as const,
    message: sentence(reason('No bill found for this reference'), language),
    bills: [],
    code: 'BILL_NOT_FOUND' as const,
    requestId,
  }
}
