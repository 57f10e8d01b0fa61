import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isGone, postmasterOf } from './program.ts'
import { eventually } from './wait.ts'

const program = fileURLToPath(new URL('screenshots.ts', import.meta.url))

/** Takes pictures of home in a folder of its own, where nothing else is. */
async function takePictures() {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-ended-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const args = [program, join(folder, 'album'), '--quick', '--only', '^owner-home$']
  const env = { ...process.env, TMPDIR: folder }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const dataFolders = async () =>
    (await readdir(folder)).filter((name) => name.startsWith('passerelle-screens-'))
  const postmaster = () =>
    eventually('its PostgreSQL runs', async () => {
      const [name] = await dataFolders()
      return name !== undefined && ((await postmasterOf(join(folder, name))) ?? false)
    })
  return { child, printed: () => printed, dataFolders, postmaster }
}

for (const [moment, isReached] of [
  ['its gateway starts', () => true],
  ['a picture was taken', (printed: string) => /owner-home/.test(printed)],
] as const)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`screenshots that are ended by ${signal} when ${moment} leave nothing`, async () => {
      const { child, printed, dataFolders, postmaster } = await takePictures()
      const pid = await postmaster()
      await eventually(moment, () => isReached(printed()))
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
      assert.ok(await isGone(pid), 'its PostgreSQL runs on')
      assert.deepEqual(await dataFolders(), [])
    })
