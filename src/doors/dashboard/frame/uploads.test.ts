import assert from 'node:assert/strict'
import { it } from 'node:test'
import fastify from 'fastify'
import type { Http } from '#edge/http/http.ts'
import { eventually } from '#test/wait.ts'
import { addUploadParser, type UploadedFile } from './uploads.ts'

it('a file is read no further when whoever sent it has left', async () => {
  const http = fastify() as unknown as Http
  addUploadParser(http)
  const leaving = new AbortController()
  const read = Promise.withResolvers<{ blocks: number; problem: unknown }>()
  http.post('/', { config: { uploadBytesMax: 1_000_000 } }, async ({ body, raw }) => {
    const { file } = body as { file: UploadedFile }
    let blocks = 0
    try {
      for await (const _ of file.blocks()) {
        blocks += 1
        leaving.abort()
        await eventually('the sender is gone', () => raw.socket.destroyed)
      }
      read.resolve({ blocks, problem: undefined })
    } catch (problem) {
      read.resolve({ blocks, problem })
    }
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  try {
    const form = new FormData()
    form.set('file', new File(['x'.repeat(500_000)], 'a.csv'))
    const sent = fetch(url, { method: 'POST', body: form, signal: leaving.signal })
    await assert.rejects(sent, { name: 'AbortError' })
    const { blocks, problem } = await read.promise
    assert.equal(blocks, 1)
    assert.match(String(problem), /could not be understood/)
  } finally {
    await http.close()
  }
})
