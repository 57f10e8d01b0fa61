import type { Command } from 'commander'
import type { Approval, Done } from '#backoffice/approvals/approval.ts'
import type { Requested } from '#backoffice/approvals/propose.ts'
import type { StoredLine } from '#backoffice/recon/import/statement.ts'
import { omit } from '#base/kit/objects.ts'
import { addByOptions, readPerson } from './asker.ts'
import { onDomain } from './session.ts'
import { francs, print, tableOf, whole } from './terminal.ts'
import { summary } from './transaction-summary.ts'

const decider = 'ops.money.approve'

/** `passerelle approval`: what one person proposed and another decides. */
export function addApprovalCommands(program: Command): void {
  const approval = program
    .command('approval')
    .description('what moves money by hand: see what was proposed, approve or refuse it')
  addList(approval)
  addShow(approval)
  addApprove(approval)
  addRefuse(approval)
}

function addList(approval: Command): void {
  approval
    .command('list')
    .description('proposals that wait, newest first')
    .option('--all', 'decided ones too', false)
    .option('--limit <count>', 'at most this many', whole(1), 100)
    .action(async (options, command: Command) => {
      const { all: isAll, limit } = options
      const approvals = await onDomain(({ approvals }) => approvals.list({ isAll, limit }))
      const lines = tableOf(approvals, {
        Approval: (one) => one.id,
        What: (one) => one.kind,
        Client: (one) => one.clientId ?? '',
        Amount: (one) => francs(one.amount),
        'Proposed by': (one) => one.proposedBy,
        'Valid until': (one) => one.expiresAt.toISOString(),
        State: (one) => one.state,
        'Decided by': (one) => one.decidedBy ?? '',
      })
      print(command, { approvals: approvals.map(shownOf) }, lines)
    })
}

function addShow(approval: Command): void {
  approval
    .command('show <id>')
    .description('what will be done, what its proposer saw, and what became of it')
    .action(async (id: string, _options, command: Command) => {
      const { found, lines } = await onDomain(async ({ approvals, recon }) => ({
        found: await approvals.get(id),
        lines: await recon.held(id, { after: 0, limit: linesShown }),
      }))
      const waiting = lines.length === 0 ? [] : ['lines that wait:', ...heldTable(lines)]
      const value = { ...shownOf(found), ...(lines.length === 0 ? {} : { lines }) }
      print(command, value, [...describe(found), ...waiting])
    })
}

// The page of the statement has all of a longer one.
const linesShown = 1000

/** Lines of a statement that wait for the approval. */
function heldTable(lines: StoredLine[]): string[] {
  return tableOf(lines, {
    Line: (one) => one.line,
    Client: (one) => one.clientId ?? '',
    Transaction: (one) => one.transactionId ?? '',
    'Says that it': (one) => one.result,
    'With an amount of': (one) => francs(one.amount),
  })
}

function addApprove(approval: Command): void {
  addByOptions(approval.command('approve <id>'))
    .description('carry out what another person proposed')
    .action(async (id: string, options, command: Command) => {
      const { approval: approved, done } = await onDomain(async ({ approvals, people }) =>
        approvals.approve({ id, person: await readPerson(people, decider, options) }),
      )
      print(command, { approval: shownOf(approved), done }, doneLines(done))
    })
}

function addRefuse(approval: Command): void {
  addByOptions(approval.command('refuse <id>'))
    .description('refuse a proposal')
    .requiredOption('--reason <text>', 'why, for its proposer')
    .action(async (id: string, options, command: Command) => {
      const refused = await onDomain(async ({ approvals, people }) => {
        const person = await readPerson(people, decider, options)
        return approvals.refuse({ id, person, reason: options.reason })
      })
      print(command, shownOf(refused), [`Approval ${id} is refused.`])
    })
}

/** Prints that something was done, or that it waits for a second person. */
export function printRequested(command: Command, requested: Requested, client = ''): void {
  if (requested.kind === 'done')
    return print(command, resultOf(requested.done), doneLines(requested.done, client))
  const { id, proposedBy, expiresAt } = requested.approval
  print(command, { approval: shownOf(requested.approval) }, [
    `Proposed by ${proposedBy}; another person approves it until ${expiresAt.toISOString()}:`,
    `passerelle approval approve ${id} --by EMAIL`,
  ])
}

function resultOf(done: Done): object {
  return 'transaction' in done ? done.transaction : omit(done, ['kind'])
}

function doneLines(done: Done, client = ''): string[] {
  if ('transaction' in done) return summary(done.transaction)
  if (done.kind === 'suspend') return [`The money of difference ${done.caseId} is in suspense.`]
  if ('statementId' in done)
    return done.kind === 'statement'
      ? [`The lines of statement ${done.statementId} are recorded.`]
      : [`Statement ${done.statementId} is withdrawn, with what it told.`]
  if (done.kind === 'forget') return [`${done.pseudonym} stands for the number now.`]
  if (done.kind === 'grant')
    return [`${done.email} may approve${done.url === null ? '' : ' once they accept the mail'}.`]
  const { clientId, available } = done
  return [`Done. ${client || `Client ${clientId}`} can spend ${francs(available)} now.`]
}

function shownOf(approval: Approval): object {
  return { ...approval, order: omit(approval.order as { sealedToken?: string }, ['sealedToken']) }
}

function describe(one: Approval): string[] {
  const { order, seen, proposedBy, proposedAt, decidedBy, decidedAt, reason } = one
  return [
    `${one.kind} of ${francs(one.amount)} for client ${one.clientId ?? '-'}: ${one.state}`,
    `proposed by ${proposedBy} at ${proposedAt.toISOString()}, ` +
      `valid until ${one.expiresAt.toISOString()}`,
    ...(decidedAt === null ? [] : [`${one.state} by ${decidedBy} at ${decidedAt.toISOString()}`]),
    ...(reason === null ? [] : [`because: ${reason}`]),
    'what is done:',
    ...listed(order),
    'what was seen:',
    ...listed(seen),
  ]
}

function listed(values: object): string[] {
  return Object.entries(values)
    .filter(([name]) => name !== 'sealedToken')
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
}
