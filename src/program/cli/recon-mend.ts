import { type Command, Option } from 'commander'
import type { Mending } from '#backoffice/recon/cases/case.ts'
import type { Mended } from '#backoffice/recon/cases/mend.ts'
import { printRequested } from './approval.ts'
import { addByOptions, readAsker } from './asker.ts'
import { caseTable } from './recon-text.ts'
import { onDomain } from './session.ts'
import { actor, print, whole } from './terminal.ts'

/** `recon case`, `recon assign`, `recon note`, `recon mend` and `recon withdraw`. */
export function addMendCommands(recon: Command): void {
  addCase(recon)
  addAssign(recon)
  addNote(recon)
  addMend(recon)
  addWithdraw(recon)
}

function addWithdraw(recon: Command): void {
  addByOptions(recon.command('withdraw <id>'))
    .description('take back all that a statement told, once a second person approves it')
    .requiredOption('--reason <text>', 'why')
    .action(async (id: string, options, command: Command) => {
      const requested = await onDomain(async ({ recon: room, people }) =>
        room.withdraw(id, options.reason, await readAsker(people, options)),
      )
      printRequested(command, requested)
    })
}

function addCase(recon: Command): void {
  recon
    .command('case <id>')
    .description('one difference, with what both sides say and its notes')
    .action(async (id: string, _options, command: Command) => {
      const shown = await onDomain(({ recon: room }) => room.case(id))
      print(command, shown, [
        ...caseTable([shown.case]),
        '',
        JSON.stringify(shown.case.details, null, 2),
        ...shown.notes.map(({ at, person, text }) => `${at.toISOString()} ${person}: ${text}`),
      ])
    })
}

function addAssign(recon: Command): void {
  recon
    .command('assign <id> [email]')
    .description('who looks into a difference; without an address, nobody')
    .action(async (id: string, email: string | undefined, _options, command: Command) => {
      const one = await onDomain(({ recon: room }) => room.assign(id, email ?? null, actor()))
      print(command, { case: one }, caseTable([one]))
    })
}

function addNote(recon: Command): void {
  recon
    .command('note <id> <text>')
    .description('add a note to a difference')
    .action(async (id: string, text: string, _options, command: Command) => {
      const note = await onDomain(({ recon: room }) => room.note(id, text, actor()))
      print(command, { note }, [`Noted at ${note.at.toISOString()}.`])
    })
}

const ways = ['success', 'failed', 'send-back', 'suspend', 'adjust', 'ignore'] as const

interface MendOptions {
  as: (typeof ways)[number]
  reason: string
  client?: number
  amount?: number
  direction?: 'give' | 'take'
  account?: string
}

function addMend(recon: Command): void {
  addByOptions(recon.command('mend <id>'))
    .description(
      'close a difference: end its transaction, send back, suspend, adjust, or ignore it',
    )
    .addOption(new Option('--as <way>').choices(ways).makeOptionMandatory())
    .requiredOption('--reason <text>', 'what was seen, and where')
    .option('--client <number>', 'of an adjustment: whose balance', whole(1))
    .option('--amount <francs>', 'of an adjustment', whole(1))
    .addOption(new Option('--direction <direction>').choices(['give', 'take']))
    .option('--account <account>', 'of an adjustment: the other side; else the provider')
    .action(async (id: string, options, command: Command) => {
      const mending = mendingOf(options as MendOptions, command)
      const mended = await onDomain(async ({ recon: room, people }) =>
        room.mend(id, mending, await readAsker(people, options)),
      )
      printMended(command, mended)
    })
}

function mendingOf(options: MendOptions, command: Command): Mending {
  const { as, reason, client: clientId, amount, direction, account } = options
  if (as === 'ignore' || as === 'suspend') return { how: as, reason }
  if (as === 'send-back') return { how: 'send_back', reason }
  if (as !== 'adjust') return { how: 'resolve', as, reason }
  if (clientId === undefined || amount === undefined || direction === undefined)
    command.error('error: an adjustment needs --client, --amount and --direction')
  return { how: 'adjust', clientId, amount, isGiven: direction === 'give', account, reason }
}

function printMended(command: Command, { case: one, requested }: Mended): void {
  if (requested?.kind === 'proposed') return printRequested(command, requested)
  print(command, { case: one }, [`The difference is ${one.state}: ${one.closing}.`])
}
