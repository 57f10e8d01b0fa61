import { spawn } from 'node:child_process'
import { oneLine } from '#base/kit/one-line.ts'
import { Problem } from '#base/kit/problem.ts'

interface RestoreOrder {
  /** RESTORE_COMMAND. */
  command: string
  /** The cluster's folder, which the command makes. */
  folder: string
  to: Date | undefined
  environment: Record<string, string | undefined>
  signal?: AbortSignal | undefined
}

/** A moment as PostgreSQL, pgBackRest and Barman read it. */
function momentText(moment: Date): string {
  return moment.toISOString().replace('T', ' ').replace('Z', '+00')
}

/** The words of the command: what is in brackets is for a moment alone. */
export function restoreWords(command: string, folder: string, to: Date | undefined): string[] {
  if (to !== undefined && !command.includes('{moment}'))
    throw new Problem('RESTORE_COMMAND has no {moment}: it restores the newest state alone.')
  const text =
    to === undefined ? command.replaceAll(/\[[^\][]*\]/g, ' ') : command.replaceAll(/[[\]]/g, ' ')
  const values: Record<string, string> = { folder, moment: to === undefined ? '' : momentText(to) }
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replaceAll(/\{(folder|moment)\}/g, (_, name: string) => values[name] ?? ''))
}

const saidCharactersMax = 20_000

/** Runs the command to its end; a failure is told in one sentence with the command's own words. */
export async function runRestoreCommand(order: RestoreOrder): Promise<void> {
  const [file = '', ...args] = restoreWords(order.command, order.folder, order.to)
  const { environment: env, signal } = order
  const { code, said } = await new Promise<{ code: number | string | null; said: string }>(
    (resolve, reject) => {
      // In a group of its own, so that Ctrl-C reaches it only through us.
      const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
      const options = { cwd: '/', env, stdio, detached: true, signal }
      const child = spawn(file, args, options)
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-saidCharactersMax)
        })
      child.once('error', reject)
      child.once('close', (status, name) => resolve({ code: status ?? name, said }))
    },
  ).catch((problem: NodeJS.ErrnoException) => {
    if (problem.name === 'AbortError') throw new Problem('The drill was stopped.')
    throw new Problem(`RESTORE_COMMAND cannot be run: ${file}: ${problem.message}.`)
  })
  if (code !== 0) throw new Problem(explainRestore(code, said))
}

// What pgBackRest says where the reason is not in its last words.
const reasons: [said: RegExp, meaning: string][] = [
  [/No space left on device/, 'the disk is full'],
  [
    /\[(FormatError|CryptoError)\] unable to load info file/,
    'the key does not open the archive (repo1-cipher-pass), or its catalogue was changed',
  ],
  [
    /\[FileMissingError\] unable to load info file/,
    'the archive is empty or away: its catalogue is missing',
  ],
  [
    /checksum|ChecksumError|CryptoError|zst error/,
    'a file of the backup was changed after it was made',
  ],
]

/** What went wrong, in one sentence: its meaning where it is known, and the last words. */
export function explainRestore(code: number | string | null, said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '')
  const problems = lines.filter((line) => /\bERROR\b|\berror\b|\bfatal\b/i.test(line))
  const last = problems.at(-1) ?? lines.at(-1) ?? 'it ended without a word'
  const words = oneLine(last.replace(/^.*?\b(ERROR|FATAL): */, ''), 300).replace(/\.$/, '')
  const meaning = reasons.find(([pattern]) => pattern.test(said))?.[1]
  const told = meaning === undefined ? words : `${meaning}: ${words}`
  return `RESTORE_COMMAND ended with ${code}: ${told}.`
}
