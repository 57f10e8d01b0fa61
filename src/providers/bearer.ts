import type { Answered, Call, Reply } from './http.ts'
import type { Send } from './line.ts'
import type { Grant, TokenSource } from './tokens.ts'
import { tokenSource } from './tokens.ts'

const deadlineMs = 4000

/**
 * Sends with a token, fetched when needed. Without one nothing was sent. A token that is no longer
 * taken is renewed and the same request sent once more: a provider that does not know who asks has
 * done nothing, and the request carries the same id.
 */
export function withToken(send: Send, tokens: TokenSource): Send {
  return async (call) => {
    const grant = await tokens.get()
    if (grant.kind === 'refused') return notSent(grant)
    const reply = await send(bearing(call, grant.token))
    if (reply.kind !== 'answered' || reply.status !== 401) return reply
    tokens.forget(grant.token)
    const renewed = await tokens.get()
    return renewed.kind === 'refused' ? reply : send(bearing(call, renewed.token))
  }
}

/** Keeps the token that `request` brings; `read` finds it in the answer. */
export function openTokens(
  send: Send,
  request: Pick<Call, 'path' | 'headers' | 'body'>,
  read: (body: string) => { access_token: string; expires_in: number } | undefined,
): TokenSource {
  return tokenSource(async () => {
    const reply = await send({ method: 'POST', ...request, deadlineMs })
    if (reply.kind !== 'answered') return { kind: 'refused', reason: reply.reason }
    return readGrant(reply, read)
  })
}

function readGrant(
  reply: Answered,
  read: (body: string) => { access_token: string; expires_in: number } | undefined,
): Grant {
  const token = reply.status === 200 || reply.status === 201 ? read(reply.body) : undefined
  if (token === undefined) return { kind: 'refused', reason: `HTTP ${reply.status}` }
  return { kind: 'granted', token: token.access_token, lastsMs: token.expires_in * 1000 }
}

function notSent({ reason }: Grant & { kind: 'refused' }): Reply {
  return { kind: 'not_sent', reason: `no token: ${reason}` }
}

function bearing(call: Parameters<Send>[0], token: string): Parameters<Send>[0] {
  return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } }
}
