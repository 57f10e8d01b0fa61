import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { mutantsOf } from './mutate.ts'
import { rooms } from './rooms.ts'

const source = `import { one } from './one - two.ts'

/** Adds a - b and true. */
interface Parts {
  isDone: true
}

// a - b
export function add(a: number, b: number): number {
  if (a < b) return a - 1 // a - b
  return a
}
`

describe('mutants', () => {
  it('change one thing each, and neither comments, imports nor types', () => {
    const changed = mutantsOf(source).map(({ line, text }) => {
      const lines = text.split('\n')
      const others = source.split('\n').filter((old, at) => old !== lines[at])
      assert.equal(others.length, 1)
      return lines[line - 1]?.trim()
    })
    assert.deepEqual(changed, [
      'if (a < b) return a + 1 // a - b',
      'if (a <= b) return a - 1 // a - b',
      'if (a > b) return a - 1 // a - b',
      'if (a < b) return a - 2 // a - b',
      'if (true || a < b) return a - 1 // a - b',
      'if (false && a < b) return a - 1 // a - b',
    ])
  })

  it('are made of sources that there are, and tried by tests that there are', () => {
    const missing = rooms.flatMap(({ sources, tests }) => [...sources, ...tests])
    assert.deepEqual(
      missing.filter((path) => !existsSync(path)),
      [],
    )
  })
})
