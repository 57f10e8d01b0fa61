import { type Static, Type } from 'typebox'
import { type Language, languages } from '#base/kit/language.ts'
import { isMailAddress } from '#base/kit/mail-address.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { nineDigitsOf } from '#merchants/catalog/phone-forms.ts'
import { type Contract, generalLimits } from '#merchants/clients/contract.ts'
import type { Payee } from '#merchants/sub-merchants/payee.ts'
import type { LinkOrder } from '#money/links/create.ts'
import type { Link } from '#money/links/link.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { Status } from './enums.ts'
import { FailureWire, linkFailureCodeOf, writeFailure } from './failure.ts'
import { externalIdProblem } from './init.ts'
import { OneOf } from './one-of.ts'
import { checkedPayee } from './payee.ts'
import { type UrlRules, urlProblems } from './urls.ts'
import { hasVisibleCharacter } from './visible-text.ts'

export const LinkBody = Type.Object(
  {
    externalTransactionId: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Your own identifier, unique over everything you create',
    }),
    ItemName: Type.String({ minLength: 1, maxLength: 200, description: 'What is paid for' }),
    ItemPrice: Type.Integer({
      minimum: 100,
      maximum: generalLimits.max,
      description: 'Whole FCFA',
    }),
    customData: Type.Optional(
      Type.String({ maxLength: 10_000, description: 'JSON text, echoed in the webhook' }),
    ),
    callBackURL: Type.String({ description: 'Where webhooks about it are sent' }),
    successUrl: Type.String({ description: 'Where the payer goes after success' }),
    failureUrl: Type.String({ description: 'Where the payer goes after failure' }),
    ClientName: Type.Optional(Type.String({ maxLength: 200 })),
    ClientPhone: Type.Optional(Type.String({ maxLength: 40 })),
    Email: Type.Optional(Type.String({ maxLength: 254 })),
    sub_merchant_id: Type.Optional(Type.String({ description: 'A sub-merchant of yours' })),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 300, maximum: 2_592_000, description: 'Seconds; a day if left out' }),
    ),
    language: Type.Optional(
      OneOf(languages, { description: "Of the payer's page; left out: the payer's own" }),
    ),
  },
  {
    title: 'Link request',
    examples: [
      {
        externalTransactionId: 'basket-77',
        ItemName: 'Panier de légumes',
        ItemPrice: 7500,
        callBackURL: 'https://shop.example/webhooks',
        successUrl: 'https://shop.example/thanks',
        failureUrl: 'https://shop.example/sorry',
      },
    ],
  },
)

type LinkRequest = Static<typeof LinkBody>

export const linkFields = {
  success: Type.Boolean(),
  transactionId: Type.String(),
  PaymentUrl: Type.String({ description: 'Where the payer pays' }),
  externalTransactionId: Type.String(),
  Status,
}

export const LinkAnswer = Type.Object(
  {
    message: Type.String(),
    ...linkFields,
    transaction: Type.Object(linkFields, { title: 'Link' }),
  },
  { title: 'Link answer', description: 'The link, and the same once more under `transaction`' },
)

export const LinkDetailWire = Type.Object(
  {
    Merchant: Type.String(),
    ItemName: Type.String(),
    Amount: Type.Integer(),
    Number: Type.String(),
    Status,
    Initiated_at: Type.String({ format: 'date-time' }),
    Completed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    SuccessUrl: Type.String(),
    transactionId: Type.String(),
    externalTransactionId: Type.String(),
    PaymentUrl: Type.String(),
    failure: Type.Optional(FailureWire),
    refundedAmount: Type.Optional(
      Type.Integer({ description: 'Sent back, refunds under way included' }),
    ),
  },
  { title: 'Link detail' },
)

export const LinkDetailAnswer = Type.Object(
  {
    message: Type.String(),
    success: Type.Boolean(),
    transaction: LinkDetailWire,
  },
  { title: 'Link detail answer' },
)

