/** The types of columns that rows can be sent in, and what their values are in the code. */
interface Types {
  integer: number
  smallint: number
  bigint: number
  boolean: boolean
  text: string
  uuid: string
  timestamptz: Date
  /** Anything that JSON can say. */
  jsonb: unknown
  /** Bytes, in the code a text of hexadecimal digits. */
  bytea: string
}

/** Columns of rows, by their names in the code. */
export type Shape = Record<string, keyof Types>

type RowOf<S extends Shape> = { [Name in keyof S]?: Types[S[Name]] | null | undefined }

/** Rows for one statement. In a template it stands where a table could. */
export class Rows {
  readonly form: RowForm
  readonly #rows: object[]

  constructor(form: RowForm, rows: object[]) {
    this.form = form
    this.#rows = rows
  }

  /** A parameter for each column. */
  parameters(): Buffer[] {
    return this.form.columns.map(([name, type]) => writeColumn(type, name, this.#rows))
  }
}

/** What all rows of one statement have in common; made once. */
class RowForm {
  readonly columns: [name: string, type: keyof Types][]

  constructor(shape: Shape) {
    this.columns = Object.entries(shape)
  }

  /**
   * The table in a statement, whose first parameter has this number. Arrays that are unfolded side
   * by side as columns take the server half of what `from unnest(a, b, …)` takes, which keeps every
   * value in a store of its own first.
   */
  textFrom(number: number): string {
    const unfolded = this.columns.map(
      ([name, type], index) => `unnest($${number + index}::${type}[]) as "${name}"`,
    )
    return `(select ${unfolded.join(', ')})`
  }
}

/**
 * Makes rows of a shape into a table for a statement: `insert … select … from ${rows(list)} as r`.
 * Each column travels as one array in PostgreSQL's own binary form, which takes both sides half
 * the time of writing and reading JSON.
 */
export function rowsOf<S extends Shape>(shape: S): (rows: RowOf<S>[]) => Rows {
  const form = new RowForm(shape)
  return (rows) => new Rows(form, rows)
}

type Write = (value: never, at: number) => number

// Values are written here and copied out; it grows to what the largest column needed.
let bytes = Buffer.allocUnsafe(65_536)

function makeRoom(size: number): void {
  if (size <= bytes.length) return
  const larger = Buffer.allocUnsafe(size * 2)
  bytes.copy(larger)
  bytes = larger
}

const headBytes = 20

/** An array as PostgreSQL sends and receives it: its head, then each value behind its length. */
function writeColumn(type: keyof Types, name: string, rows: object[]): Buffer {
  const { oid, write } = columnTypes[type]
  makeRoom(headBytes)
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(1, 4)
  bytes.writeInt32BE(oid, 8)
  bytes.writeInt32BE(rows.length, 12)
  bytes.writeInt32BE(1, 16)
  let at = headBytes
  for (const row of rows) {
    const value = (row as Record<string, unknown>)[name] ?? null
    makeRoom(at + fixedRoom)
    const end = value === null ? at + 4 : write(value as never, at + 4)
    bytes.writeInt32BE(value === null ? -1 : end - at - 4, at)
    at = end
  }
  return Buffer.from(bytes.subarray(0, at))
}

// The length and the longest value of a type that has one.
const fixedRoom = 20

const columnTypes: Record<keyof Types, { oid: number; write: Write }> = {
  boolean: { oid: 16, write: writeTruth },
  smallint: { oid: 21, write: (value: number, at) => bytes.writeInt16BE(whole(value), at) },
  integer: { oid: 23, write: (value: number, at) => bytes.writeInt32BE(whole(value), at) },
  bigint: { oid: 20, write: writeWhole },
  text: { oid: 25, write: writeText },
  uuid: { oid: 2950, write: writeUuid },
  timestamptz: { oid: 1184, write: writeMoment },
  jsonb: { oid: 3802, write: writeJson },
  bytea: { oid: 17, write: writeHex },
}

function writeTruth(value: boolean, at: number): number {
  if (typeof value !== 'boolean') throw new TypeError('neither true nor false')
  return bytes.writeUInt8(value ? 1 : 0, at)
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number`)
  return value
}

function writeWhole(value: number, at: number): number {
  const high = Math.floor(whole(value) / 2 ** 32)
  bytes.writeInt32BE(high, at)
  return bytes.writeUInt32BE(value - high * 2 ** 32, at + 4)
}

function writeText(value: string, at: number): number {
  if (typeof value !== 'string') throw new TypeError('not a text')
  makeRoom(at + value.length * 3)
  return at + bytes.write(value, at)
}

// Counted from the year 2000, in millionths of a second.
const epochMs = Date.UTC(2000, 0)

function writeMoment(value: Date, at: number): number {
  return writeWhole((value.getTime() - epochMs) * 1000, at)
}

// One byte that tells the version of the form goes ahead.
function writeJson(value: unknown, at: number): number {
  bytes.writeUInt8(1, at)
  return writeText(JSON.stringify(value), at + 1)
}

function writeHex(value: string, at: number): number {
  makeRoom(at + value.length)
  const written = bytes.write(value, at, 'hex')
  if (written * 2 !== value.length) throw new TypeError('not hexadecimal digits')
  return at + written
}

const dash = 45
const digits = Int8Array.from({ length: 128 }, (_, code) =>
  /[\da-f]/i.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 16) : -1,
)

function writeUuid(value: string, at: number): number {
  let end = at
  for (let index = 0; index < value.length && end < at + 16; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (value.charCodeAt(index) !== dash) break
      index += 1
    }
    const high = digits[value.charCodeAt(index)] ?? -1
    const low = digits[value.charCodeAt(index + 1)] ?? -1
    // Either may be -1, and then so is what they make.
    if ((high | low) < 0) break
    bytes[end] = (high << 4) | low
    end += 1
  }
  if (value.length !== 36 || end !== at + 16) throw new TypeError(`not a uuid: ${value}`)
  return end
}
