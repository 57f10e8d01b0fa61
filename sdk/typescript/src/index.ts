export type { ClientOptions } from './client.ts'
export { Passerelle } from './client.ts'
export type { Confirmation } from './confirm.ts'
export type { WebhookProblem } from './errors.ts'
export {
  ApiError,
  ConnectionError,
  DuplicateError,
  NotFinalError,
  OutcomeUnknownError,
  PasserelleError,
  WebhookError,
} from './errors.ts'
export type {
  Balance,
  Bill,
  ErrorCode,
  Failure,
  FailureCode,
  FeedEvent,
  InquiryRequest,
  LinkFilter,
  NextStep,
  PaymentFilter,
  PaymentServiceCode,
  PaymentStatus as Status,
  ReplayedDelivery,
  Service,
  ServiceCode,
  SubMerchant,
  SubMerchantChange,
  SubMerchantDetail,
  SubMerchantRequest,
  TransactionType,
  WebhookEvent,
} from './interface.ts'
export type { BillOrder, LinkOrder, RefundOrder, WalletOrder } from './orders.ts'
export { newExternalId } from './orders.ts'
export type { CallOptions, OrderOptions } from './place-order.ts'
export type { Page } from './read.ts'
export type { FoundBy, Link, Payment } from './records.ts'
export { isFinal } from './records.ts'
export type { WaitOptions } from './wait.ts'
export type { VerifyOptions } from './webhook.ts'
export { verifyWebhook } from './webhook.ts'
