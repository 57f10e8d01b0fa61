import { isIP } from 'node:net'

/** Reads addresses and networks of reverse proxies. */
export function readProxies(value = '', refuse: (sentence: string) => void): string[] {
  const proxies = value.split(/[\s,]+/).filter(Boolean)
  for (const proxy of proxies)
    if (isIP(proxy.replace(/\/\d{1,3}$/, '')) === 0)
      refuse(`TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, not "${proxy}".`)
  return proxies
}

/** Reads the address of /metrics: a host and a port, an IPv6 address in brackets. */
export function readMetricsAddress(
  value: string | undefined,
  refuse: (sentence: string) => void,
): { host: string; port: number } | null {
  if (value === undefined) return null
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^:\s]+):(\d{1,5})$/i.exec(value) ?? []
  if (host !== '' && Number(port) <= 65_535)
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  refuse(`METRICS_ADDRESS must be a host and a port such as 127.0.0.1:9464, not "${value}".`)
  return null
}

/** The host of the address that others reach, for the one that is listened on. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Whether a URL's host is this machine, so that nobody can intercept the connection. */
export function isThisMachine(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
