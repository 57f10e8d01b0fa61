import { type Static, Type } from 'typebox'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { type Contract, generalLimits } from '#merchants/clients/contract.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import type { Payee } from '#merchants/sub-merchants/payee.ts'
import type { Intent } from '#money/transactions/intents.ts'
import { amountProblem } from './amount.ts'
import { PaymentServiceCode } from './enums.ts'
import { phonePattern } from './patterns.ts'
import { checkedPayee } from './payee.ts'
import { enabledTerms, noSuchService } from './service.ts'
import { type UrlRules, urlProblems } from './urls.ts'

export const InitBody = Type.Object(
  {
    externalTransactionId: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Your own identifier, unique over everything you create',
    }),
    serviceCode: PaymentServiceCode,
    amount: Type.Integer({
      minimum: generalLimits.min,
      maximum: generalLimits.max,
      description: 'Whole FCFA; your contract may have other limits',
    }),
    number: Type.String({
      pattern: phonePattern,
      description: "Customer's phone number: exactly 9 digits, without country code",
    }),
    callBackURL: Type.String({ description: 'Where webhooks about it are sent' }),
    successUrl: Type.String({ description: 'Where the payer goes after success' }),
    failureUrl: Type.String({ description: 'Where the payer goes after failure' }),
    sub_merchant_id: Type.Optional(Type.String({ description: 'A sub-merchant of yours' })),
  },
  {
    title: 'Init request',
    examples: [
      {
        externalTransactionId: 'order-1042',
        serviceCode: 'WALLETA_SN_CASHOUT',
        amount: 5000,
        number: '771234567',
        callBackURL: 'https://shop.example/webhooks',
        successUrl: 'https://shop.example/thanks',
        failureUrl: 'https://shop.example/sorry',
      },
    ],
  },
)

type Init = Static<typeof InitBody>

/** Violations that the schema cannot express; amounts are limited by the caller's contract. */
export function checkInit(body: Partial<Init>, contract: Contract, rules: UrlRules): Reason[] {
  const { serviceCode, amount } = body
  const code = typeof serviceCode === 'string' ? serviceCode : undefined
  const problems = [
    externalIdProblem(body.externalTransactionId),
    code === undefined ? undefined : serviceProblem(code),
    amountProblem(amount, contract.terms.get(code ?? '')),
    ...urlProblems(body, rules),
  ]
  return problems.filter((problem) => problem !== undefined)
}

// At /transaction/merchant is the list of links, and programs shorten addresses that end in dots.
const ofOtherPaths = new Set(['merchant', '.', '..'])

/** Whether an external id is one that no record could be looked up by. */
export function isOfOtherPath(id: string): boolean {
  return ofOtherPaths.has(id)
}

/** Refuses external ids that a record could not be looked up by. */
export function externalIdProblem(id: unknown): Reason | undefined {
  const field = 'externalTransactionId'
  if (typeof id !== 'string') return undefined
  if (/\p{Cc}/u.test(id))
    return reason('{field} must not contain control or broken characters', {}, field)
  if (isOfOtherPath(id))
    return reason('{field} must not be {id}: it could not be looked up', { id }, field)
  return undefined
}

function serviceProblem(code: string): Reason | undefined {
  const service = parseServiceCode(code)
  if (service === undefined) return noSuchService(code, 'serviceCode')
  if (service.operation === 'BILL')
    return reason('{field} must be a wallet or airtime service', {}, 'serviceCode')
  return undefined
}

/** A checked body as an intent; the fee is that of the caller's contract. */
export function readInit(
  body: Init,
  caller: { clientId: number; keyId: string },
  contract: Contract,
  payee: Payee,
): Intent {
  const service = parseServiceCode(body.serviceCode)
  if (service === undefined || service.operation === 'BILL') throw new Error('unchecked service')
  const { payeeName, subMerchantId } = checkedPayee(payee)
  const terms = enabledTerms(contract, service.code)
  return {
    clientId: caller.clientId,
    keyId: caller.keyId,
    externalId: body.externalTransactionId,
    service,
    operation: service.operation,
    amount: body.amount,
    fee: feeOn(service, terms, body.amount),
    phone: body.number,
    payeeName,
    subMerchantId,
    callbackUrl: body.callBackURL,
    successUrl: body.successUrl,
    failureUrl: body.failureUrl,
  }
}
