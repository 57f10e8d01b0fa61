import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The version of this program, and the commit that a folder with its history is at. */
export function readVersion(folder = root): { version: string; commit?: string } {
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const commit = readCommit(`${folder}/.git`)
  return { version, ...(commit === undefined ? {} : { commit }) }
}

// Without the git program, which a server need not have.
function readCommit(git: string): string | undefined {
  const head = readText(`${git}/HEAD`)
  const name = head.replace(/^ref: /, '').trim()
  const packed = readText(`${git}/packed-refs`)
    .split('\n')
    .find((line) => line.endsWith(` ${name}`))
  const texts = head.startsWith('ref: ') ? [readText(`${git}/${name}`), packed ?? ''] : [head]
  return texts.map((text) => /^[0-9a-f]{40}/.exec(text)?.[0]).find((one) => one !== undefined)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
