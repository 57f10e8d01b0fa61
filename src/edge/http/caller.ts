import type { FastifyRequest } from 'fastify'
import type { Caller } from '#merchants/clients/authenticate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** The authenticated caller; throws on a route that is not behind the guard. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.url} is not behind the guard`)
  return request.caller
}
