import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { envExample, withTable } from './settings-text.ts'

test('.env.example and the table of configuration.md are fresh: npm run write settings', () => {
  assert.equal(readFileSync('deploy/.env.example', 'utf8'), envExample())
  const page = readFileSync('docs/configuration.md', 'utf8')
  assert.equal(page, withTable(page))
})

test('the unit and the launcher give Node the flags of npm start', () => {
  const flagsIn = (file: string, line: RegExp) =>
    readFileSync(file, 'utf8')
      .match(line)?.[0]
      .match(/ --[a-z-]+=\S+/g)
  const flags = flagsIn('package.json', /"start": .*/)
  assert.equal(flags?.length, 2)
  assert.deepEqual(flagsIn('deploy/systemd/passerelle@.service', /^ExecStart=.*/m), flags)
  assert.deepEqual(flagsIn('bin/passerelle.js', /^#!.*/), flags)
})
