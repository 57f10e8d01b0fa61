import { writeFile } from 'node:fs/promises'
import { html } from '#base/kit/html.ts'
import type { Picture } from './looks.ts'

/** Writes index.html: every screen with its pictures, those with problems first. */
export async function writeAlbum(folder: string, pictures: Picture[]): Promise<void> {
  const screens = [...Map.groupBy(pictures, ({ screen }) => screen)].toSorted(
    ([, one], [, other]) => countProblems(other) - countProblems(one),
  )
  const page = html`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Screens</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 1rem; background: #777; color: #fff }
section { display: flex; flex-wrap: wrap; gap: .5rem; align-items: start; margin-bottom: 2rem }
h2 { width: 100%; margin: 0 } img { height: 24rem; max-width: 40rem; object-fit: cover;
object-position: top left } .bad { outline: 4px solid #f33 } pre { white-space: pre-wrap }
a { color: inherit }
</style>
<h1>${screens.length} screens, ${pictures.length} pictures, ${countProblems(pictures)} problems</h1>
${screens.map(
  ([screen, own]) => html`<section id="${screen}"><h2>${screen}</h2>
${own.flatMap(({ file, problems }) => problems.map((text) => html`<pre>${file}: ${text}</pre>`))}
${own.map(
  ({ file, problems }) => html`<a href="${file}"><img loading="lazy" src="${file}" title="${file}"
 alt="${file}" class="${problems.length > 0 && 'bad'}"></a>`,
)}</section>
`,
)}</html>
`
  await writeFile(`${folder}/index.html`, page.text)
}

function countProblems(pictures: Picture[]): number {
  return pictures.reduce((sum, { problems }) => sum + problems.length, 0)
}
