import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { describeApi } from '../describe-api.ts'
import type { Description } from '../openapi/compare.ts'
import { writeCollections } from './write.ts'

interface Item {
  name: string
  item?: Item[]
  request?: { method: string; url: { raw: string } }
}

describe('the collections', async () => {
  const description = (await describeApi()) as Description
  const files = writeCollections(description)
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\w+(?=\})/g, '')}`,
    ),
  )
  const expected = operations.filter((one) => !one.endsWith('/stream')).sort()
  const shapeOf = (method: string, url: string) =>
    `${method} ${url.replace('{{baseUrl}}', '').replaceAll(/\{\{\w+\}\}/g, '{}')}`

  it('are those of the interface as it is: otherwise `npm run collections`', () => {
    const known = readdirSync('collections', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice('collections/'.length))
    assert.deepEqual(known.sort(), [...files.keys()].sort())
    for (const [path, text] of files)
      assert.equal(readFileSync(`collections/${path}`, 'utf8'), text, path)
  })

  it('have every request but the stream in the file for Postman', () => {
    const { item } = JSON.parse(files.get('postman.json') ?? '') as { item: Item[] }
    const requests = item.flatMap((folder) => folder.item ?? [])
    const shapes = requests.map(({ request }) =>
      shapeOf(request?.method ?? '', request?.url.raw ?? ''),
    )
    assert.deepEqual(shapes.sort(), expected)
  })

  it('have every request but the stream as a file for Bruno', () => {
    const shapes = [...files.values()].flatMap((text) => {
      const [, method, url = ''] =
        /^(get|post|put|patch|delete) \{\n {2}url: (.+)$/m.exec(text) ?? []
      return method === undefined ? [] : [shapeOf(method.toUpperCase(), url)]
    })
    assert.deepEqual(shapes.sort(), expected)
  })
})
