import { readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run as runCommand } from '../command.ts'
import type { Experiment, Finding } from '../experiment.ts'
import { fundAll } from '../merchants.ts'
import { type Network, openNetwork, whyNoNetwork } from '../network.ts'
import { openVolume, type Volume, whyNoVolume } from '../volume.ts'
import type { World } from '../world.ts'

const rate = 100

/** SIGSTOP of PostgreSQL with all its sessions. */
export const freeze: Experiment = {
  name: 'freeze',
  proves: 'a PostgreSQL that stands still for 30 s is survived without a restart',
  full: 'three times 30 s, 100 payments a second',
  run: (world, size) =>
    underLoad(world, size.count(1, 3), async () => {
      const pids = await sessionsOf(world.postgres.pid())
      world.killer.note('frozen', 'postgres', ...pids)
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      await sleep(size.count(8, 30) * 1000)
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    }),
}

/** The recorded server process and the processes that it has started. */
async function sessionsOf(postmaster: number): Promise<number[]> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  return [postmaster, ...children.trim().split(/\s+/).map(Number)].filter((pid) => pid > 0)
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

const volumes: Volume[] = []
const mebibyte = 2 ** 20

/** The disk of PostgreSQL is full, and has space again. */
export const diskFull: Experiment = {
  name: 'disk-full',
  proves: 'a full disk of the database is survived: refusals while it is full, none after',
  full: 'three times 20 s, 100 payments a second',
  world: {
    postgresSettings: {
      max_wal_size: '64MB',
      wal_recycle: 'off',
      shared_buffers: '32MB',
      // One that begins again by itself may stay as it is: see docs/runbooks/database.md.
      restart_after_crash: 'off',
    },
  },
  isImpossible: whyNoVolume,
  prepare: async (options) => {
    const volume = await openVolume(1200 * mebibyte)
    volumes.push(volume)
    options.postgresFolder = volume.folder
    return volume.close
  },
  run: async (world, size) => {
    const folder = volumes.at(-1)?.folder ?? ''
    // Room for the judge afterwards: its tables have every request, refused ones too.
    const reserved = join(folder, 'reserved')
    await runCommand('fallocate', '-l', String(800 * mebibyte), reserved)
    const findings = await underLoad(world, size.count(1, 3), async () => {
      const filler = join(folder, 'filler')
      world.killer.note('filled', folder)
      await fill(folder, filler)
      const endMs = performance.now() + size.count(8, 20) * 1000
      // PostgreSQL ends itself when it cannot write its log; whoever runs it starts it again.
      let starting: Promise<void> | undefined
      while (performance.now() < endMs) {
        starting ??= world.postgres
          .start()
          .catch(() => {})
          .finally(() => (starting = undefined))
        await sleep(500)
        await fill(folder, filler)
      }
      await rm(filler)
      world.killer.note('emptied', folder)
      await starting
      await world.postgres.start()
    })
    await rm(reserved)
    return findings
  },
}

/** Fills a folder until nothing more can be written to it. */
async function fill(folder: string, filler: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize)), { flag: 'a' }).catch(() => {})
}

/** A disk that forgets everything that was not flushed, as when the power is cut. */
export const powerCut: Experiment = {
  name: 'power-cut',
  proves: 'a power cut loses nothing that was acknowledged',
  full: '20 cuts, 100 payments a second',
  isImpossible: whyNoVolume,
  prepare: async (options) => {
    const volume = await openVolume(2048 * mebibyte)
    volumes.push(volume)
    options.postgresFolder = volume.folder
    return volume.close
  },
  run: (world, size) =>
    underLoad(world, size.count(2, 20), async () => {
      const volume = volumes.at(-1)
      const pids = await sessionsOf(world.postgres.pid())
      world.killer.note('power cut', ...pids)
      // From here on nothing reaches the disk, and what had not reached it is lost.
      await volume?.cutPower()
      // Sessions that wait for one that could not write would outlive the server.
      for (const pid of pids) endIfRunning(pid)
      await world.postgres.end('SIGKILL')
      await volume?.restorePower()
      await world.postgres.start()
    }),
}

const networks: Network[] = []

/** The cable between gateway and database is pulled. */
export const networkCut: Experiment = {
  name: 'network-cut',
  proves: 'a cut network between gateway and database is survived, whatever was on its way',
  full: 'ten cuts of 20 s, 100 payments a second',
  isImpossible: whyNoNetwork,
  prepare: async (options) => {
    const network = await openNetwork()
    networks.push(network)
    options.postgresHost = network.host
    options.postgresPrefix = network.prefix
    return network.close
  },
  run: (world, size) =>
    underLoad(world, size.count(1, 10), async () => {
      const network = networks.at(-1)
      world.killer.note('cut')
      await network?.cut()
      await sleep(size.count(8, 20) * 1000)
      await network?.mend()
      world.killer.note('mended')
    }),
}

/** Does harm so many times under load, and measures how long all gateways need to be ready. */
async function underLoad(
  world: World,
  times: number,
  harm: () => Promise<void>,
): Promise<Finding[]> {
  await fundAll(world)
  const load = world.startLoad({ plan: 'payments', rate, seconds: 36_000 })
  await load.reaches(100)
  const pids = world.gateways.map((gateway) => gateway.pid()).join()
  for (let turn = 0; turn < times; turn += 1) {
    world.say(`${turn + 1} of ${times}`)
    await harm()
    await world.killer.measure('gateways', async () => {
      for (const gateway of world.gateways) await gateway.untilReady()
    })
    await load.reaches(100)
  }
  load.stop()
  const { acknowledged, statuses } = await load.ended
  const readyMs = world.killer.recoveries.map((one) => one.readyMs)
  const isSame = pids === world.gateways.map((gateway) => gateway.pid()).join()
  return [
    { what: 'times', value: String(times) },
    { what: 'acknowledged payments', value: String(acknowledged), isGood: acknowledged > 0 },
    { what: 'requests, by status', value: JSON.stringify(statuses) },
    { what: 'ready again after', value: `${readyMs.join(', ')} ms` },
    { what: 'gateways ran through', value: isSame ? 'yes' : 'no', isGood: isSame },
  ]
}
