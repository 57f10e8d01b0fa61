import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { marked } from 'marked'
import { html, raw } from '../../../kit/html.ts'
import type { Pages } from '../../frame/pages.ts'
import { healthWords } from '../health-words.ts'

const folder = new URL('../../../../docs/runbooks/', import.meta.url)

/** GET /dashboard/ops/runbooks/:name: what to do, from docs/runbooks */
export default function runbook(pages: Pages): void {
  const names = new Set(readdirSync(folder).map((file) => file.replace(/\.md$/, '')))
  pages.screen('/dashboard/ops/runbooks/:name', 'ops.read', async (visit) => {
    const name = visit.part('name')
    if (!names.has(name)) return undefined
    const text = await readFile(new URL(`${name}.md`, folder), 'utf8')
    const [, title = name] = /^# (.+)$/m.exec(text) ?? []
    // A text of this project: no one else writes it, so that its markup is trusted.
    const page = raw(await marked(text.replaceAll(/\]\((\w[\w-]*)\.md\)/g, ']($1)')))
    return {
      title,
      section: 'health',
      body: html`<p><a href="/dashboard/ops">${healthWords[visit.language].title}</a></p>
<article class="card text" lang="en">${page}</article>`,
    }
  })
}
