import { type Command, Option } from 'commander'
import { type KeyRight, keyRights, usualKeyRights } from '#merchants/clients/key-rights.ts'
import { keyScopes } from '#merchants/clients/scope.ts'
import type { People } from '#merchants/people/open.ts'
import { addByOptions, type ByOptions, readAsker } from './asker.ts'
import { onDatabase, onDomain } from './session.ts'
import { actor, durationOption, print, tableOf, whole } from './terminal.ts'

/** `passerelle key`: issues, rotates, revokes and lists the API keys of clients. */
export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('issue, rotate and revoke API keys')
  addIssue(key)
  addRotate(key)
  addRevoke(key)
  addList(key)
}

const moneyOut = new Set<KeyRight>(['pay', 'refund'])

/** Who gives out a secret: a person is named for one with which money can leave. */
async function giver(people: People, rights: KeyRight[], options: ByOptions): Promise<string> {
  if (!rights.some((right) => moneyOut.has(right))) return actor()
  return (await readAsker(people, options, 'ops.clients.change')).actor
}

function addIssue(key: Command): void {
  addByOptions(key.command('issue <client>'), 'an operator, for a key that pays or refunds')
    .description('make a new key; its secret is shown only once')
    .option('--label <text>', 'what it is for', 'main')
    .addOption(
      new Option('--rights <rights...>', 'what it may do')
        .choices(keyRights)
        .default([...usualKeyRights]),
    )
    .addOption(
      new Option('--scope <scope>', 'what it sees: what it created, or all of its client')
        .choices(keyScopes)
        .default('key'),
    )
    .option('--allow <networks...>', 'addresses or networks that may use it, e.g. 10.0.0.0/8')
    .option('--rate <requests>', "requests a minute, instead of the client's own", whole(1))
    .action(async (name: string, options, command: Command) => {
      const { label, rights, scope, allow: allowedAddresses, rate } = options
      const issued = await onDomain(async ({ clients, people }) => {
        const clientId = await clients.idOf(name)
        const by = { actor: await giver(people, rights, options) }
        const order = { clientId, label, rights, scope, allowedAddresses, ...by }
        return clients.keys.issue({ ...order, ratePerMinute: rate })
      })
      print(command, issued, [
        `Key ${issued.id} (${label})`,
        `Secret, shown this once: ${issued.secret}`,
      ])
    })
}

function addRotate(key: Command): void {
  addByOptions(key.command('rotate <key-id>'), 'an operator, for a key that pays or refunds')
    .description('give a key a new secret; the old one stays valid for a while')
    .addOption(
      durationOption('--overlap <duration>', 'how long the old secret stays valid, e.g. 2h', '24h'),
    )
    .action(async (id: string, options, command: Command) => {
      const rotated = await onDomain(async ({ clients, people }) => {
        const { rights = [] } = (await clients.keys.list(null)).find((one) => one.id === id) ?? {}
        const by = { actor: await giver(people, rights, options) }
        return clients.keys.rotate({ id, overlapMs: options.overlap, ...by })
      })
      print(command, rotated, [`Secret, shown this once: ${rotated.secret}`])
    })
}

function addRevoke(key: Command): void {
  key
    .command('revoke <key-id>')
    .description('end a key for good, everywhere within a second')
    .action(async (id: string, _options, command: Command) => {
      await onDatabase(({ clients }) => clients.keys.revoke({ id, actor: actor() }))
      print(command, { id, revoked: true }, [`Key ${id} is revoked.`])
    })
}

function addList(key: Command): void {
  key
    .command('list [client]')
    .description('the keys of a client, or of all, newest first')
    .action(async (name: string | undefined, _options, command: Command) => {
      const keys = await onDatabase(async ({ clients }) =>
        clients.keys.list(name === undefined ? null : await clients.idOf(name)),
      )
      const lines = tableOf(keys, {
        Client: (one) => one.clientId,
        Key: (one) => one.id,
        Label: (one) => one.label,
        Secret: (one) => (one.isDashboard ? 'none' : `${one.prefix}…${one.lastFour}`),
        May: ({ rights }) => (rights.length === keyRights.length ? 'all' : rights.join(' ')),
        Scope: (one) => one.scope,
        From: (one) => one.allowedAddresses.join(' ') || 'any address',
        Rate: (one) => one.ratePerMinute ?? 'as client',
        State: ({ revokedAt: at }) => (at === null ? 'active' : `revoked ${at.toISOString()}`),
      })
      print(command, { keys }, lines)
    })
}
