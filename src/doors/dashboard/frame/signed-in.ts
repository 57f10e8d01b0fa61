import type { FastifyReply } from 'fastify'
import type { Entered } from '#merchants/people/sign-in/sign-in.ts'
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
  { query: { lang } }: Pick<Guest, 'query'>,
  then: string,
): { to: string } {
  const set = (name: string, value: string, seconds: number) =>
    setCookie(reply, { name, value, seconds, isHttps })
  if (outcome.kind === 'code') {
    set(proofCookie(isHttps), outcome.proof, proofSeconds)
    const goal = then === '/dashboard' ? undefined : then
    return { to: `/dashboard/sign-in/code${queryOf(goal, lang)}` }
  }
  set(sessionCookie(isHttps), outcome.cookie, sessionSeconds)
  set(deviceCookie(isHttps), outcome.device, deviceSeconds)
  set(proofCookie(isHttps), '', 0)
  return { to: then }
}

/**
 * The part of an address that keeps what a guest came with: where to go after signing in, which is
 * checked there, and the language that was chosen.
 */
export function keptQuery({ query }: Pick<Guest, 'query'>): string {
  return queryOf(query.then, query.lang)
}

function queryOf(goal: string | undefined, language: string | undefined): string {
  const kept = new URLSearchParams()
  if (goal !== undefined) kept.set('then', goal)
  if (language !== undefined) kept.set('lang', language)
  return kept.size === 0 ? '' : `?${kept.toString()}`
}

/**
 * A page of the dashboard; anything else leads home, so that nobody is sent elsewhere: also what a
 * header cannot hold.
 */
export function ownAddress(address: string | undefined): string {
  return address !== undefined &&
    /^\/dashboard(\/[\w-]+)*(\?[\x21\x22\x24-\x5b\x5d-\x7e]*)?$/.test(address)
    ? address
    : '/dashboard'
}
