import { readdir, readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { RouteShorthandOptions } from 'fastify'
import type { Http } from '../http/http.ts'
import { prepareFile, sendPrepared } from '../http/prepared-file.ts'
import { cached } from '../kit/cached.ts'
import { writeZip } from '../tables/write-zip.ts'

const folder = new URL('../../collections/', import.meta.url)

/** Serves the collections of requests for Postman and Bruno (`npm run collections` writes them). */
export function addCollections(http: Http, options: RouteShorthandOptions): void {
  const files = cached(Number.POSITIVE_INFINITY, async (name: 'postman' | 'bruno') =>
    name === 'postman'
      ? prepareFile(json, await readFile(new URL('postman.json', folder)))
      : prepareFile('application/zip', await zipped('bruno')),
  )
  http.get('/docs/collections/postman.json', options, async (request, reply) =>
    sendPrepared(request, reply.header(disposition, named('json')), await files('postman')),
  )
  http.get('/docs/collections/bruno.zip', options, async (request, reply) =>
    sendPrepared(request, reply.header(disposition, named('zip')), await files('bruno')),
  )
}

const json = 'application/json; charset=utf-8'
const disposition = 'Content-Disposition'

function named(ending: string): string {
  return `attachment; filename="passerelle.${ending}"`
}

/** A folder of the collections as one archive. */
async function zipped(name: string): Promise<Buffer> {
  const root = new URL(`${name}/`, folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.pathname.length))
    .toSorted((one, other) => one.localeCompare(other))
  const parts = paths.map((path) => ({
    name: `passerelle/${path.replace(/^\//, '')}`,
    blocks: readBlocks(new URL(path.replace(/^\//, ''), root)),
  }))
  return buffer(writeZip(parts))
}

async function* readBlocks(file: URL): AsyncGenerator<Buffer> {
  yield await readFile(file)
}
