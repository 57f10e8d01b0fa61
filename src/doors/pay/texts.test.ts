import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fr } from '#base/kit/texts.ts'
import { textsOf } from './texts.ts'

/** Every text of a language with the path of its key; functions are called with 1 and with 2. */
function* textsIn(value: unknown, path: string): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path, value]
  else if (Array.isArray(value))
    for (const [index, one] of value.entries()) yield* textsIn(one, `${path}[${index}]`)
  else if (typeof value === 'function')
    for (const given of [1, 2]) yield* textsIn(value(given, given, given), `${path}(${given})`)
  else
    for (const [key, one] of Object.entries(value as object))
      yield* textsIn(one, path === '' ? key : `${path}.${key}`)
}

const french = [...textsIn(textsOf('fr'), '')]
const english = [...textsIn(textsOf('en'), '')]

describe('the texts of the page', () => {
  it('have the same keys in both languages', () => {
    assert.ok(french.length > 100)
    assert.deepEqual(
      english.map(([path]) => path),
      french.map(([path]) => path),
    )
  })

  it('differ between the languages, except for names', () => {
    const names = /^(date$|seconds$|transaction$)/
    const same = french.filter(
      ([path, text], index) => text === english[index]?.[1] && !names.test(path),
    )
    assert.deepEqual(
      same.filter(([, text]) => /\p{L}/u.test(text)),
      [],
    )
  })

  it('follow French typography in French', () => {
    const wrong = french.filter(
      ([, text]) =>
        /'|[^\u202f][;!?]|[^\u00a0][:»]|«[^\u00a0]|  |\n/.test(text) || text.trim() !== text,
    )
    assert.deepEqual(wrong, [])
  })

  it('follow English typography in English', () => {
    const wrong = english.filter(([, text]) => /'| [;:!?]|  |\n/.test(text) || text.trim() !== text)
    assert.deepEqual(wrong, [])
  })

  it('are all used by the code', () => {
    const code = globSync('src/doors/pay/*.ts')
      .filter((path) => !/french|english|test/.test(path))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
    const unused = Object.keys(textsOf('fr')).filter(
      (key) => !new RegExp(`texts\\.${key}\\b|\\b${key}[:,} ]`).test(code),
    )
    assert.deepEqual(unused, [])
  })
})

describe('fr', () => {
  const rows: [string, string][] = [
    [fr`Quoi ? Non ; si : « oui » !`, 'Quoi\u202f? Non\u202f; si\u00a0: «\u00a0oui\u00a0»\u202f!'],
    [fr`l'une`, 'l’une'],
    [fr`à ${"L'Atelier : ?"} !`, "à L'Atelier : ?\u202f!"],
    [
      fr`deux
        lignes`,
      'deux lignes',
    ],
  ]
  for (const [made, expected] of rows) it(expected, () => assert.equal(made, expected))
})
