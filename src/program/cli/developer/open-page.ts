import type { Command } from 'commander'
import { loadDeveloperSettings } from '#base/config/developer.ts'
import { Problem } from '#base/kit/problem.ts'
import { onDomain } from '../session.ts'
import { print } from '../terminal.ts'
import { openInBrowser } from './browser.ts'
import { type Page, pageByDatabase, pageByForm, pageByKey } from './find-page.ts'
import { addReachOptions, openGateway, type Reach, readReach } from './gateway.ts'
import { ownUrl } from './own-url.ts'

const examples = `
An id of a payment, refund, bill, link (or your own externalTransactionId of one), event, request,
sub-merchant; and on the machine of the gateway of a batch or a client. Examples:
  passerelle open
  passerelle open order-1042
  passerelle open evt_01a1dd62-ed51-7cfc-a980-455c3caa79f3
  passerelle open 01a1dd62-ed51-7cfc-a980-455c3caa79f3 --print`

/** `passerelle open`: the page of the dashboard that shows something. */
export function addOpenCommand(program: Command): void {
  const command = program
    .command('open [id]')
    .description('open the page of the dashboard that shows something')
    .option('--print', 'print its address instead of opening it', false)
  addReachOptions(command)
    .addHelpText('after', examples)
    .action(async (id: string | undefined, options, own: Command) => {
      const reach = await readReach(options, ownUrl)
      const page = id === undefined ? home : await find(reach, id)
      const url = `${reach.url}${page.path}`
      const { hasDisplay } = loadDeveloperSettings()
      const isOpened = !options.print && hasDisplay && (await openInBrowser(url))
      print(own, { ...page, url, isOpened }, [url])
    })
}

const home: Page = { kind: 'dashboard', path: '/dashboard' }

async function find(reach: Reach, id: string): Promise<Page> {
  const known = pageByForm(id)
  if (known !== undefined) return known
  const gateway = openGateway(reach)
  try {
    const seen = await pageByKey(gateway, id)
    if (seen !== undefined) return seen
  } finally {
    gateway.close()
  }
  // Only of the gateway that runs here is the database at hand.
  const found = reach.isOwn ? await onDomain((domain) => pageByDatabase(domain, id)) : undefined
  if (found !== undefined) return found
  throw new Problem(
    `${reach.url} has nothing under ${id} that this key sees. A key sees what was made with it: ` +
      'give the one that made it with --key or PASSERELLE_KEY.',
  )
}
