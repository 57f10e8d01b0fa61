import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { RateWindows } from './rate-windows.ts'

const windowMs = 60_000

/** A hook for routes without a key: at most so many requests a minute from one network. */
export function limitPerNetwork(max: number) {
  const counts = new RateWindows(windowMs)
  return (request: FastifyRequest, reply: FastifyReply, done: (problem?: Error) => void): void => {
    const { current, leftMs } = counts.count(networkOf(request.ip))
    if (current <= max) {
      done()
      return
    }
    const seconds = Math.max(1, Math.ceil(leftMs / 1000))
    reply.header('Retry-After', seconds)
    done(
      new Refusal(
        'rate_limited',
        reason('Too many requests: at most {max} a minute, try again in {seconds} s', {
          max,
          seconds,
        }),
      ),
    )
  }
}

/** The address, or the /64 network of an IPv6 address, which one household has. */
export function networkOf(address: string): string {
  const isIpv6 = address.includes(':') && !address.includes('.')
  if (!isIpv6) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const missing = address.includes('::') ? 8 - groups.length - last.length : 0
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...last].slice(0, 4).join(':')
}
