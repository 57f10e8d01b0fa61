import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeCollections } from './collections/write.ts'
import { describeApi } from './describe-api.ts'
import type { Description } from './openapi/compare.ts'

// npm run collections: writes the requests of the interface for Postman and Bruno anew.
const folder = fileURLToPath(new URL('../collections', import.meta.url))
const files = writeCollections((await describeApi()) as Description)
await rm(folder, { recursive: true, force: true })
for (const [path, text] of files) {
  await mkdir(dirname(`${folder}/${path}`), { recursive: true })
  await writeFile(`${folder}/${path}`, text)
}
console.log(`${files.size} files in collections/`)
