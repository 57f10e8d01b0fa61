import type { Command } from 'commander'
import type { KeyState, SecretsState } from '#operations/secrets/open.ts'
import type { ColumnState } from '#operations/secrets/walk.ts'
import { onDatabase, type Session } from './session.ts'
import { actor, counted, print, tableOf } from './terminal.ts'

/** `passerelle secrets`: which key seals what is stored, and sealing it anew with SECRET_KEY. */
export function addSecretsCommands(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('what is sealed with SECRET_KEY, and a rotation of that key')

  secrets
    .command('status')
    .description('which key seals what is stored, and whether one can be dropped')
    .action(async (_options, command: Command) =>
      show(command, await onDatabase((session) => session.secrets.status(stopper(session)))),
    )

  secrets
    .command('rotate')
    .description('seal with SECRET_KEY what SECRET_KEY_OTHERS have sealed')
    .addHelpText('after', '\nPayments go on. After an interruption run it again.')
    .action(async (_options, command: Command) =>
      show(
        command,
        await onDatabase((session) => session.secrets.rotate(actor(), stopper(session))),
      ),
    )
}

function stopper({ throwIfStopped }: Session): () => void {
  return () => throwIfStopped()
}

/** Exits with 1 while a value can be opened by no key. */
function show(command: Command, state: SecretsState): void {
  const { columns, keys } = state
  const own = keys.filter(({ place }) => place !== 'lacking')
  const table = tableOf(columns, {
    Sealed: ({ name }) => name,
    ...Object.fromEntries(
      own.map(({ fingerprint }, index) => [
        index === 0 ? `SECRET_KEY ${fingerprint}` : fingerprint,
        ({ byKey }: ColumnState) => byKey[index] ?? 0,
      ]),
    ),
    'No key': ({ lost }) => lost,
  })
  const lost = columns.reduce((sum, column) => sum + column.lost, 0)
  if (lost > 0) process.exitCode = 1
  const sentences = keys.slice(1).map(sentenceOf)
  if (lost > 0) sentences.push(`${counted(lost, 'value')} can be opened by none of these keys.`)
  if (sentences.length === 0) sentences.push('Only SECRET_KEY is in use.')
  print(command, { ...state, lost }, [...table, '', ...sentences])
}

function sentenceOf({ fingerprint, place, values, seenAt, mayGo }: KeyState): string {
  if (place === 'lacking')
    return `${fingerprint} was used until ${seenAt?.toISOString()}, and is not among the keys here.`
  if (mayGo) return `${fingerprint} can be dropped: nothing needs it.`
  if (values > 0)
    return `${fingerprint} is needed by ${counted(values, 'value')}: run passerelle secrets rotate.`
  return `${fingerprint}: a process that seals with it was seen at ${seenAt?.toISOString()}.`
}
