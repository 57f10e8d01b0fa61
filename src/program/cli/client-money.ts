import { type Command, Option } from 'commander'
import type { Order } from '#backoffice/approvals/approval.ts'
import { adjustableAccounts } from '#money/ledger/adjustment.ts'
import { printRequested } from './approval.ts'
import { addByOptions, readAsker } from './asker.ts'
import { onDomain } from './session.ts'
import { whole } from './terminal.ts'

/** `passerelle client fund`, `withdraw` and `adjust`: money that no payment moves. */
export function addMoneyCommands(client: Command): void {
  addSettlement(client, 'fund', 'add money that arrived at the bank to a client')
  addSettlement(client, 'withdraw', "take money that was paid out off a client's account")
  addAdjust(client)
}

function addSettlement(client: Command, kind: 'fund' | 'withdraw', description: string): void {
  addByOptions(client.command(`${kind} <client>`))
    .description(description)
    .argument('<amount>', 'whole francs', whole(1))
    .requiredOption('--ref <text>', "the bank's reference; the same one twice is refused")
    .action((name: string, amount: number, options, command: Command) =>
      request(name, options, command, (clientId) => ({ kind, clientId, amount, ref: options.ref })),
    )
}

function addAdjust(client: Command): void {
  addByOptions(client.command('adjust <client>'))
    .description("correct a client's balance against one of our own accounts")
    .argument('<amount>', 'whole francs', whole(1))
    .addOption(accountOption('--from <account>', 'give it money of this account').conflicts('to'))
    .addOption(accountOption('--to <account>', 'take its money to this account'))
    .requiredOption('--ref <text>', 'a name for it; the same one twice is refused')
    .requiredOption('--reason <text>', 'why')
    .action((name: string, amount: number, options, command: Command) => {
      const { from, to, ref, reason } = options
      const account = from ?? to ?? command.error('error: --from or --to is needed')
      const details = { amount, account, isGiven: from !== undefined, ref, reason }
      return request(name, options, command, (clientId) => ({
        kind: 'adjust',
        clientId,
        ...details,
      }))
    })
}

function accountOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(adjustableAccounts)
}

/** Does what was asked for, or proposes it when its amount needs a second person. */
async function request(
  name: string,
  options: { by?: string; passwordStdin?: boolean },
  command: Command,
  orderOf: (clientId: number) => Order,
): Promise<void> {
  const requested = await onDomain(async ({ approvals, clients, people }) => {
    const clientId = await clients.idOf(name)
    return approvals.request(orderOf(clientId), await readAsker(people, options))
  })
  printRequested(command, requested, name)
}
