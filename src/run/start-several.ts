import type { Config } from '../config/config.ts'
import { systemClock } from '../kit/clock.ts'
import { openLog } from '../kit/log.ts'
import { bannerOf } from './banner.ts'
import { prepareGround } from './installation.ts'
import { withFreePort } from './listen.ts'
import type { Role } from './role.ts'
import type { Gateway } from './start.ts'
import { speaker } from './start.ts'
import { startCrew } from './supervisor.ts'

/**
 * Starts several processes behind one port. This one makes the ground ready and looks after the
 * others, which do the work; it serves nothing itself.
 */
export async function startCluster(
  config: Config,
  role: Role,
  processes: number,
): Promise<Gateway> {
  const log = openLog(config.logLevel)
  const opened = new AsyncDisposableStack()
  try {
    const { server, labUrl, tell } = await prepareGround(config, systemClock, opened)
    const { port, publicUrl, payUrl } = await withFreePort(config)
    if (role !== 'worker') await tell(publicUrl)
    const orders = { role, databaseUrl: server.url, labUrl, port, publicUrl, payUrl }
    const crew = startCrew({ count: processes, orders, log })
    opened.defer(crew.stop)
    const { url, linkUrl } = await crew.ready
    const { isEmbedded } = server
    const facts = { url, publicUrl, labUrl, linkUrl, isEmbedded, role, processes }
    return {
      banner: bannerOf(config, facts),
      say: speaker(config, log),
      stop: () => opened.disposeAsync(),
    }
  } catch (problem) {
    await opened.disposeAsync()
    throw problem
  }
}
