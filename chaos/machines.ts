import { run } from './command.ts'

/** A machine of its own: a network namespace, on one switch with the others and with us. */
export interface Machine {
  name: string
  host: string
  /** What comes before a command that is to run on it. */
  prefix: string[]
  /** Cuts it off from these addresses: what is sent then arrives nowhere, and nobody is told. */
  cutFrom(hosts: string[]): Promise<void>
  mend(): Promise<void>
  /** Its power is cut: it says nothing more, and no process of it is left. */
  powerOff(): Promise<void>
  /** It is on the network again; what runs on it has to be started. */
  powerOn(): Promise<void>
}

export interface Machines {
  machines: Machine[]
  /** The address at which they see us. */
  ourHost: string
  close(): Promise<void>
}

/** Makes so many machines on one switch. */
export async function openMachines(names: string[]): Promise<Machines> {
  const number = process.pid % 250
  const bridge = `chb${number}`
  const hostOf = (last: number) => `10.214.${number}.${last}`
  await run('ip', 'link', 'add', bridge, 'type', 'bridge')
  await run('ip', 'address', 'add', `${hostOf(1)}/24`, 'dev', bridge)
  await run('ip', 'link', 'set', bridge, 'up')
  const made = names.map((name, index) => ({
    name,
    host: hostOf(11 + index),
    namespace: `chaos${number}${name}`,
    link: `ch${number}${name}`,
  }))
  for (const { host, namespace, link } of made) {
    await run('ip', 'netns', 'add', namespace)
    await run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
    await run('ip', 'link', 'set', link, 'master', bridge, 'up')
    await run('ip', '-n', namespace, 'address', 'add', `${host}/24`, 'dev', 'eth0')
    for (const one of ['lo', 'eth0']) await run('ip', '-n', namespace, 'link', 'set', one, 'up')
  }
  return {
    ourHost: hostOf(1),
    machines: made.map(({ name, host, namespace }) => ({
      name,
      host,
      prefix: ['ip', 'netns', 'exec', namespace],
      cutFrom: async (hosts) => {
        for (const one of hosts) {
          await filter(namespace, '-A', 'INPUT', '-s', one, '-j', 'DROP')
          await filter(namespace, '-A', 'OUTPUT', '-d', one, '-j', 'DROP')
        }
      },
      mend: async () => void (await filter(namespace, '-F')),
      // The cable first: processes that are killed would say good-bye to whom they are connected.
      powerOff: async () => {
        await run('ip', '-n', namespace, 'link', 'set', 'eth0', 'down')
        await endAll(namespace)
      },
      powerOn: async () => void (await run('ip', '-n', namespace, 'link', 'set', 'eth0', 'up')),
    })),
    close: async () => {
      for (const { namespace } of made) {
        await endAll(namespace).catch(() => {})
        await run('ip', 'netns', 'del', namespace).catch(() => {})
      }
      await run('ip', 'link', 'del', bridge).catch(() => {})
    },
  }
}

const filter = (namespace: string, ...words: string[]) =>
  run('ip', 'netns', 'exec', namespace, 'iptables', '-w', ...words)

/** Kills every process of a namespace, until none is left. */
async function endAll(namespace: string): Promise<void> {
  for (;;) {
    const pids = (await run('ip', 'netns', 'pids', namespace)).split('\n').map(Number)
    const left = pids.filter((pid) => pid > 0)
    if (left.length === 0) return
    for (const pid of left) signalIfThere(pid, 'SIGKILL')
  }
}

/** Sends a signal to a process that may have ended meanwhile. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has.
  }
}
