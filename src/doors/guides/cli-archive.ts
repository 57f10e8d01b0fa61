import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { RouteShorthandOptions } from 'fastify'
import { cached } from '#base/kit/cached.ts'
import type { Http } from '#edge/http/http.ts'
import { prepareFile, sendPrepared } from '#edge/http/prepared-file.ts'

const writer = fileURLToPath(new URL('write-cli-archive.ts', import.meta.url))
const path = '/docs/passerelle-cli.tgz'

/**
 * Serves `listen` and `trigger` to merchants' machines, for `npx --package=ADDRESS passerelle
 * listen`: a package in a registry could be anybody's.
 */
export function addCliArchive(http: Http, options: RouteShorthandOptions, publicUrl: string): void {
  const archive = cached(Number.POSITIVE_INFINITY, async (_name: 'archive') =>
    prepareFile('application/gzip', await write(publicUrl)),
  )
  http.get(path, options, async (request, reply) =>
    sendPrepared(request, reply, await archive('archive'), 'public, max-age=3600'),
  )
}

/** In a process of its own, since Node's compiler takes 40 MB for as long as its process lives. */
async function write(publicUrl: string): Promise<Buffer> {
  const words = ['--disable-warning=ExperimentalWarning', writer, publicUrl]
  const options = { encoding: 'buffer', maxBuffer: 1_000_000 } as const
  const { stdout } = await promisify(execFile)(process.execPath, words, options)
  return stdout
}
