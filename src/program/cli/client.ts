import { readFile } from 'node:fs/promises'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { type Language, languages } from '#base/kit/language.ts'
import { Problem } from '#base/kit/problem.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import type { Brand } from '#merchants/clients/brand-store.ts'
import type { ClientChange } from '#merchants/clients/clients.ts'
import { effectiveTerms } from '#merchants/clients/fees.ts'
import { type Logo, readLogo } from '#merchants/clients/logo.ts'
import {
  type MerchantStatus,
  merchantStatuses,
  type Tier,
  tiers,
} from '#merchants/clients/statuses.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import { addMoneyCommands } from './client-money.ts'
import { addTermsCommands } from './client-terms.ts'
import { onDatabase } from './session.ts'
import { actor, francs, print, tableOf, webAddress, whole } from './terminal.ts'

/** `passerelle client`: clients, their services, fees, limits and money. */
export function addClientCommands(program: Command): void {
  const client = program
    .command('client')
    .description('create and change clients, as merchants are called in commands')
  addCreate(client)
  addList(client)
  addShow(client)
  addSet(client)
  addTermsCommands(client)
  addSetTier(client)
  addSetStatus(client)
  addMoneyCommands(client)
}

function addCreate(client: Command): void {
  client
    .command('create <name>')
    .description('create a client with an empty account and no services')
    .addOption(tierOption())
    .option('--rate <requests>', 'requests a minute, for the enterprise tier', whole(1))
    .option('--callback-url <url>', 'where webhooks go when a request names no address', webAddress)
    .option('--email <address>', 'where emails to the merchant go')
    .addOption(languageOption())
    .action(async (name: string, options, command: Command) => {
      const { tier, rate: ratePerMinute, callbackUrl, email, language } = options
      const asked = { name, tier, ratePerMinute, callbackUrl, email, language, actor: actor() }
      const { id, webhookSecret } = await onDatabase(({ ledger }) => ledger.openAccount(asked))
      const created = { id, name, webhookSecret }
      print(command, created, [
        `Client ${created.id} (${name}) is created.`,
        `Webhook secret, shown this once: ${created.webhookSecret}`,
        `Next: passerelle client set-fee ${created.id} all --bps 100; ` +
          `passerelle client enable ${created.id} all; passerelle key issue ${created.id}`,
      ])
    })
}

function addList(client: Command): void {
  client
    .command('list')
    .description('every client with its balance, oldest first')
    .action(async (_options, command: Command) => {
      const clients = await onDatabase(async ({ clients: room, ledger }) => {
        const balances = new Map((await ledger.balancesOf()).map((one) => [one.clientId, one]))
        return (await room.all()).map((one) => {
          const { available = 0, held = 0 } = balances.get(one.id) ?? {}
          return { ...one, available, held }
        })
      })
      const lines = tableOf(clients, {
        Client: (one) => one.id,
        Name: (one) => one.name,
        State: (one) => one.merchantStatus,
        Tier: (one) => one.tier,
        Available: (one) => francs(one.available),
        Held: (one) => francs(one.held),
        Created: (one) => one.createdAt.toISOString(),
      })
      print(command, { clients }, lines)
    })
}

function addShow(client: Command): void {
  client
    .command('show <client>')
    .description('a client by number or name, with balance, services and fees')
    .action(async (name: string, _options, command: Command) => {
      const shown = await onDatabase(async ({ clients, ledger }) => {
        const id = await clients.idOf(name)
        const [found, { logo }, services, balance] = await Promise.all([
          clients.find(id),
          clients.findBrand(id),
          clients.termsOf(id),
          ledger.balances(id),
        ])
        return { ...found, ...balance, logo, services }
      })
      const services = tableOf(shown.services.map(withEffectiveFee), {
        Service: (one) => one.serviceCode,
        State: (one) => (one.isEnabled ? 'enabled' : 'disabled'),
        Fixed: (one) => one.fixed,
        Bps: (one) => one.basisPoints,
        'Fee min': (one) => one.min,
        'Fee max': (one) => one.max ?? '',
        'Amount min': (one) => one.amountMin ?? '',
        'Amount max': (one) => one.amountMax ?? '',
      })
      print(command, shown, [
        `${shown.id} ${shown.name} (${shown.merchantStatus}, ${shown.tier}, ` +
          `${shown.ratePerMinute} requests a minute)`,
        describeMail(shown),
        describeLook(shown),
        `available ${francs(shown.available)}, held ${francs(shown.held)}`,
        '',
        ...services,
      ])
    })
}

const settable = [
  '--name',
  '--callback-url',
  '--email',
  '--language',
  '--link-lifetime',
  '--address',
  '--tax-number',
  '--colour',
  '--logo',
  '--no-logo',
]

