// Generated from the gateway's OpenAPI description: see sdk/typescript/README.md.

export interface Balance {
  success: boolean
  /** What can be spent, in FCFA; held money is not in it */
  balance: number
  currency: string
  lastUpdate: string
}

export interface BalanceAnswer {
  message: string
  balance: Balance
}

export interface Bill {
  paymentTransactionNumber: string | null
  /** As the biller writes it */
  referenceClient: string
  /** The bill, or the session of a prepaid meter */
  referenceFacture: string
  nom: string
  prenom: string | null
  /** 0 for a prepaid meter */
  montant: number
  frais: number
  total: number
  /** YYYY-MM-DD; empty for a prepaid meter */
  dateEcheance: string
  paid: boolean
  address: string | null
  meterStatus: string | null
}

/** An invalid request has a list of messages instead */
export interface BillFailure {
  message: string | Array<string>
  /** Always false */
  success: boolean
  code: ErrorCode
  /** The field at fault, when it is one alone */
  param?: string
  /** The field of each message, in the same order; empty: the request as a whole */
  params?: Array<string>
  requestId: string
  transaction?: FailedBill
}

/** An invalid request has a list of messages instead */
export interface BillNotFound {
  /** Always false */
  success: boolean
  message: string | Array<string>
  bills?: Array<Bill>
  code: ErrorCode
  /** The field at fault, when it is one alone */
  param?: string
  /** The field of each message, in the same order; empty: the request as a whole */
  params?: Array<string>
  requestId: string
}

/** Water, electricity, or a prepaid meter */
export type BillServiceCode = 
  | 'WATER_SN_BILL'
  | 'ELEC_SN_BILL'
  | 'PREPAID_SN_BILL'

export interface BillTransaction {
  success: boolean
  transactionId: string
  externalTransactionId: string
  transactionType: TransactionType
  amount: number
  transactionFee: number
  /** The meter or customer number */
  number: string
  referenceFacture?: string
  /** Recharge codes in the order to type them, for a prepaid meter */
  token?: string | null
  Status: PaymentStatus
  previousBalance: number
  currentBalance: number
  message?: string
  failure?: Failure
}

export interface ConfirmAnswer {
  message: string
  transaction: Confirmation
}

export interface Confirmation {
  success: boolean
  amount: number
  fee: number
  transactionId: string
  externalTransactionId: string
  Status: PaymentStatus
}

export interface ConfirmRequest {
  transactionId: string
  /** The customer's one-time code */
  otp: string
}

/** externalTransactionId already used; `transaction` is the record that has it */
export interface DuplicateError {
  /** Everything that is wrong, one sentence each */
  message: Array<string>
  /** Always false */
  success: boolean
  code: ErrorCode
  /** The field at fault, when it is one alone */
  param?: string
  /** The field of each message, in the same order; empty: the request as a whole */
  params?: Array<string>
  /** Name it when you ask for help */
  requestId: string
  transaction?: ExistingRecord
}

/** Invalid parameters */
export interface ErrorAnswer {
  /** Everything that is wrong, one sentence each */
  message: Array<string>
  /** Always false */
  success: boolean
  code: ErrorCode
  /** The field at fault, when it is one alone */
  param?: string
  /** The field of each message, in the same order; empty: the request as a whole */
  params?: Array<string>
  /** Name it when you ask for help */
  requestId: string
}

/** Stable and machine-readable; the list may grow */
export type ErrorCode = 
  | 'MISSING_API_KEY'
  | 'INVALID_API_KEY'
  | 'RATE_LIMITED'
  | 'UNDER_MAINTENANCE'
  | 'ADDRESS_NOT_ALLOWED'
  | 'RIGHT_MISSING'
  | 'MERCHANT_NOT_ACTIVE'
  | 'VALIDATION_FAILED'
  | 'INVALID_AMOUNT'
  | 'INVALID_PHONE'
  | 'MALFORMED_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'BODY_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'HEADERS_TOO_LARGE'
  | 'METHOD_NOT_ALLOWED'
  | 'SERVICE_NOT_ENABLED'
  | 'SERVICE_UNAVAILABLE'
  | 'INSUFFICIENT_FUNDS'
  | 'DAILY_LIMIT_REACHED'
  | 'TOO_MANY_ATTEMPTS'
  | 'NUMBER_BLOCKED'
  | 'DUPLICATE_TRANSACTION'
  | 'OTP_INVALID'
  | 'OTP_EXPIRED'
  | 'REFUND_NOT_ALLOWED'
  | 'BILL_NOT_FOUND'
  | 'BILL_ALREADY_PAID'
  | 'BILL_REFUSED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'REQUEST_IN_PROGRESS'
  | 'NOT_FOUND'
  | 'WRONG_CELL'
  | 'CONFLICT'
  | 'OVERLOADED'
  | 'INTERNAL_ERROR'
  | (string & {})

