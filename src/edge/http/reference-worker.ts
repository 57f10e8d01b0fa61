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
  /** Without scripts of its own; `styleNonce` stands where the nonce of its styles belongs. */
  page: string
  script: ReferenceFile
  /** Gives styles that the library adds the nonce of the page. */
  styles: ReferenceFile
  /** Makes the reference. */
  begin: ReferenceFile
}

/** Of `ReferenceFiles.page`. */
const styleNonce = '{style nonce}'

// The library adds three styles to the page, and gives one of them the nonce of the page.
const nonceOfStyles = `
const create = document.createElement.bind(document)
const { content } = document.head.querySelector('meta[property=csp-nonce]')
document.createElement = (name, ...rest) => {
  const element = create(name, ...rest)
  if (name === 'style') element.nonce = content
  return element
}`

// The script of the page itself, whose text is allowed nowhere.
const inlineScript = /<script type="text\/javascript">([^]*?)<\/script>/

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
  const html = (await inner.inject('/docs/')).body
  const [, begin] = inlineScript.exec(html) ?? []
  if (begin === undefined) throw new Error('the page of the reference has no script')
  const script = await read('/docs/js/scalar.js')
  return {
    page: html
      .replace('</head>', `<meta property="csp-nonce" content="${styleNonce}"></head>`)
      .replace('<script src="js/scalar.js">', '<script src="js/styles.js"></script>\n    $&')
      .replace(inlineScript, '<script src="js/begin.js"></script>'),
    script,
    styles: { type: script.type, bytes: Buffer.from(nonceOfStyles) },
    begin: { type: script.type, bytes: Buffer.from(begin) },
  }
}

parentPort?.postMessage(await readFiles(workerData as { demoKey?: string }), [])
