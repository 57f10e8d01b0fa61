import { writeFile } from 'node:fs/promises'
import type { Description } from './generate-types.ts'
import { generateTypes } from './generate-types.ts'

// npm run sdk:types [URL]: writes src/interface.ts from the description that a gateway serves.
const [url = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const answer = await fetch(`${url}/openapi.json`)
const types = generateTypes((await answer.json()) as Description)
await writeFile(new URL('src/interface.ts', import.meta.url), types)
