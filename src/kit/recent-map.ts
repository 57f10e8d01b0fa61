/**
 * A map that forgets what was set longest ago, half of its room at a time: to look for the oldest
 * entry of a Map takes ever longer, because those that were deleted before it still lie there.
 */
export class RecentMap<Key, Value> {
  readonly #half: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** Never more than `sizeMax` entries; the last half of as many are there for certain. */
  constructor(sizeMax: number) {
    this.#half = Math.max(1, Math.floor(sizeMax / 2))
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key)
    this.#young.set(key, value)
    if (this.#young.size < this.#half) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: Key): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