/** Violations that the schema cannot express. */
export function checkLink(body: Partial<LinkRequest>, rules: UrlRules): Reason[] {
  const problems = [externalIdProblem(body.externalTransactionId), ...urlProblems(body, rules)]
  const { ItemName: item, customData, Email: email } = body
  if (typeof item === 'string' && !hasVisibleCharacter(item))
    problems.push(reason('{field} must not be empty', {}, 'ItemName'))
  if (typeof customData === 'string' && !isJson(customData))
    problems.push(reason('{field} must be JSON text', {}, 'customData'))
  if (typeof email === 'string' && email.trim() !== '' && !isMailAddress(email.trim()))
    problems.push(reason('{field} must be an email address', {}, 'Email'))
  return problems.filter((problem) => problem !== undefined)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A checked body as the order of a link. */
export function readLinkOrder(
  body: LinkRequest,
  caller: { clientId: number; keyId: string },
  contract: Contract,
  payee: Payee,
): LinkOrder {
  const { payeeName, subMerchantId } = checkedPayee(payee)
  return {
    clientId: caller.clientId,
    keyId: caller.keyId,
    externalId: body.externalTransactionId,
    // A sub-merchant that the body names limits the wallets to its countries. The default one only
    // provides the name that payers see.
    subMerchantId: body.sub_merchant_id === undefined ? null : subMerchantId,
    payeeName,
    itemName: body.ItemName.trim(),
    amount: body.ItemPrice,
    customData: body.customData ?? null,
    callbackUrl: body.callBackURL,
    successUrl: body.successUrl,
    failureUrl: body.failureUrl,
    customerName: body.ClientName?.trim() || null,
    customerPhone: body.ClientPhone?.trim() || null,
    customerEmail: body.Email?.trim() || null,
    language: body.language ?? null,
    lifetimeMs: 1000 * (body.expiresIn ?? contract.linkLifetimeS),
  }
}

export function writeLink(link: Link, url: string) {
  return {
    success: true,
    transactionId: link.id,
    PaymentUrl: url,
    externalTransactionId: link.externalId,
    Status: link.status,
  }
}

export function writeLinkAnswer(link: Link, url: string) {
  const written = writeLink(link, url)
  return { message: 'Payment link created successfully', ...written, transaction: written }
}

/** The answer to a lookup of a link. */
export function writeLinkDetail(
  link: Link,
  payment: Transaction | undefined,
  url: string,
  language: Language,
) {
  return {
    message: 'Transaction fetched successfully',
    success: true,
    transaction: linkDetail(link, payment, url, language),
  }
}

/** The number of a link's payment, else of its customer, whichever way the merchant wrote it. */
export function linkNumber(
  { customerPhone }: Pick<Link, 'customerPhone'>,
  payment: Pick<Transaction, 'phone'> | null | undefined,
): string {
  return payment?.phone ?? nineDigitsOf(customerPhone ?? '')
}

/** A link as lookups and lists show it; the number is that of its payment, if there is one. */
export function linkDetail(
  link: Link,
  payment: Transaction | undefined,
  url: string,
  language: Language,
) {
  return {
    Merchant: link.payeeName,
    ItemName: link.itemName,
    Amount: link.amount,
    Number: linkNumber(link, payment),
    Status: link.status,
    Initiated_at: link.createdAt.toISOString(),
    Completed_at: link.completedAt?.toISOString() ?? null,
    SuccessUrl: link.successUrl,
    transactionId: link.id,
    externalTransactionId: link.externalId,
    PaymentUrl: url,
    ...writeFailure(linkFailureCodeOf(link, payment ?? null), language),
    ...writeRefunded(link.status === 'SUCCESS' ? payment : undefined),
  }
}

/** What was sent back of a payment; nothing when nothing was. */
export function writeRefunded(payment: Pick<Transaction, 'refunded'> | undefined) {
  return payment === undefined || payment.refunded === 0 ? {} : { refundedAmount: payment.refunded }
}