function addSet(client: Command): void {
  client
    .command('set <client>')
    .description('set name, addresses, language, lifetime of links, look of payment pages')
    .option('--name <text>', 'as people know it')
    .option(
      '--callback-url <url>',
      'where webhooks go when a request names no address; "" for none',
      (text) => (text === '' ? text : webAddress(text)),
    )
    .option('--email <address>', 'the address; "" for none')
    .addOption(languageOption())
    .option('--link-lifetime <seconds>', 'of payment links: 300 to 2592000', linkLifetime)
    .option('--address <text>', 'on its statements and receipts; "" for none')
    .option('--tax-number <text>', 'on its statements and receipts; "" for none')
    .option('--colour <colour>', 'of its payment pages, such as #0b6b4f; "" for ours')
    .option('--logo <file>', 'PNG, JPEG or WebP for its payment pages, at most 64 KB')
    .option('--no-logo', 'removes the logo')
    .action(async (name: string, options, command: Command) => {
      if (Object.keys(options).length === 0)
        command.error(`error: at least one of ${settable.join(', ')} is needed`)
      const { callbackUrl, email, language, linkLifetime: linkLifetimeS, colour, logo } = options
      const change = {
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(callbackUrl === undefined ? {} : { callbackUrl: callbackUrl || null }),
        ...(email === undefined ? {} : { email: email === '' ? null : email }),
        ...(language === undefined ? {} : { language }),
        ...(linkLifetimeS === undefined ? {} : { linkLifetimeS }),
        ...(options.address === undefined ? {} : { address: options.address || null }),
        ...(options.taxNumber === undefined ? {} : { taxNumber: options.taxNumber || null }),
        ...(colour === undefined ? {} : { colour: colour.toLowerCase() || null }),
        ...(logo === undefined ? {} : { logo: logo === false ? null : await logoFrom(logo) }),
      }
      await saveClient(command, name, change)
    })
}

async function logoFrom(path: string): Promise<Logo> {
  const file = await readFile(path).catch((problem: Error) => {
    throw new Problem(`The logo cannot be read: ${problem.message}.`)
  })
  return readLogo(file)
}

function addSetTier(client: Command): void {
  client
    .command('set-tier <client>')
    .description('set how often a client may call')
    .addArgument(new Argument('<tier>').choices(tiers))
    .option('--rate <requests>', 'requests a minute, for the enterprise tier', whole(1))
    .action(async (name: string, tier: Tier, options, command: Command) => {
      const change = {
        tier,
        ...(options.rate === undefined ? {} : { ratePerMinute: options.rate }),
      }
      await saveClient(command, name, change)
    })
}

function addSetStatus(client: Command): void {
  client
    .command('set-status <client>')
    .description('let a client begin payments, links and sub-merchants, or nothing new')
    .addArgument(new Argument('<status>').choices(merchantStatuses))
    .action((name: string, merchantStatus: MerchantStatus, _options, command: Command) =>
      saveClient(command, name, { merchantStatus }),
    )
}

async function saveClient(
  command: Command,
  name: string,
  change: ClientChange['change'],
): Promise<void> {
  const changed = await onDatabase(async ({ clients }) => {
    const id = await clients.idOf(name)
    return clients.change({ id, change, actor: actor() })
  })
  print(command, changed, [
    `${changed.name}: ${changed.merchantStatus}, ${changed.tier}, ` +
      `${changed.ratePerMinute} requests a minute, ${describeMail(changed)}.`,
  ])
}

/** Airtime has its own price, whatever the contract says. */
function withEffectiveFee(terms: ServiceTerms): ServiceTerms {
  const service = parseServiceCode(terms.serviceCode)
  return service === undefined ? terms : { ...terms, ...effectiveTerms(service, terms) }
}

function describeMail({ email, language }: { email?: string | null; language?: Language }): string {
  return `mail to ${email ?? 'nobody'} in ${language === 'en' ? 'English' : 'French'}`
}

function describeLook({ colour, logo }: Partial<Brand>): string {
  const size = logo && `a logo of ${logo.width} × ${logo.height} pixels`
  return `payment pages in ${colour ?? 'our colour'} with ${size ?? 'no logo'}`
}

function linkLifetime(text: string): number {
  const seconds = whole(300)(text)
  if (seconds > 2_592_000) throw new InvalidArgumentError('It must be at most 2592000.')
  return seconds
}

function languageOption(): Option {
  return new Option('--language <language>', 'what mail is written in').choices(languages)
}

function tierOption(): Option {
  return new Option('--tier <tier>', 'how often it may call').choices(tiers).default('standard')
}
