import { Type } from 'typebox'
import type { Send } from './gated-client.ts'
import type { Call, HttpResponse } from './http-client.ts'
import { jsonReader } from './json-reader.ts'
import { type Grant, openTokenCache } from './token-cache.ts'

type GatedCall = Parameters<Send>[0]

const deadlineMs = 4000

/**
 * A `send` that adds a bearer token, requested from the provider and cached. Without a token the
 * call is `not_sent`. After a 401 the token is renewed and the same request sent once more, which
 * is safe: a provider that rejected the token has done nothing, and the id is the same.
 */
export function withBearerToken(
  send: Send,
  tokenRequest: Pick<Call, 'path' | 'headers' | 'body'>,
): Send {
  const tokens = openTokenCache(async () => {
    const reply = await send({ method: 'POST', ...tokenRequest, deadlineMs })
    if (reply.kind !== 'answered') return { ...reply, kind: 'refused' }
    return readGrant(reply)
  })
  return async (call) => {
    const grant = await tokens.get()
    if (grant.kind === 'refused')
      return { ...grant, kind: 'not_sent', reason: `no token: ${grant.reason}` }
    const reply = await send(authorized(call, grant.token))
    if (reply.kind !== 'answered' || reply.status !== 401) return reply
    tokens.forget(grant.token)
    const renewed = await tokens.get()
    return renewed.kind === 'refused' ? reply : send(authorized(call, renewed.token))
  }
}

const readToken = jsonReader(
  Type.Object({
    access_token: Type.String({ minLength: 1 }),
    expires_in: Type.Number({ exclusiveMinimum: 0 }),
  }),
)

function readGrant(reply: HttpResponse): Grant {
  const token = reply.status === 200 || reply.status === 201 ? readToken(reply.body) : undefined
  if (token === undefined) return { kind: 'refused', reason: `HTTP ${reply.status}` }
  return { kind: 'granted', token: token.access_token, lastsMs: token.expires_in * 1000 }
}

function authorized(call: GatedCall, token: string): GatedCall {
  return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } }
}
