import type { Mode } from '#base/config/config.ts'
import { RecentMap } from '#base/kit/recent-map.ts'
import type { Log } from '#base/log/log.ts'

const addressesMax = 1000

/**
 * Warns a developer of an address for webhooks where nobody answers, once for each address. Only
 * in a sandbox: the log of a live gateway is the operator's, who cannot mend a merchant's address.
 */
export function warnOfSilentAddresses(
  log: Log,
  mode: Mode,
): (url: string, problem: string) => void {
  const known = new RecentMap<string, true>(addressesMax)
  return (url, problem) => {
    // A query may hold secrets.
    const address = url.replace(/[?#].*$/s, '')
    if (mode === 'live' || known.get(address)) return
    known.set(address, true)
    log.warn(
      { callBackURL: address, problem },
      'nobody answers at this callBackURL: its webhooks are retried for days, and ' +
        '`npx passerelle listen` shows them',
    )
  }
}
