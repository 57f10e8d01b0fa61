import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Problem } from '../kit/problem.ts'

/** The entries of a map file of HAProxy. */
export function entriesOf(mapText: string): Map<string, string> {
  const pairs = mapText.split('\n').filter(Boolean)
  return new Map(pairs.map((line) => line.split(' ') as [string, string]))
}

/** The commands of HAProxy's runtime API that turn one map into another. */
export function mapCommands(
  path: string,
  before: Map<string, string>,
  after: Map<string, string>,
): string[] {
  const gone = [...before.keys()].filter((key) => !after.has(key))
  const changed = [...after].filter(([key, value]) => before.get(key) !== value)
  return [
    ...changed.map(([key, value]) =>
      before.has(key) ? `set map ${path} ${key} ${value}` : `add map ${path} ${key} ${value}`,
    ),
    ...gone.map((key) => `del map ${path} ${key}`),
  ]
}

/** What a map of a running HAProxy holds. */
export async function readRunningMap(socket: string, path: string): Promise<Map<string, string>> {
  const lines = (await say(socket, `show map ${path}`)).split('\n').filter(Boolean)
  if (lines.some((line) => !/^0x[0-9a-f]+ \S+ \S+$/.test(line)))
    throw new Problem(`HAProxy at ${socket} answers: ${lines[0]}`)
  // Each line begins with the address of the entry in memory.
  return entriesOf(lines.map((line) => line.replace(/^0x[0-9a-f]+ /, '')).join('\n'))
}

/** Gives a running HAProxy commands, one after the other; throws if it refuses one. */
export async function command(socket: string, commands: string[]): Promise<void> {
  for (const one of commands) {
    const answer = (await say(socket, one)).trim()
    if (answer !== '') throw new Problem(`HAProxy at ${socket} answers to "${one}": ${answer}`)
  }
}

async function say(socket: string, line: string): Promise<string> {
  const connection = connect({ path: socket })
  try {
    await once(connection, 'connect')
    connection.write(`${line}\n`)
    return await text(connection)
  } catch (wrong) {
    throw new Problem(`HAProxy cannot be reached at ${socket}: ${(wrong as Error).message}.`)
  } finally {
    connection.destroy()
  }
}
