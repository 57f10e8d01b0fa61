import type { FastifyReply } from 'fastify'
import type { Entered } from '../../people/sign-in.ts'
import { deviceCookie, proofCookie, sessionCookie, setCookie } from './cookies.ts'
import type { Guest } from './visit.ts'

const sessionSeconds = 30 * 86_400
const deviceSeconds = 365 * 86_400
const proofSeconds = 600

/** Sets the cookies of a person who got in, or who is to give a code next; says where to go. */
export function leadIn(
  reply: FastifyReply,
  isHttps: boolean,
  outcome: Entered,
  then: string,
): { to: string } {
  const set = (name: string, value: string, seconds: number) =>
    setCookie(reply, { name, value, seconds, isHttps })
  if (outcome.kind === 'code') {
    set(proofCookie(isHttps), outcome.proof, proofSeconds)
    const query = then === '/dashboard' ? '' : `?then=${encodeURIComponent(then)}`
    return { to: `/dashboard/sign-in/code${query}` }
  }
  set(sessionCookie(isHttps), outcome.cookie, sessionSeconds)
  set(deviceCookie(isHttps), outcome.device, deviceSeconds)
  set(proofCookie(isHttps), '', 0)
  return { to: then }
}

/** The part of an address that says where to go after signing in; it is checked there. */
export function thenQuery({ query: { then } }: Pick<Guest, 'query'>): string {
  return then === undefined ? '' : `?then=${encodeURIComponent(then)}`
}

/** A page of the dashboard; anything else leads home, so that nobody is sent elsewhere. */
export function ownAddress(address: string | undefined): string {
  return address !== undefined && /^\/dashboard(\/[\w-]+)*(\?[^#\\]*)?$/.test(address)
    ? address
    : '/dashboard'
}
