import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { untilArchived } from '../../test/archived.ts'
import { freePort } from '../../test/listen.ts'
import { testPair } from '../../test/postgres-pair.ts'
import { eventually } from '../../test/wait.ts'
import { readConfig } from '../config/config.ts'
import { withClient } from '../db/client.ts'
import { openDb } from '../db/db.ts'
import { applicationRole } from '../db/server.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { openLog } from '../log/log.ts'
import { listBases } from './archive.ts'
import { runArchiver } from './archiver.ts'
import { checkArchive } from './check.ts'
import { follow } from './follow.ts'
import { backupKeyOf } from './key.ts'
import { proveRestored } from './prove-restored.ts'
import { restore } from './restore.ts'

const key = backupKeyOf(readConfig({}))

test('an archive goes on at the promoted standby when the primary falls silent', async () => {
  const root = await mkdtemp(join(tmpdir(), 'passerelle-archive-'))
  after(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(root, 'archive')
  const { one, two, urlOf } = await testPair()
  const cable = await openCable(one.place)
  const url = urlOf({ ...one, place: cable.place }, two)
  const archiver = startArchiver({ url, folder, workFolder: join(root, 'work') })
  const timelines = async () =>
    (await listBases({ folder, key })).bases.map(({ timeline }) => timeline)
  await eventually('a base backup', async () => (await timelines().catch(() => [])).length === 1)

  await one.sql('create table marks (name text)')
  await one.sql("insert into marks values ('before')")
  await untilArchived(asked(one))
  const [moment] = (await one.sql('select clock_timestamp() as now')).rows
  await one.sql("insert into marks values ('last')")
  await untilArchived(asked(one))
  await eventually('the standby has it', async () => {
    return (await two.sql('select name from marks')).rows.length === 2
  })

  // As a machine that is cut off: no connection is closed, and nothing comes.
  cable.cut()
  await two.sql('select pg_promote()')
  await eventually('a base backup of the new timeline', async () => {
    return (await timelines()).join() === '1,2'
  })
  await two.sql("insert into marks values ('after')")
  await untilArchived(asked(two))
  await archiver.stop()

  const marksAt = async (to?: Date) => {
    let found = ''
    const inspect = (restored: string) =>
      withClient({ url: restored }, async (client) => {
        const { rows } = await client.query('select name from marks order by 1')
        found = rows.map(({ name }) => name).join()
      })
    const into = join(root, 'restored')
    await restore({ folder, key, into, keep: false, programs: null, clock, to, inspect })
    return found
  }
  assert.equal(await marksAt(), 'after,before,last')
  assert.equal(await marksAt(moment.now), 'before')
  const prove = async (restored: string) =>
    (await proveRestored(restored)).breaks.map((found) => JSON.stringify(found))
  const order = { folder, key, workFolder: join(root, 'work'), programs: null, clock, prove }
  assert.deepEqual((await checkArchive(order)).problems, [])
  await leavesSilent(two, urlOf, join(root, 'other'))
})

/** The stream itself ends when nothing comes, whatever else notices it. */
async function leavesSilent(
  server: Server,
  urlOf: (...servers: Server[]) => string,
  folder: string,
) {
  const cable = await openCable(server.place)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const following = follow({
    url: urlOf({ ...server, place: cable.place }),
    folder,
    key,
    log: openLog('silent'),
    silentMsMax: 2000,
    progress: () => begin(),
    signal: AbortSignal.timeout(120_000),
  })
  await begun
  cable.cut()
  await assert.rejects(following, /has said nothing for too long/)
}

function startArchiver(own: { url: string; folder: string; workFolder: string }) {
  const db = openDb({ url: own.url, role: applicationRole, connectionsMax: 2, name: 'test' })
  const stopping = new AbortController()
  const ended = runArchiver({
    ...own,
    key,
    everyHours: 24,
    keepDays: 3,
    programs: null,
    db,
    clock,
    log: openLog('silent'),
    silentMsMax: 3000,
    signal: stopping.signal,
  })
  const stop = async () => {
    stopping.abort()
    await ended
  }
  after(async () => {
    await stop()
    await db.close()
  })
  return { stop }
}

type Server = Awaited<ReturnType<typeof testPair>>['one']

/** A server as something that answers statements. */
const asked =
  ({ sql }: Server) =>
  async (text: string) =>
    (await sql(text)).rows

/** A way to a server that can be cut: what is open stays open, and nothing comes through. */
async function openCable(place: string) {
  const [host = '', port = ''] = place.split(':')
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    sockets.add(near)
    if (isCut) return
    const far = connect({ host, port: Number(port) })
    sockets.add(far)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {})
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  const own = await freePort()
  server.listen(own, '127.0.0.1')
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.unpipe().pause().removeAllListeners('close')
  }
  return { place: `127.0.0.1:${own}`, cut }
}
