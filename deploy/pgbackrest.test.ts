import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { settings } from '#base/config/settings.ts'
import { missing } from '#test/needs.ts'

const folder = 'deploy/pgbackrest'
const script = readFileSync(`${folder}/set-up`, 'utf8')

it('the script that sets the archive up is shell that any Debian runs', async () => {
  await promisify(execFile)('sh', ['-n', `${folder}/set-up`])
})

it('shellcheck finds nothing in it', { skip: missing('shellcheck') }, async () => {
  await promisify(execFile)('shellcheck', [`${folder}/set-up`])
})

it('it starts timers that there are, of a unit that there is', () => {
  const timers = script.match(/\bpasserelle-[a-z-]+\.timer\b/g) ?? []
  assert.deepEqual(
    timers.map((one) => `${folder}/${one}`).sort(),
    globSync(`${folder}/*.timer`).sort(),
  )
  for (const timer of timers) {
    const [, name, kind] =
      /^Unit=(.*@)(.*)\.service$/m.exec(readFileSync(`${folder}/${timer}`, 'utf8')) ?? []
    assert.ok(existsSync(`${folder}/${name}.service`), timer)
    assert.match(timer, new RegExp(`-${kind}\\.timer$`))
  }
})

it('it ends with the setting of the documentation', () => {
  const [, told = ''] = /^RESTORE_COMMAND=(.*)"$/m.exec(script) ?? []
  const command = told.replace('$places', '').replace('$stanza', 'passerelle')
  assert.equal(command, settings.RESTORE_COMMAND.example)
})

it('what is pushed is bounded, encrypted and kept for a time', () => {
  const config = readFileSync(`${folder}/pgbackrest.conf`, 'utf8')
  for (const line of [
    'repo1-cipher-type=aes-256-cbc',
    'repo1-retention-full-type=time',
    'archive-push-queue-max=20GiB',
    'archive-async=y',
  ])
    assert.match(config, new RegExp(`^${line}$`, 'm'))
  assert.doesNotMatch(config, /^repo1-(cipher-pass|s3-key)/m)
})
