import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Action, Role } from '#merchants/people/rights.ts'
import { collected, type Gateway } from '../live.ts'
import type { openReceiver } from '../receiver.ts'

/** Somebody before a browser. */
export interface Stage {
  gateway: Gateway
  /** The merchant's server, which gets webhooks. */
  receiver: Pick<Awaited<ReturnType<typeof openReceiver>>, 'url' | 'got'>
  role: Role
  page: Page
  hasScripts: boolean
  /** A payment that was made before, with its event. */
  payment: { id: string; number: string }
}

/** Something that people do, by what can be clicked alone. */
export interface Journey {
  name: string
  action: Action
  /** Who takes it in npm test and the slow tests; in the full ones all roles that may. */
  by: Role
  /** Not in npm test. */
  isRare?: true
  walk(stage: Stage): Promise<void>
}

/** Opens an address of the dashboard. */
export const open = ({ page, gateway: { url } }: Stage, path: string) => page.goto(`${url}${path}`)

/** Clicks, and waits for what is shown then. */
export async function press(page: Page, selector: string, shown: string): Promise<void> {
  await page.click(selector)
  await page.waitForSelector(shown)
  // The rest of the page, if it is a new one.
  await page.waitForLoadState('domcontentloaded')
}

/** What the last form has told, by a part of it. */
export const told = (text: string) => `.notice[role=status]:has-text("${text}")`
/** A form by the end of the address that it is sent to. */
export const formTo = (tail: string) => `main form[method=post][action$="${tail}"]`

/** Opens what is folded around an element. */
export async function unfold(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector, { state: 'attached' })
  const folded = page.locator(`details:not([open]):has(${selector}) > summary`)
  if ((await folded.count()) > 0) await folded.first().click()
}

/** The bytes that a link gives as a file. */
export async function download(page: Page, selector: string): Promise<Buffer> {
  await unfold(page, selector)
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)])
  return readFile(await file.path())
}

let numbers = 770_100_000

/** A payment of a payer of its own, which has succeeded. */
export async function newPayment({
  gateway,
  receiver,
}: Pick<Stage, 'gateway' | 'receiver'>): Promise<Stage['payment']> {
  const number = String((numbers += 1))
  const id = await collected(gateway, { number, callBackURL: `${receiver.url}/hook` })
  return { id, number }
}
