import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'

/** The words that the last column of the glossary rules out, with the name to use instead. */
function readRuledOut(): { word: string; name: string }[] {
  const rows = readFileSync('docs/glossary.md', 'utf8').split('\n').slice(7)
  return rows.flatMap((row) => {
    const [, english = '', french = '', , not = ''] = row.split('|').map((cell) => cell.trim())
    const words = not.split(', ').filter((word) => word !== '')
    return words.map((word) => ({ word, name: `${english} / ${french}` }))
  })
}

/** What a source says: its strings and templates, in one line each, without comments. */
function textsOf(source: string): string[] {
  const parts =
    /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|'(?:[^'\\\n]|\\.)*'|"[^"\n]*"|`(?:[^`\\]|\\.)*`/gm
  const found = [...source.replaceAll(/^(import|export) .* from .*$/gm, '').matchAll(parts)]
  return found
    .map(([text]) => text.replaceAll(/\s+/g, ' ').replaceAll('’', "'"))
    .filter((text) => !text.startsWith('/'))
}

/** The prose of a document: without code, and without where its links lead. */
function proseOf(document: string): string[] {
  return [
    document
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
      .replaceAll(/\]\([^)]*\)/g, ']')
      .replaceAll(/\s+/g, ' '),
  ]
}

const sources = globSync('{src,lab}/**/*.ts').filter((path) => !path.endsWith('.test.ts'))
const documents = globSync([
  '*.md',
  'docs/*.md',
  'docs/runbooks/**/*.md',
  'guides/*/*.md',
  '{sdk,examples,lab}/**/README.md',
  'deploy/prometheus/*.yaml',
]).filter((path) => !/CHANGELOG|glossary|node_modules/.test(path))

it('calls each thing by the one name that the glossary gives it', () => {
  const ruledOut = readRuledOut()
  assert.ok(ruledOut.length > 10)
  const texts = [
    ...sources.flatMap((path) =>
      textsOf(readFileSync(path, 'utf8')).map((text) => ({ path, text })),
    ),
    ...documents.flatMap((path) =>
      proseOf(readFileSync(path, 'utf8')).map((text) => ({ path, text })),
    ),
  ]
  assert.ok(texts.length > 5000, `${texts.length} texts were found`)
  const found = ruledOut.flatMap(({ word, name }) => {
    const pattern = new RegExp(`(?<![\\p{L}-])${word}(?![\\p{L}-])`, 'iu')
    return texts
      .filter(({ text }) => pattern.test(text))
      .map(({ path, text }) => `${path}: "${word}" is ${name}: ${around(text, pattern)}`)
  })
  assert.deepEqual(found, [])
})

function around(text: string, pattern: RegExp): string {
  const at = text.search(pattern)
  return text.slice(Math.max(0, at - 30), at + 40)
}
