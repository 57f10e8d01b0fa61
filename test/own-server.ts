import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeShared } from './at-end.ts'
import { startTestPostgres } from './setup.ts'

let own: Promise<void> | undefined

/** The server of the tests: that of `npm test`, else one that lives as long as this process. */
export async function haveServer(): Promise<string> {
  if (process.env.TEST_DATABASE_URL === undefined) await (own ??= startOwn())
  return process.env.TEST_DATABASE_URL ?? ''
}

async function startOwn(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-test-'))
  // PostgreSQL runs as another account when tests run as root.
  await chmod(folder, 0o755)
  process.env.TMPDIR = folder
  const server = await startTestPostgres(folder)
  const end = async () => {
    await closeShared()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  process.once('beforeExit', () => void end())
}
