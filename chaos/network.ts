import { run, succeeds } from './command.ts'

/** A network namespace for the database, with a cable between it and us that can be pulled. */
export interface Network {
  /** The address of whatever listens in the namespace. */
  host: string
  /** What comes before a command that is to run in it. */
  prefix: string[]
  /** Pulls the cable: what is sent then arrives nowhere, and nobody is told. */
  cut(): Promise<void>
  mend(): Promise<void>
  close(): Promise<void>
}

export async function openNetwork(): Promise<Network> {
  const number = process.pid % 250
  const name = `chaos${number}`
  const [ours, theirs] = [`ch${number}a`, `ch${number}b`]
  const [gateway, host] = [`10.213.${number}.1`, `10.213.${number}.2`]
  await run('ip', 'netns', 'add', name)
  await run('ip', 'link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs)
  await run('ip', 'link', 'set', theirs, 'netns', name)
  await run('ip', 'address', 'add', `${gateway}/24`, 'dev', ours)
  await run('ip', 'link', 'set', ours, 'up')
  await run('ip', '-n', name, 'address', 'add', `${host}/24`, 'dev', theirs)
  await run('ip', '-n', name, 'link', 'set', theirs, 'up')
  await run('ip', '-n', name, 'link', 'set', 'lo', 'up')
  return {
    host,
    prefix: ['ip', 'netns', 'exec', name],
    // The far end: our side keeps its route, so that packets are lost without an error.
    cut: async () => void (await run('ip', '-n', name, 'link', 'set', theirs, 'down')),
    mend: async () => void (await run('ip', '-n', name, 'link', 'set', theirs, 'up')),
    close: async () => {
      await run('ip', 'link', 'del', ours).catch(() => {})
      await run('ip', 'netns', 'del', name).catch(() => {})
    },
  }
}

/** Why networks cannot be used here; undefined if they can. */
export async function whyNoNetwork(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'a network namespace needs root'
  const name = `chaos-try-${process.pid}`
  if (!(await succeeds('ip', 'netns', 'add', name))) return 'ip netns add fails'
  await run('ip', 'netns', 'del', name)
  return undefined
}
