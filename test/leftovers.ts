import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/*
 * node test/leftovers.ts FOLDER
 *
 * Waits until standard input closes, which the operating system does when the test runner is gone
 * for whatever reason, SIGKILL included. Then ends every process that belongs to the folder of that
 * run and removes the folder. It lives in a session of its own, so Ctrl-C does not reach it.
 */
const POLL_MS = 50
const POLITE_POLLS = 100 // five seconds for PostgreSQL's own way to stop, then SIGKILL

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? ''
  process.stdin.resume()
  await once(process.stdin, 'close')
  await endProcessesOf(folder)
  await unmountDisksIn(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Starts the watcher for this process; `finish` has it clean up now and waits until it has. */
export function watchForLeftovers(folder: string): { finish(): Promise<void> } {
  const program = fileURLToPath(import.meta.url)
  const watcher = spawn(process.execPath, [program, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  watcher.unref()
  return {
    finish: async () => {
      const exited = once(watcher, 'exit')
      watcher.ref()
      watcher.stdin?.end()
      await exited
    },
  }
}

async function endProcessesOf(folder: string): Promise<void> {
  for (let polls = 0; ; polls += 1) {
    const left = await processesOf(folder)
    if (left.length === 0) return
    for (const { pid, isPostgres } of left) {
      // SIGQUIT lets PostgreSQL end its sessions and free its shared memory.
      if (!isPostgres || polls > POLITE_POLLS) endProcess(pid, 'SIGKILL')
      else if (polls === 0) endProcess(pid, 'SIGQUIT')
    }
    await sleep(POLL_MS)
  }
}

/**
 * The processes that name the folder: in TMPDIR, which all that tests start inherit, or on the
 * command line, as PostgreSQL does. Empty where there is no /proc.
 */
async function processesOf(folder: string): Promise<{ pid: number; isPostgres: boolean }[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all(
        ['cmdline', 'environ'].map((name) =>
          readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''),
        ),
      )
      const isOurs = `${command}${environment}`.includes(folder)
      const isPostgres = /\/postgres\0-D\0/.test(command ?? '')
      return isOurs && pid !== process.pid ? [{ pid, isPostgres }] : []
    }),
  )
  return found.flat()
}

/** The disks that tests have mounted there: a folder with one cannot be removed. */
async function unmountDisksIn(folder: string): Promise<void> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  const paths = mounts.split('\n').map((line) => line.split(' ')[1] ?? '')
  for (const path of paths.filter((each) => each.startsWith(`${folder}/`)))
    await once(spawn('umount', ['--lazy', path], { stdio: 'inherit' }), 'exit')
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}
