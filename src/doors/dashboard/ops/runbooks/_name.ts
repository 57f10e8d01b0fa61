import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { html, raw } from '#base/kit/html.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { healthWords } from '../health-words.ts'

const folder = new URL('../../../../../docs/runbooks/', import.meta.url)

function namesIn(path: URL): Set<string> {
  return new Set(readdirSync(path).flatMap((file) => /^([\w-]+)\.md$/.exec(file)?.[1] ?? []))
}

/** GET /dashboard/ops/runbooks/:name: what to do, from docs/runbooks, in French if it is there */
export default function runbook(pages: Pages): void {
  const [names, french] = [namesIn(folder), namesIn(new URL('fr/', folder))]
  pages.screen('/dashboard/ops/runbooks/:name', 'ops.read', async (visit) => {
    const name = visit.part('name')
    if (!names.has(name)) return undefined
    const isTranslated = visit.language === 'fr' && french.has(name)
    const text = await readFile(new URL(`${isTranslated ? 'fr/' : ''}${name}.md`, folder), 'utf8')
    const [, title = name] = /^# (.+)$/m.exec(text) ?? []
    const { marked } = await import('marked')
    // A text of this project: no one else writes it, so that its markup is trusted.
    const page = raw(await marked(text.replaceAll(/\]\((\w[\w-]*)\.md\)/g, ']($1)')))
    return {
      title,
      section: 'health',
      body: html`<p class="back"><a href="/dashboard/ops">${
        healthWords[visit.language].title
      }</a></p>
<article class="card text" lang="${isTranslated ? 'fr' : 'en'}">${page}</article>`,
    }
  })
}
