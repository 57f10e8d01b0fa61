type Branch = Map<string, Branch | number>

/**
 * Counts by several names, each from a closed list. The names are looked up as they are, so that
 * counting builds no text.
 */
export class Tally {
  readonly #counts: Branch = new Map()

  /** Adds to the count under these names, always the same number of them. */
  add(names: readonly string[], by = 1): void {
    const last = names.length - 1
    let branch = this.#counts
    for (let depth = 0; depth < last; depth += 1) {
      const name = names[depth] ?? ''
      const known = branch.get(name)
      const next: Branch = known instanceof Map ? known : new Map()
      if (known === undefined) branch.set(name, next)
      branch = next
    }
    const name = names[last] ?? ''
    branch.set(name, Number(branch.get(name) ?? 0) + by)
  }

  /** Every count with its names. */
  *counts(): Generator<[names: string[], count: number]> {
    yield* countsOf(this.#counts, [])
  }
}

function* countsOf(branch: Branch, above: string[]): Generator<[string[], number]> {
  for (const [name, value] of branch)
    if (value instanceof Map) yield* countsOf(value, [...above, name])
    else yield [[...above, name], value]
}