export interface EventList {
  success: boolean
  events: Array<FeedEvent>
  /** Ask again with after=next */
  next: string
}

export interface ExistingRecord {
  transactionId?: string
  serviceName?: string
  serviceCode?: ServiceCode
  /** The provider's reference */
  ApiTransactionId?: string
  transactionType?: TransactionType
  transactionAmount?: number
  transactionFee?: number
  /** The meter or customer number */
  number?: string
  /** Also sent as `status` */
  Status?: PaymentStatus
  INITIATED_AT?: string
  success?: boolean
  externalTransactionId?: string
  callBackURL?: string
  successUrl?: string
  failureUrl?: string
  cancelUrl?: string
  /** Where the payer goes to pay, for redirect wallets */
  cashout_url?: string
  deepLink?: string
  webhook?: string
  amount?: number
  transactionCommission?: number
  nextStep?: NextStep
  failure?: Failure
  previousBalance?: number
  currentBalance?: number
  referenceFacture?: string
  /** Recharge codes in the order to type them, for a prepaid meter */
  token?: string | null
  message?: string
  /** Where the payer pays */
  PaymentUrl?: string
}

export interface FailedBill {
  success?: boolean
  transactionId?: string
  externalTransactionId?: string
  transactionType?: TransactionType
  amount?: number
  transactionFee?: number
  /** The meter or customer number */
  number?: string
  referenceFacture?: string
  /** Recharge codes in the order to type them, for a prepaid meter */
  token?: string | null
  Status?: PaymentStatus
  previousBalance?: number
  currentBalance?: number
  message?: string
  failure?: Failure
}

/** Why it ended without success; absent otherwise */
export interface Failure {
  code: FailureCode
  message: string
  /** Whether the same payment may succeed later */
  retryable: boolean
}

/** A closed list */
export type FailureCode = 
  | 'PAYER_BALANCE_LOW'
  | 'PAYER_REFUSED'
  | 'PAYER_NO_ANSWER'
  | 'PAYER_LIMIT_REACHED'
  | 'PAYER_NOT_FOUND'
  | 'PAYER_BLOCKED'
  | 'WRONG_CODE'
  | 'CODE_EXPIRED'
  | 'PROVIDER_DECLINED'
  | 'PROVIDER_UNAVAILABLE'
  | 'BILL_REFUSED'
  | 'BILL_ALREADY_PAID'
  | 'METER_REFUSED'
  | 'OPERATOR_DECISION'
  | 'LINK_EXPIRED'
  | 'LINK_GIVEN_UP'
  | 'UNSPECIFIED'
  | (string & {})

export interface FeedEvent {
  /** The same as webhook-id of its deliveries */
  id: string
  cursor: string
  createdAt: string
  /** The kind of event, such as cashout.success */
  type: string
  event: WebhookEvent
}

export interface InitAnswer {
  message: string
  success: boolean
  transaction: Transaction
}

export interface InitRequest {
  /** Your own identifier, unique over everything you create */
  externalTransactionId: string
  serviceCode: PaymentServiceCode
  /** Whole FCFA; your contract may have other limits */
  amount: number
  /** Customer's phone number: exactly 9 digits, without country code */
  number: string
  /** Where webhooks about it are sent */
  callBackURL: string
  /** Where the payer goes after success */
  successUrl: string
  /** Where the payer goes after failure */
  failureUrl: string
  /** A sub-merchant of yours */
  sub_merchant_id?: string
}

export interface InquiryAnswer {
  success: boolean
  referenceClient: string
  bills: Array<Bill>
}

export interface InquiryRequest {
  serviceCode: BillServiceCode
  /** Meter, policy or customer number */
  reference_client: string
}

export interface Link {
  success: boolean
  transactionId: string
  /** Where the payer pays */
  PaymentUrl: string
  externalTransactionId: string
  Status: PaymentStatus
}

/** The link, and the same once more under `transaction` */
export interface LinkAnswer {
  message: string
  success: boolean
  transactionId: string
  /** Where the payer pays */
  PaymentUrl: string
  externalTransactionId: string
  Status: PaymentStatus
  transaction: Link
}

export interface LinkDetail {
  Merchant: string
  ItemName: string
  Amount: number
  Number: string
  Status: PaymentStatus
  Initiated_at: string
  Completed_at: string | null
  SuccessUrl: string
  transactionId: string
  externalTransactionId: string
  PaymentUrl: string
  failure?: Failure
  /** Sent back, refunds under way included */
  refundedAmount?: number
}

