import { Type } from 'typebox'
import type { Service } from '../catalog/services.ts'

export const ServiceWire = Type.Object(
  {
    serviceName: Type.String({ examples: ['Wallet A Cash Out Senegal'] }),
    serviceCode: Type.String({ examples: ['WALLETA_SN_CASHOUT'] }),
    serviceType: Type.Union([
      Type.Literal('MOBILEMONEY'),
      Type.Literal('AIRTIME'),
      Type.Literal('BILL'),
    ]),
    country: Type.String({ examples: ['SN'] }),
    available: Type.Boolean({ description: 'False while its provider is down or in maintenance' }),
  },
  { title: 'Service' },
)

export const ServicesAnswer = Type.Object({ services: Type.Array(ServiceWire) })

export function writeServices(services: Service[], isAvailable: (service: Service) => boolean) {
  return {
    services: services.map((service) => ({
      serviceName: service.name,
      serviceCode: service.code,
      serviceType: service.type,
      country: service.country,
      available: isAvailable(service),
    })),
  }
}
