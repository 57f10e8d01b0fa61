import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import type { Batch } from '#backoffice/batches/batch.ts'
import { isUuid } from '#base/kit/ids.ts'
import { languages } from '#base/kit/language.ts'
import { Problem } from '#base/kit/problem.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Domain } from '#domain.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import type { Action } from '#merchants/people/rights.ts'
import { addByOptions, type ByOptions, readProof } from './asker.ts'
import { headOf, linesOf, wholeOf } from './batch-text.ts'
import { onDomain } from './session.ts'
import { actor, print, tableOf, whole, writeFile } from './terminal.ts'

// Whom --by names.
const who = 'a person of the client'

/** `passerelle batch`: batches of payouts, in the name of a person of the client. */
export function addBatchCommands(program: Command): void {
  const batch = program.command('batch').description('batches of payouts from files')
  addList(batch)
  addShow(batch)
  addCreate(batch)
  for (const step of steps) addStep(batch, step)
  addResult(batch)
}

function addList(batch: Command): void {
  batch
    .command('list <client>')
    .description("a client's batches, newest first")
    .option('--limit <count>', 'at most this many', whole(1), 20)
    .action(async (client: string, { limit }, command: Command) => {
      const batches = await onDomain(async ({ batches: room, clients }) =>
        room.list(await clients.idOf(client), { limit }),
      )
      const lines = tableOf(batches, {
        Created: (one) => one.createdAt.toISOString(),
        Batch: (one) => one.id,
        Name: (one) => one.name,
        State: (one) => one.state,
        Lines: (one) => one.lines,
        Paid: (one) => one.paid,
        Failed: (one) => one.failed + one.refused,
        Amount: (one) => one.amount,
      })
      print(command, { batches }, lines)
    })
}

function addShow(batch: Command): void {
  batch
    .command('show <id>')
    .description('sums by wallet, history, and the lines with a problem')
    .action(async (id: string, _options, command: Command) => {
      const shown = await onBatch(id, (found, { batches }) => wholeOf(batches, found))
      print(command, shown, linesOf(shown))
    })
}

function addCreate(batch: Command): void {
  addByOptions(batch.command('create <file>'), who)
    .description('upload a CSV or XLSX file as a draft; exits with 1 if a line has an error')
    .requiredOption('--client <client>', 'number or name of the client that pays')
    .option('--name <name>', 'its name; default: the name of the file')
    .action(async (path: string, options, command: Command) => {
      const { client, name } = options
      const shown = await onDomain(async (domain) => {
        const clientId = await domain.clients.idOf(client)
        const person = await personIn(domain, clientId, 'payout.propose', options)
        const file = readable(path)
        const order = { clientId, actor: person, fileName: basename(path), file }
        const made = await domain.batches.upload({ ...order, ...(name && { name }) })
        await auditStep(domain, made, { step: 'create', by: person })
        return wholeOf(domain.batches, made)
      })
      if (shown.batch.faulty > 0) process.exitCode = 1
      print(command, shown, linesOf(shown))
    })
}

/** Reads a file as it is asked for; one that cannot be read is a problem in words. */
async function* readable(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of createReadStream(path)) yield part as Uint8Array
  } catch (thrown) {
    throw new Problem(`The file cannot be read: ${(thrown as Error).message}.`)
  }
}

interface Step {
  name: string
  description: string
  right: Action
  needsReason?: true
  run(
    domain: Domain,
    act: { clientId: number; id: string; actor: string; reason: string },
  ): Promise<Batch>
}

const steps: Step[] = [
  {
    name: 'propose',
    description: 'submit a draft for approval',
    right: 'payout.propose',
    run: ({ batches }, act) => batches.propose(act),
  },
  {
    name: 'approve',
    description: 'let it run; takes another person than the one who proposed it',
    right: 'payout.approve',
    run: async ({ batches, people }, act) => {
      const mayApproveOwn = await people.team.isAloneWith({
        clientId: act.clientId,
        action: 'payout.approve',
      })
      return batches.approve({ ...act, mayApproveOwn })
    },
  },
  {
    name: 'refuse',
    description: 'refuse a proposal for good',
    right: 'payout.approve',
    needsReason: true,
    run: ({ batches }, act) => batches.refuse(act),
  },
  {
    name: 'pause',
    description: 'send no further lines',
    right: 'payout.propose',
    run: ({ batches }, act) => batches.pause(act),
  },
  {
    name: 'resume',
    description: 'go on with a batch that is paused',
    right: 'payout.propose',
    run: ({ batches }, act) => batches.resume(act),
  },
  {
    name: 'retry',
    description: 'send the lines that have failed again, under new ids',
    right: 'payout.propose',
    run: ({ batches }, act) => batches.retryFailed(act),
  },
  {
    name: 'cancel',
    description: 'end a batch that does not run',
    right: 'payout.propose',
    run: ({ batches }, act) => batches.cancel(act),
  },
]

function addStep(batch: Command, step: Step): void {
  const { name, description, right, needsReason } = step
  const command = addByOptions(batch.command(`${name} <id>`), who).description(description)
  if (needsReason) command.requiredOption('--reason <text>', 'why; the proposer reads it')
  command.action(async (id: string, options, own: Command) => {
    const moved = await onBatch(id, async ({ clientId, id: batchId }, domain) => {
      const person = await personIn(domain, clientId, right, options)
      const act = { clientId, id: batchId, actor: person, reason: options.reason ?? '' }
      const done = await step.run(domain, act)
      await auditStep(domain, done, { step: name, by: person })
      return done
    })
    print(own, { batch: moved }, [headOf(moved)])
  })
}

function addResult(batch: Command): void {
  batch
    .command('result <id>')
    .description('every line with its outcome, as a file')
    .addOption(new Option('--form <form>').choices(['csv', 'xlsx']).default('csv'))
    .addOption(new Option('--language <language>').choices(languages).default('fr'))
    .option('--output <file>', 'write it there instead of standard output')
    .action(async (id: string, { form, language, output }) => {
      await onBatch(id, async (found, { batches }) => {
        const table = await batches.resultFile(found, language)
        const blocks = form === 'csv' ? writeCsv(table) : writeXlsx(table)
        await writeFile(blocks, output)
      })
    })
}

function onBatch<T>(id: string, work: (batch: Batch, domain: Domain) => Promise<T>): Promise<T> {
  return onDomain(async (domain) => {
    const clientId = isUuid(id) ? await domain.batches.ownerOf(id) : undefined
    if (clientId === undefined) throw new Refusal('not_found', 'No batch found')
    return work(await domain.batches.get({ clientId, id }), domain)
  })
}

/** The person of a client whom --by names, once they have proved it. */
async function personIn(
  { people }: Domain,
  clientId: number,
  right: Action,
  options: ByOptions,
): Promise<string> {
  return (await people.proveMember({ clientId, action: right, ...(await readProof(options)) }))
    .email
}

/** The batch's own history names the person; this, who ran the command in their name. */
async function auditStep(
  { audit }: Domain,
  { clientId, id: batchId }: Batch,
  details: { step: string; by: string },
): Promise<void> {
  const record = { actor: actor(), action: 'batch.command', clientId }
  await audit.record({ ...record, details: { batchId, ...details } })
}