export interface LinkDetailAnswer {
  message: string
  success: boolean
  transaction: LinkDetail
}

export interface LinkList {
  message: string
  success: boolean
  links: Array<LinkDetail>
  /** Ask again with after=next; null: there is no more. A page may hold fewer than `limit`, even none, and still have a next one, when few records pass the filters. */
  next: string | null
}

export interface LinkRequest {
  /** Your own identifier, unique over everything you create */
  externalTransactionId: string
  /** What is paid for */
  ItemName: string
  /** Whole FCFA */
  ItemPrice: number
  /** JSON text, echoed in the webhook */
  customData?: string
  /** Where webhooks about it are sent */
  callBackURL: string
  /** Where the payer goes after success */
  successUrl: string
  /** Where the payer goes after failure */
  failureUrl: string
  ClientName?: string
  ClientPhone?: string
  Email?: string
  /** A sub-merchant of yours */
  sub_merchant_id?: string
  /** Seconds; a day if left out */
  expiresIn?: number
  /** Of the payer's page; left out: the payer's own */
  language?: 
    | 'fr'
    | 'en'
}

export interface NextStep {
  type: 
    | 'push'
    | 'redirect'
    | 'otp'
    | (string & {})
  /** What to tell the payer */
  instruction: string
}

export interface PayBillAnswer {
  message: string
  transaction: BillTransaction
}

export interface PayBillRequest {
  serviceCode: BillServiceCode
  /** Meter, policy or customer number */
  reference_client: string
  /** Whole FCFA, for PREPAID_SN_BILL: 200 to 1000000 unless your contract has other limits. Ignored for water and electricity, whose bills impose their own. */
  amount?: number
  /** A bill of this customer, or the session of a prepaid meter, as the inquiry tells it. Left out: the first bill that is not paid */
  reference_facture?: string
  externalTransactionId?: string
  callBackURL?: string
  customData?: string
  /** A sub-merchant of yours */
  sub_merchant_id?: string
}

export type PaymentServiceCode = 
  | 'WALLETA_SN_CASHIN'
  | 'WALLETA_SN_CASHOUT'
  | 'WALLETB_SN_CASHIN'
  | 'WALLETB_SN_CASHOUT'
  | 'WALLETC_SN_CASHIN'
  | 'WALLETC_SN_CASHOUT'
  | 'WALLETD_SN_CASHIN'
  | 'WALLETD_SN_CASHOUT'
  | 'WALLETA_ML_CASHOUT'
  | 'WALLETE_ML_CASHOUT'
  | 'WALLETB_ML_CASHOUT'
  | 'WALLETA_CI_CASHIN'
  | 'WALLETA_CI_CASHOUT'
  | 'WALLETB_CI_CASHIN'
  | 'WALLETB_CI_CASHOUT'
  | 'WALLETF_CI_CASHIN'
  | 'WALLETF_CI_CASHOUT'
  | 'WALLETE_CI_CASHIN'
  | 'WALLETE_CI_CASHOUT'
  | 'WALLETG_CI_CASHOUT'
  | 'WALLETA_CM_CASHOUT'
  | 'WALLETF_CM_CASHOUT'
  | 'OPERATOR1_SN_AIRTIME'
  | 'OPERATOR2_SN_AIRTIME'
  | 'OPERATOR3_SN_AIRTIME'
  | 'OPERATOR4_SN_AIRTIME'

/** CANCELLED: transactions only; EXPIRED: payment links only */
export type PaymentStatus = 
  | 'PENDING'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'FAILED'
  | 'CANCELLED'
  | 'EXPIRED'
  | (string & {})

export interface Refund {
  refundId: string
  originalTransactionId: string
  amount: number
  Status: PaymentStatus
}

export interface RefundAnswer {
  message: string
  success: boolean
  transaction: Transaction
  refund: Refund
}

export interface RefundRequest {
  /** Left out: all that is left */
  amount?: number
  reason?: string
  externalTransactionId?: string
  callBackURL?: string
}

export interface ReplayAnswer {
  /** The delivery is recorded; see what became of it */
  success: boolean
  message: string
  delivery: ReplayedDelivery
}

export interface ReplayedDelivery {
  /** `pending` is tried again; `stopped`: your address answered 410 */
  state: 
    | 'delivered'
    | 'pending'
    | 'stopped'
    | 'exhausted'
    | (string & {})
  /** What your address answered; null: nothing (yet) */
  httpStatus: number | null
  /** Why there was no answer */
  problem: string | null
  nextTryAt: string | null
}

