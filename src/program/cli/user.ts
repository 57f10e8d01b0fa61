import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Config } from '#base/config/config.ts'
import { addressOfCell } from '#base/kit/cell-names.ts'
import { type Language, languages } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { type OperatorRole, operatorRoles, roles } from '#merchants/people/rights.ts'
import type { ListedPerson } from '#merchants/people/store.ts'
import { refuseDemoNames } from '#program/sandbox/demo.ts'
import { printRequested } from './approval.ts'
import { readPerson } from './asker.ts'
import { onDatabase, onDomain } from './session.ts'
import { actor, print, tableOf } from './terminal.ts'

/** `passerelle user`: the people who use the dashboard. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who use the dashboard')
  addCreate(user)
  addList(user)
  addReset(user)
  addRemove(user)
}

function addCreate(user: Command): void {
  user
    .command('create <email>')
    .description('add a person, or give one who is there one more role')
    .option('--client <client>', 'number or name of the client they belong to')
    .addOption(new Option('--role <role>', 'what they may do there').choices(roles))
    .option('--name <name>', 'their name, as shown to others', '')
    .addOption(new Option('--language <language>').choices(languages).default('fr'))
    .addOption(
      new Option('--operator <role>', 'what they may do for the gateway').choices(operatorRoles),
    )
    .option('--password-stdin', 'read the password from standard input', false)
    .option('--by <email>', 'propose a right to approve, as this operator; asks who they are')
    .action(async (email: string, options, command: Command) => {
      const { client, role, name, language, operator: operatorRole = null } = options
      if ((client === undefined) !== (role === undefined))
        throw new Refusal('validation_failed', '--client and --role belong together')
      if (client === undefined && operatorRole === null)
        throw new Refusal('validation_failed', 'Give --client and --role, or --operator')
      if (options.by !== undefined) return proposeGrant(email, options, command)
      const password = options.passwordStdin ? await firstLine() : null
      const { config, isNew, code } = await onDatabase(async ({ users, clients, config }) => {
        // Nobody is added beside demo people, whose passwords are public.
        if (config.mode === 'live') refuseDemoNames(await users.demoAddresses())
        const membership =
          client === undefined ? null : { clientId: await clients.idOf(client), role }
        const order = { email, name, language, password, operatorRole, membership }
        const needsSecondPerson = config.approvalAbove !== null
        return { config, ...(await users.add({ ...order, needsSecondPerson, actor: actor() })) }
      })
      const link = linkOf(config, code)
      const what = isNew ? 'is added' : 'was there already, and has the role now'
      print(command, { email, isNew, link }, [`${email} ${what}.`, ...linkLines(link)])
    })
}

interface GrantOptions {
  by?: string
  passwordStdin?: boolean
  client?: string
  operator?: OperatorRole
  language: Language
}

/** A right to approve, which another person approves: then the invitation is sent. */
async function proposeGrant(email: string, options: GrantOptions, command: Command): Promise<void> {
  const { client, operator: role, language } = options
  if (client !== undefined || role === undefined)
    throw new Refusal('validation_failed', '--by goes with --operator alone')
  const requested = await onDomain(async ({ approvals, people }) => {
    const by = await readPerson(people, 'ops.users.change', options)
    const order = { kind: 'grant', clientId: null, email, role, by, name: by, language } as const
    return approvals.request(order, { person: by, actor: by })
  })
  printRequested(command, requested)
}

function addList(user: Command): void {
  user
    .command('list')
    .description('everybody, or the people of one client')
    .option('--client <client>', 'number or name')
    .action(async (options, command: Command) => {
      const { client } = options
      const people = await onDatabase(async (rooms) =>
        rooms.users.list(client === undefined ? null : await rooms.clients.idOf(client)),
      )
      const lines = tableOf(people, {
        Email: (one) => one.email,
        Name: (one) => one.name,
        Roles: rolesOf,
        Password: (one) => (one.hasPassword ? 'chosen' : 'not chosen'),
        'Second factor': (one) => (one.hasSecondFactor ? 'on' : 'off'),
      })
      print(command, { people }, lines)
    })
}

function addReset(user: Command): void {
  user
    .command('reset <email>')
    .description('print a link with which a person chooses a new password')
    .option('--second-factor', 'also turn two-step verification off', false)
    .action(async (email: string, options, command: Command) => {
      const order = { email, isFactorOff: options.secondFactor, actor: actor() }
      const { config, code } = await onDatabase(async ({ users, config }) => ({
        config,
        code: await users.reset(order),
      }))
      const link = linkOf(config, code)
      print(command, { email, link }, linkLines(link))
    })
}

function addRemove(user: Command): void {
  user
    .command('remove <email>')
    .description('remove a person from one client or from the operators, or delete them')
    .option('--client <client>', 'only from this one')
    .option('--operator', 'only from the operators', false)
    .action(async (email: string, options, command: Command) => {
      const { client, operator: isOperatorOnly } = options
      if (client !== undefined && isOperatorOnly)
        throw new Refusal('validation_failed', 'Give --client or --operator, not both')
      const all = isOperatorOnly ? 'operators' : 'all'
      await onDatabase(async ({ users, clients }) => {
        const from = client === undefined ? all : { clientId: await clients.idOf(client) }
        await users.remove({ email, from, actor: actor() })
      })
      const place = isOperatorOnly ? 'the operators' : client
      const where = place === undefined ? 'is deleted' : `is no longer in ${place}`
      print(command, { email, removed: true }, [`${email} ${where}.`])
    })
}

async function firstLine(): Promise<string> {
  return (await readAll(process.stdin)).split(/\r?\n/)[0] ?? ''
}

function linkOf({ publicUrl, cell }: Config, code: string | null): string | null {
  return code === null ? null : `${addressOfCell(publicUrl, cell)}/dashboard/reset/${code}`
}

function linkLines(link: string | null): string[] {
  return link === null ? [] : ['To choose a password, once, within 24 hours:', link]
}

function rolesOf({ roles: byClient, operatorRole }: ListedPerson): string {
  const own = Object.entries(byClient).map(([client, role]) => `${role} of ${client}`)
  return [...own, ...(operatorRole === null ? [] : [operatorRole])].join(', ') || 'none'
}
