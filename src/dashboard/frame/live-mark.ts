import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { Visit } from './visit.ts'
import { frameWords } from './words.ts'

/** Shows that a page follows what happens at an address; hidden until it does. */
export function liveMark({ language }: Pick<Visit, 'language'>, address: string): Html {
  return html`<p class="live" data-live="${address}" hidden>${frameWords[language].live}</p>`
}

/** What changes of a client's list of transactions. */
export function listAddress(visit: Visit): string {
  return addressOf(visit, timeOf(visit))
}

/** What changes of a client's figures and latest transactions. */
export function homeAddress(visit: Visit): string {
  return addressOf(visit, { home: 'yes', ...timeOf(visit) })
}

/** What changes of one transaction, since it had this mark. */
export function transactionAddress(visit: Visit, one: string, mark: string): string {
  return addressOf(visit, { one, mark })
}

function timeOf({ now }: Visit): { at: string } {
  return { at: String(now.getTime()) }
}

function addressOf({ client }: Visit, more: Record<string, string>): string {
  const query = new URLSearchParams({ client: String(client.id), ...more })
  return `/dashboard/live?${query.toString()}`
}
