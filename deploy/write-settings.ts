import { readFileSync, writeFileSync } from 'node:fs'
import { envExample, withTable } from './settings-text.ts'

// npm run settings: writes deploy/.env.example and the table of docs/configuration.md.
const page = new URL('../docs/configuration.md', import.meta.url)
writeFileSync(page, withTable(readFileSync(page, 'utf8')))
writeFileSync(new URL('.env.example', import.meta.url), envExample())
