import { Type } from 'typebox'
import type { Service } from '../catalog/services.ts'
import { services } from '../catalog/services.ts'
import { OneOf } from './one-of.ts'

export const ServiceWire = Type.Object(
  {
    serviceName: Type.String({ examples: ['Wallet A Cash Out Senegal'] }),
    serviceCode: Type.String({ examples: ['WALLETA_SN_CASHOUT'] }),
    serviceType: OneOf([...new Set(services.map((service) => service.type))]),
    country: Type.String({ examples: ['SN'] }),
    available: Type.Boolean({ description: 'False while its provider is down or in maintenance' }),
  },
  { title: 'Service' },
)

export const ServicesAnswer = Type.Object({ services: Type.Array(ServiceWire) })

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
