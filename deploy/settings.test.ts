import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { envExample, withTable } from './settings-text.ts'

test('.env.example and the table of configuration.md are fresh: npm run write settings', () => {
  assert.equal(readFileSync('deploy/.env.example', 'utf8'), envExample())
  const page = readFileSync('docs/configuration.md', 'utf8')
  assert.equal(page, withTable(page))
})
