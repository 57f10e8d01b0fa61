import { buildApp } from '#app.ts'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { openPool } from '#data/db/server.ts'
import { openDomain } from '#domain.ts'
import { sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders } from '#money/providers/open.ts'

/** An address of the gateway, with one of its methods. */
export interface AttackedRoute {
  method: string
  path: string
}

const nowhere = 'http://127.0.0.1:9'

/** Every address that the gateway has, as its own routes say: none is listed here. */
export async function routesOfGateway(): Promise<AttackedRoute[]> {
  const config = readConfig({})
  const log = openLog('silent')
  const db = openPool('postgresql://127.0.0.1:9/nowhere')
  const { publicUrl, payUrl } = config
  const domain = openDomain({
    config,
    db,
    clock,
    log,
    providers: openProviders({ bindings: sandboxBindings(nowhere), log }),
    publicUrl: () => publicUrl,
    payUrl: () => payUrl,
  })
  const { http } = await buildApp({ config, db, clock, log, domain })
  try {
    await http.ready()
    return readTree(http.printRoutes({ commonPrefix: false }))
  } finally {
    await http.close()
    await domain.webhooks.stop()
    await db.close()
  }
}

/** Reads the tree that the router prints: each line adds to the address of the one above it. */
export function readTree(text: string): AttackedRoute[] {
  const above: string[] = []
  return text.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^(.*?)[└├]── (\S+)(?: \((.*)\))?$/.exec(line) ?? []
    if (part === '') return []
    const depth = indent.length / 4
    const path = `${above[depth - 1] ?? ''}${part}`
    above.splice(depth, Infinity, path)
    // A HEAD costs what its GET does.
    const own = methods.split(', ').filter((method) => !['', 'HEAD', 'OPTIONS'].includes(method))
    return own.map((method) => ({ method, path }))
  })
}
