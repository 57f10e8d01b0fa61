import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { breakText } from './break-words.ts'

const root = new URL('../../../../../', import.meta.url)

/** What the checks say is wrong, as it stands in their code and in their SQL. */
function textsOf(path: string): string[] {
  const text = readFileSync(new URL(path, root), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  // Of SQL, only a text that a check says begins after `(`, `,`, `then`, `else` or `select`.
  const said =
    /(?:[(,[?:|]|then|else|select) ?\s*(?:'([a-z][^'\n]* [^'\n]+)'|`([a-z][^`\n]* [^`\n]+)`)/g
  return [...text.matchAll(said)]
    .map(([, single, double]) => single ?? double ?? '')
    .filter(
      (one) => !/[:=]|\(|^(select|fetch|declare|close)\b/.test(one) || one.includes('(posting'),
    )
    .map((one) => one.replaceAll(/%s|\$\{[^}]*\}/g, '7'))
}

const texts = globSync('operations/verify/*.ts', { cwd: new URL('src/', root) })
  .filter((path) => !path.endsWith('.test.ts'))
  .flatMap((path) => textsOf(`src/${path}`))

describe('what a proof has found', () => {
  it('has its French', () => {
    assert.ok(texts.length > 60, `${texts.length} texts were found`)
    const isSame = (text: string) =>
      breakText('fr', { where: '', what: text }) === ` ${text}` &&
      breakText('fr', { where: text, what: '' }) === `${text} `
    // These are the same word in both.
    assert.deepEqual(
      texts.filter((text) => isSame(text) && text !== 'transaction 7'),
      [],
    )
  })

  it('says in French what was read from the database', () => {
    const what = 'is SUCCESS and was settled 2 times'
    const said = 'transaction 0c1 est dans l’état SUCCESS et a été réglé 2 fois'
    assert.equal(breakText('fr', { where: 'transaction 0c1', what }), said)
    assert.equal(breakText('en', { where: 'transaction 0c1', what }), `transaction 0c1 ${what}`)
  })
})
