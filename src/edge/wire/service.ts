import { Type } from 'typebox'
import { nearest } from '#base/kit/nearest.ts'
import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { type Service, services } from '#merchants/catalog/services.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import { ServiceCode } from './enums.ts'
import { OneOf } from './one-of.ts'

export const ServiceWire = Type.Object(
  {
    serviceName: Type.String({ examples: ['Wallet A Cash Out Senegal'] }),
    serviceCode: ServiceCode,
    serviceType: OneOf([...new Set(services.map((service) => service.type))]),
    country: Type.String({ examples: ['SN'] }),
    available: Type.Boolean({ description: 'False while its provider is down or in maintenance' }),
  },
  { title: 'Service' },
)

export const ServicesAnswer = Type.Object(
  { services: Type.Array(ServiceWire) },
  { title: 'Service list' },
)

/** The sentence for a code that no service has; names the one that was probably meant. */
export function noSuchService(sent: string, field: string): Reason {
  const codes = services.map((service) => service.code)
  const code = nearest(sent, codes)
  return code === undefined
    ? reason('{field} is not an existing service', {}, field)
    : reason('{field} is not an existing service: did you mean {code}?', { code }, field)
}

/** The client's terms for a service; refuses one that is not enabled for it. */
export function enabledTerms({ terms }: Contract, code: string): ServiceTerms {
  const found = terms.get(code)
  if (!found?.isEnabled)
    throw new Refusal(
      'service_not_enabled',
      reason('The service {code} is not enabled for your account', { code }),
    )
  return found
}

export function writeServices(enabled: Service[], isAvailable: (service: Service) => boolean) {
  return {
    services: enabled.map((service) => ({
      serviceName: service.name,
      serviceCode: service.code,
      serviceType: service.type,
      country: service.country,
      available: isAvailable(service),
    })),
  }
}
