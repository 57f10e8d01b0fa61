/*
 * A thread that loads the library of the API reference, sends its files and ends: neither its time
 * nor its memory burdens the main thread.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { fastify } from 'fastify'

export interface ReferenceFile {
  type: string
  bytes: Uint8Array
}

export interface ReferenceFiles {
  page: ReferenceFile
  script: ReferenceFile
}

async function loadReference(demoKey: string | undefined) {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = fastify({ pluginTimeout: 0, routerOptions: { ignoreTrailingSlash: true } })
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Passerelle API reference',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      ...(demoKey === undefined
        ? {}
        : {
            authentication: {
              preferredSecurityScheme: 'apiKey',
              securitySchemes: { apiKey: { token: demoKey } },
            },
          }),
    },
  })
  return inner
}

async function readFiles({ demoKey }: { demoKey?: string }): Promise<ReferenceFiles> {
  const inner = await loadReference(demoKey)
  const read = async (path: string) => {
    const { headers, rawPayload } = await inner.inject(path)
    return { type: String(headers['content-type']), bytes: rawPayload }
  }
  return { page: await read('/docs/'), script: await read('/docs/js/scalar.js') }
}

parentPort?.postMessage(await readFiles(workerData as { demoKey?: string }), [])
