import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import type { Visit } from './visit.ts'
import { frameWords } from './words.ts'

/** Shows that a page follows what happens; hidden until it does. */
export function liveMark(
  { client, now, language }: Visit,
  one?: { id: string; mark: string },
): Html {
  const query = new URLSearchParams({
    client: String(client.id),
    ...(one === undefined ? { at: String(now.getTime()) } : { one: one.id, mark: one.mark }),
  })
  return html`<p class="live" data-live="/dashboard/live?${query.toString()}" hidden>${
    frameWords[language].live
  }</p>`
}
