import type { Context } from '#doors/api/context.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { BalanceAnswer, writeBalance } from '#edge/wire/balance.ts'

export default function readBalance(http: Http, { ledger }: Context): void {
  http.get(
    '/api/v1/api-services/balance',
    {
      schema: {
        operationId: 'getBalance',
        summary: 'Get balance',
        description: 'What your account can spend right now.',
        tags: ['Account'],
        response: { 200: BalanceAnswer },
      },
      config: { rights: endpointRights.getBalance },
    },
    async (request) => writeBalance(await ledger.balanceOf(callerOf(request).clientId)),
  )
}