export interface Service {
  serviceName: string
  serviceCode: ServiceCode
  serviceType: 
    | 'MOBILEMONEY'
    | 'AIRTIME'
    | 'BILL'
    | (string & {})
  country: string
  /** False while its provider is down or in maintenance */
  available: boolean
}

export type ServiceCode = 
  | 'WALLETA_SN_CASHIN'
  | 'WALLETA_SN_CASHOUT'
  | 'WALLETB_SN_CASHIN'
  | 'WALLETB_SN_CASHOUT'
  | 'WALLETC_SN_CASHIN'
  | 'WALLETC_SN_CASHOUT'
  | 'WALLETD_SN_CASHIN'
  | 'WALLETD_SN_CASHOUT'
  | 'WALLETA_ML_CASHOUT'
  | 'WALLETE_ML_CASHOUT'
  | 'WALLETB_ML_CASHOUT'
  | 'WALLETA_CI_CASHIN'
  | 'WALLETA_CI_CASHOUT'
  | 'WALLETB_CI_CASHIN'
  | 'WALLETB_CI_CASHOUT'
  | 'WALLETF_CI_CASHIN'
  | 'WALLETF_CI_CASHOUT'
  | 'WALLETE_CI_CASHIN'
  | 'WALLETE_CI_CASHOUT'
  | 'WALLETG_CI_CASHOUT'
  | 'WALLETA_CM_CASHOUT'
  | 'WALLETF_CM_CASHOUT'
  | 'OPERATOR1_SN_AIRTIME'
  | 'OPERATOR2_SN_AIRTIME'
  | 'OPERATOR3_SN_AIRTIME'
  | 'OPERATOR4_SN_AIRTIME'
  | 'WATER_SN_BILL'
  | 'ELEC_SN_BILL'
  | 'PREPAID_SN_BILL'
  | (string & {})

export interface ServiceList {
  services: Array<Service>
}

export interface SubMerchant {
  /** What payments call sub_merchant_id */
  subMerchantId: string
  name: string
  commercialName: string
  /** Where it sells */
  countries: Array<
    | 'SN'
    | 'CI'
    | 'CM'
    | 'BJ'
    | 'BF'
    | 'GN'
    | (string & {})>
  isActive: boolean
  isDefault: boolean
  CREATED_AT: string
}

export interface SubMerchantAnswer {
  success: boolean
  message: string
  data: SubMerchantDetail
}

export interface SubMerchantChange {
  /** For your own eyes: 1 to 100 characters */
  name?: string
  /** What payers are shown: 1 to 100 characters */
  commercialName?: string
  /** Where it sells */
  countries?: Array<
    | 'SN'
    | 'CI'
    | 'CM'
    | 'BJ'
    | 'BF'
    | 'GN'>
  /** What it sells */
  description?: string
  /** Legal name of the company */
  legalName?: string
  /** Line of business */
  businessActivity?: string
  /** Who runs it */
  managerName?: string
  /** A full http or https address, 2048 characters at most */
  websiteURL?: string
  /** How to reach it */
  phoneNumber?: string
  /** City */
  city?: string
  /** Street address */
  address?: string
  /** Postal code */
  zipcode?: string
  /** Whether payments may name it */
  isActive?: boolean
  /** Whether payers see it when a payment names none */
  isDefault?: boolean
}

export interface SubMerchantDetail {
  /** What payments call sub_merchant_id */
  subMerchantId: string
  name: string
  commercialName: string
  /** Where it sells */
  countries: Array<
    | 'SN'
    | 'CI'
    | 'CM'
    | 'BJ'
    | 'BF'
    | 'GN'
    | (string & {})>
  isActive: boolean
  isDefault: boolean
  CREATED_AT: string
  /** What it sells */
  description?: string
  /** Legal name of the company */
  legalName?: string
  /** Line of business */
  businessActivity?: string
  /** Who runs it */
  managerName?: string
  /** A full http or https address, 2048 characters at most */
  websiteURL?: string
  /** How to reach it */
  phoneNumber?: string
  /** City */
  city?: string
  /** Street address */
  address?: string
  /** Postal code */
  zipcode?: string
}

export interface SubMerchantList {
  success: boolean
  data: Array<SubMerchant>
  /** On all pages */
  total: number
  page: number
  totalPages: number
}

