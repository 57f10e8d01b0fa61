import type { FastifyReply, FastifyRequest } from 'fastify'

/*
 * Cookies of the dashboard. With https their names begin with __Host-, so that a browser takes them
 * only from this very host over https; a sandbox on http loopback cannot have that.
 */

export function sessionCookie(isHttps: boolean): string {
  return isHttps ? '__Host-session' : 'session'
}

export function deviceCookie(isHttps: boolean): string {
  return isHttps ? '__Host-device' : 'device'
}

/** Says that the password was right, until the code of the second factor is given. */
export function proofCookie(isHttps: boolean): string {
  return isHttps ? '__Host-proof' : 'proof'
}

/** The cell whose dashboard a browser is to be shown; the way in reads it. */
export const cellCookie = 'passerelle_cell'

export function readCookie(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(/;\s*/)
  const found = pairs.find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

/** Sets a cookie that scripts cannot read and other sites do not send; 0 seconds deletes it. */
export function setCookie(
  reply: FastifyReply,
  cookie: { name: string; value: string; seconds: number; isHttps: boolean },
): void {
  const { name, value, seconds, isHttps } = cookie
  const text = `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
  // Each call adds one; it does not replace those before.
  reply.header('set-cookie', isHttps ? `${text}; Secure` : text)
}
