import { request } from 'undici'
import type { GatewayProcess } from '../gateway-process.ts'
import { memoryMb, threadMs, waitedMs } from './process-cost.ts'
import type { Phase } from './verdict.ts'

const lookEveryMs = 100

/** Tells what goes on in a gateway while something is done. */
export async function watch(
  { url, pid }: GatewayProcess,
  name: string,
  work: () => Promise<unknown>,
): Promise<Phase> {
  await readLateness(url)
  let most = memoryMb(pid())
  const watching = setInterval(() => (most = Math.max(most, memoryMb(pid()))), lookEveryMs)
  const fromMs = Date.now()
  const [usedMs, waited] = [threadMs(pid()), waitedMs(pid())]
  try {
    await work()
    const toMs = Date.now()
    const busyShare = (threadMs(pid()) - usedMs) / (toMs - fromMs)
    const waitedShare = (waitedMs(pid()) - waited) / (toMs - fromMs)
    const late = await readLateness(url)
    return { name, fromMs, toMs, memoryMb: most, busyShare, waitedShare, ...late }
  } finally {
    clearInterval(watching)
  }
}

/** The longest that the thread did nothing else since it was last asked, and the p99 of that. */
async function readLateness(url: string): Promise<Pick<Phase, 'lateMs' | 'p99LateMs'>> {
  const { body } = await request(`${url}/metrics`)
  const text = await body.text()
  const read = (name: string) => {
    const found = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)
    // A gauge of another name would make every thread punctual.
    if (found === null) throw new Error(`the metrics do not tell ${name} of the lag`)
    return Number(found[1]) * 1000
  }
  return { lateMs: read('max'), p99LateMs: read('p99') }
}
