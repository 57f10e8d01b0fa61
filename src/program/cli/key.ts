import { type Command, Option } from 'commander'
import { keyRights, usualKeyRights } from '#merchants/clients/key-rights.ts'
import { keyScopes } from '#merchants/clients/scope.ts'
import { onDatabase } from './session.ts'
import { actor, durationOption, print, tableOf, whole } from './terminal.ts'

/** `passerelle key`: issues, rotates, revokes and lists the API keys of clients. */
export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('issue, rotate and revoke API keys')
  addIssue(key)
  addRotate(key)
  addRevoke(key)
  addList(key)
}

function addIssue(key: Command): void {
  key
    .command('issue <client>')
    .description('make a new key; its secret is shown this once')
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
      const issued = await onDatabase(async ({ clients }) => {
        const clientId = await clients.idOf(name)
        const order = { clientId, label, rights, scope, allowedAddresses, actor: actor() }
        return clients.keys.issue({ ...order, ratePerMinute: rate })
      })
      print(command, issued, [
        `Key ${issued.id} (${label})`,
        `Secret, shown this once: ${issued.secret}`,
      ])
    })
}

function addRotate(key: Command): void {
  key
    .command('rotate <key-id>')
    .description('give a key a new secret; the old one serves on for a while')
    .addOption(
      durationOption('--overlap <duration>', 'how long the old secret serves, e.g. 2h', '24h'),
    )
    .action(async (id: string, options, command: Command) => {
      const order = { id, overlapMs: options.overlap, actor: actor() }
      const rotated = await onDatabase(({ clients }) => clients.keys.rotate(order))
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
