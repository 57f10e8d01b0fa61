import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Asker } from '#backoffice/approvals/propose.ts'
import { Problem } from '#base/kit/problem.ts'
import type { People } from '#merchants/people/open.ts'
import type { OpsAction } from '#merchants/people/rights.ts'
import type { Proof } from '#merchants/people/sign-in/prove.ts'
import { actor } from './terminal.ts'

export interface ByOptions {
  by?: string
  passwordStdin?: boolean
  /** What was read from standard input already. */
  typed?: string | undefined
}

/** Adds the options with which a person says who they are. */
export function addByOptions(command: Command, who = 'an operator'): Command {
  return command
    .option('--by <email>', `${who}; asks for the password, and the code of a second factor`)
    .option('--password-stdin', 'read them from standard input, a line each', false)
}

/** The operator whom --by names, once they have proved it; refuses when nobody is named. */
export async function readPerson(
  people: People,
  action: OpsAction,
  options: ByOptions,
): Promise<string> {
  return (await people.proveOperator({ action, ...(await readProof(options)) })).email
}

/** Who --by names, with what they give to prove it; refuses when nobody is named. */
export async function readProof(options: ByOptions): Promise<Proof> {
  const { by: email, passwordStdin = false } = options
  if (email === undefined) throw new Problem('Say who you are: give --by EMAIL.')
  const [password = '', code = ''] = passwordStdin
    ? (options.typed ?? (await readAll(process.stdin))).split(/\r?\n/)
    : await ask(['Password: ', 'Code of the second factor, if there is one: '])
  return { email, password, code }
}

/** Who asks: the operator whom --by names, through the account of the terminal. */
export async function readAsker(
  people: People,
  options: ByOptions,
  action: OpsAction = 'ops.money.propose',
): Promise<Asker> {
  const person = await readPerson(people, action, options)
  return { person, actor: `${person} via ${actor()}` }
}

/** Asks on the terminal; what is typed is not shown. */
async function ask(questions: string[]): Promise<string[]> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true })
  const stopping = new AbortController()
  // In this mode Ctrl-C is a key like others; Ctrl-D closes the input.
  for (const event of ['SIGINT', 'close']) lines.on(event, () => stopping.abort())
  const answers: string[] = []
  try {
    for (const question of questions) {
      process.stderr.write(question)
      answers.push(await lines.question('', { signal: stopping.signal }))
      process.stderr.write('\n')
    }
    return answers
  } catch {
    throw new Problem('Stopped: nothing was done.')
  } finally {
    lines.close()
  }
}
