const blockBytes = 1_048_576
// Of a text that is too long to be kept.
const tooLong = 0xff_ff

/**
 * The texts that the cells of a workbook share, by their number. Kept as bytes, side by side: as
 * texts of their own they take five times as much, since each keeps alive what it was cut from.
 */
export class SharedTexts {
  readonly #blocks: Buffer[] = []
  #starts = new Uint32Array(1024)
  #lengths = new Uint16Array(1024)
  #count = 0
  #used = blockBytes

  /** Keeps the next text; null: one that is too long. */
  add(text: string | null): void {
    if (this.#count === this.#starts.length) this.#grow()
    const bytes = text === null ? 0 : Buffer.byteLength(text)
    const isKept = text !== null && bytes < tooLong
    if (isKept && this.#used + bytes > blockBytes) {
      this.#blocks.push(Buffer.allocUnsafeSlow(blockBytes))
      this.#used = 0
    }
    const block = this.#blocks.length - 1
    this.#starts[this.#count] = isKept ? block * blockBytes + this.#used : 0
    this.#lengths[this.#count] = isKept ? bytes : tooLong
    this.#count += 1
    if (isKept) this.#used += this.#blocks[block]?.write(text, this.#used) ?? 0
  }

  /** Null: one that was too long; undefined: there is none of this number. */
  get(number: number): string | null | undefined {
    if (!(Number.isInteger(number) && number >= 0 && number < this.#count)) return undefined
    const length = this.#lengths[number] ?? 0
    if (length === tooLong) return null
    const start = this.#starts[number] ?? 0
    const at = start % blockBytes
    return this.#blocks[Math.floor(start / blockBytes)]?.toString('utf8', at, at + length)
  }

  /** How much memory it takes. */
  get bytes(): number {
    return this.#blocks.length * blockBytes + this.#starts.length * 6
  }

  #grow(): void {
    const starts = new Uint32Array(this.#starts.length * 2)
    starts.set(this.#starts)
    const lengths = new Uint16Array(this.#lengths.length * 2)
    lengths.set(this.#lengths)
    this.#starts = starts
    this.#lengths = lengths
  }
}