export interface SubMerchantRequest {
  /** For your own eyes: 1 to 100 characters */
  name: string
  /** What payers are shown: 1 to 100 characters */
  commercialName: string
  /** Where it sells */
  countries: Array<
    | 'SN'
    | 'CI'
    | 'CM'
    | 'BJ'
    | 'BF'
    | 'GN'>
  /** What it sells */
  description?: string
  /** Legal name of the company */
  legalName?: string
  /** Line of business */
  businessActivity?: string
  /** Who runs it */
  managerName?: string
  /** A full http or https address, 2048 characters at most */
  websiteURL?: string
  /** How to reach it */
  phoneNumber?: string
  /** City */
  city?: string
  /** Street address */
  address?: string
  /** Postal code */
  zipcode?: string
}

export interface Transaction {
  transactionId: string
  serviceName: string
  serviceCode: ServiceCode
  /** The provider's reference */
  ApiTransactionId: string
  transactionType: TransactionType
  transactionAmount: number
  transactionFee: number
  number: string
  /** Also sent as `status` */
  Status: PaymentStatus
  INITIATED_AT: string
  success: boolean
  externalTransactionId: string
  callBackURL: string
  successUrl: string
  failureUrl: string
  cancelUrl: string
  /** Where the payer goes to pay, for redirect wallets */
  cashout_url: string
  deepLink: string
  webhook: string
  amount: number
  transactionCommission: number
  nextStep?: NextStep
  failure?: Failure
  previousBalance?: number
  currentBalance?: number
}

export interface TransactionDetail {
  ServiceName: string
  ServiceCode: string
  /** The provider's reference */
  OperatorApi: string
  Type: TransactionType
  Amount: number
  Number: string
  Status: PaymentStatus
  Initiated_at: string
  Completed_at: string | null
  Fee: number
  transactionId: string
  externalTransactionId: string
  /** The bill that was paid */
  referenceFacture?: string
  failure?: Failure
  /** Recharge codes of a prepaid meter */
  token?: string
  /** Of a refund: the transaction or link whose money it sends back */
  originalTransactionId?: string
  /** Of a collection or link: sent back, refunds under way included */
  refundedAmount?: number
  nextStep?: NextStep
  /** Where the payer goes to pay, for redirect wallets */
  cashout_url?: string
}

export interface TransactionDetailAnswer {
  message: string
  transaction: TransactionDetail
}

export interface TransactionList {
  message: string
  success: boolean
  transactions: Array<TransactionDetail>
  /** Ask again with after=next; null: there is no more. A page may hold fewer than `limit`, even none, and still have a next one, when few records pass the filters. */
  next: string | null
}

/** PAYMENT: a payment link */
export type TransactionType = 
  | 'CASHOUT'
  | 'CASHIN'
  | 'AIRTIME'
  | 'BILL'
  | 'REFUND'
  | 'PAYMENT'
  | (string & {})

export interface WebhookEvent {
  /** The transaction */
  id: string
  externalTransactionId: string
  transactionType: TransactionType
  AMOUNT: number
  FEE: number
  PHONE_NUMBER: string
  STATUS: PaymentStatus
  CUSTOM_DATA: string
  COMPLETED_AT: string
  /** Why it did not succeed; empty when it did */
  FAILURE_CODE: string
  /** The same as a sentence, in your language */
  FAILURE_MESSAGE: string
  /** Of a refund: the transaction or link that it is about */
  ORIGINAL_ID?: string
  BALANCE: number
  PREVIOUS_BALANCE: number
  CURRENT_BALANCE: number
  /** Recharge code of a prepaid top-up, empty when it failed */
  TOKEN?: string
}

export interface PaymentFilter {
  /** 1 to 100, 20 if left out */
  limit?: number
  /** `next` of the page before */
  after?: string
  /** Created at or after: 2026-11-16 or 2026-11-16T08:30:00Z */
  from?: string
  /** Created before this time; a day is included as a whole */
  to?: string
  number?: string
  sub_merchant_id?: string
  /** What your own identifiers begin with */
  externalTransactionIdPrefix?: string
  status?: 
    | 'PENDING'
    | 'PROCESSING'
    | 'SUCCESS'
    | 'FAILED'
    | 'CANCELLED'
  type?: 
    | 'CASHOUT'
    | 'CASHIN'
    | 'AIRTIME'
    | 'BILL'
    | 'REFUND'
    | 'PAYMENT'
  service?: ServiceCode
}

export interface LinkFilter {
  /** 1 to 100, 20 if left out */
  limit?: number
  /** `next` of the page before */
  after?: string
  /** Created at or after: 2026-11-16 or 2026-11-16T08:30:00Z */
  from?: string
  /** Created before this time; a day is included as a whole */
  to?: string
  number?: string
  sub_merchant_id?: string
  /** What your own identifiers begin with */
  externalTransactionIdPrefix?: string
  status?: 
    | 'PENDING'
    | 'SUCCESS'
    | 'FAILED'
    | 'EXPIRED'
}
