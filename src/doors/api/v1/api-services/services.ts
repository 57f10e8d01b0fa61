import type { Context } from '#doors/api/context.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { ServicesAnswer, writeServices } from '#edge/wire/service.ts'

export default function listServices(http: Http, context: Context): void {
  const { catalog, clients, transactions } = context
  http.get(
    '/api/v1/api-services/services',
    {
      schema: {
        operationId: 'listServices',
        summary: 'List services',
        description: 'The services enabled for your account.',
        tags: ['Account'],
        response: { 200: ServicesAnswer },
      },
    },
    async (request) => {
      const [services, closed] = await Promise.all([
        clients.servicesOf(callerOf(request).clientId),
        catalog.maintenance(),
      ])
      return writeServices(
        services,
        (service) => !closed.closedServices.has(service.code) && transactions.isAvailable(service),
      )
    },
  )
}
