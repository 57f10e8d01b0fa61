import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isCellName } from '../kit/cell-names.ts'
import { isUuid } from '../kit/ids.ts'
import { Problem } from '../kit/problem.ts'

/** One cell, and where its gateway processes listen. */
export interface Cell {
  name: string
  servers: string[]
}

/** Everything that the way in to the cells knows. */
export interface Cells {
  /** Where the way in listens, such as `*:443`. */
  listen: string
  /** A file with certificate, chain and private key; null: without TLS. */
  tls: string | null
  /** Takes what names no cell. */
  defaultCell: string
  cells: Cell[]
  /** What is answered by another cell than the one that it names. */
  movedKeys: Map<string, string>
  movedLinks: Map<string, string>
  movedClients: Map<string, string>
}

type Json = Record<string, unknown>
type Refuse = (sentence: string) => void

const digest = /^[0-9a-f]{64}$/
const server = /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/

/** Reads the file of cells, or throws everything that is wrong with it. */
export function readCellsFile(path: string): Cells {
  const problems: string[] = []
  const textOf = (file: string) => readText(resolve(dirname(path), file))
  const cells = readCells(objectIn(readText(path), path), (one) => void problems.push(one), {
    linesOf: (file) => textOf(file).split('\n').filter(Boolean),
    listIn: (file) => parsed(textOf(file), file),
  })
  if (problems.length > 0)
    throw new Problem([`${path} cannot be used:`, ...problems.map((one) => `- ${one}`)].join('\n'))
  return cells
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (wrong) {
    throw new Problem(`${path} cannot be read: ${(wrong as Error).message}.`)
  }
}

function objectIn(text: string, path: string): Json {
  const value = parsed(text, path)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Problem(`${path} must hold a JSON object.`)
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (wrong) {
    throw new Problem(`${path} is not valid JSON: ${(wrong as Error).message}.`)
  }
}

/** Files that the file of cells names. */
interface Files {
  linesOf(file: string): string[]
  listIn(file: string): unknown
}

/** Reads the content of a file of cells, and refuses each thing that is wrong. */
export function readCells(file: Json, refuse: Refuse, files: Files): Cells {
  const cells = listOf(file.cells, 'cells', refuse).map((one, index) =>
    readCell(one, `cells[${index}]`, refuse),
  )
  const names = new Set(cells.map(({ name }) => name))
  if (cells.length === 0) refuse('cells must be a list with one cell at least')
  if (names.size < cells.length) refuse('each cell must have a name of its own')
  const servers = cells.flatMap((one) => one.servers)
  for (const one of new Set(servers.filter((it, index) => servers.indexOf(it) !== index)))
    refuse(`${one} is the server of more than one cell`)
  const defaultCell = file.default ?? cells[0]?.name
  if (typeof defaultCell !== 'string' || !names.has(defaultCell))
    refuse(`default must be the name of a cell, not ${JSON.stringify(file.default)}`)
  const { listen = '*:8080', tls = null } = file
  if (typeof listen !== 'string' || !/^(\*|[\w.:[\]-]+):\d{1,5}$/.test(listen))
    refuse('listen must be an address and a port, such as *:443')
  if (tls !== null && (typeof tls !== 'string' || !/^\/[^\s"';{}]+$/.test(tls)))
    refuse('tls must be the path of a file with certificate and key, from the root')
  const read = {
    listen: String(listen),
    tls: typeof tls === 'string' ? tls : null,
    defaultCell: typeof defaultCell === 'string' ? defaultCell : '',
    cells,
    movedKeys: new Map<string, string>(),
    movedLinks: new Map<string, string>(),
    movedClients: new Map<string, string>(),
  }
  const moved = listOf(file.moved, 'moved', refuse).flatMap((one, index) =>
    typeof one === 'string'
      ? listOf(files.listIn(one), one, refuse).map((item, at) => ({ item, at: `${one}[${at}]` }))
      : [{ item: one, at: `moved[${index}]` }],
  )
  const entries = moved.map(({ item, at }) => ({ entry: (item ?? {}) as Json, at }))
  const cellOf = followMoves(entries.map(({ entry }) => entry))
  for (const { entry, at } of entries)
    readMoved({ ...entry, to: cellOf(entry) }, at, { read, names, refuse, files })
  const known = ['default', 'listen', 'tls', 'cells', 'moved']
  for (const name of Object.keys(file).filter((one) => !known.includes(one)))
    refuse(`${name} is not known here: the fields are ${known.join(', ')}`)
  return read
}

function listOf(value: unknown, at: string, refuse: Refuse): unknown[] {
  if (value !== undefined && !Array.isArray(value)) refuse(`${at} must be a list`)
  return Array.isArray(value) ? value : []
}

function readCell(value: unknown, at: string, refuse: Refuse): Cell {
  const { name, servers } = (value ?? {}) as Json
  if (typeof name !== 'string' || !isCellName(name))
    refuse(`${at}.name must be a small letter and up to 11 small letters or digits, such as c1`)
  const addresses = listOf(servers, `${at}.servers`, refuse).map(String)
  if (addresses.length === 0) refuse(`${at}.servers must be a list with one server at least`)
  for (const one of addresses.filter((it) => !server.test(it)))
    refuse(`${at}.servers: ${one} is not a host and a port, such as 10.0.0.1:8080`)
  return { name: String(name), servers: addresses }
}

/** Where a client is that was moved more than once: it never comes back to a cell. */
function followMoves(entries: Json[]): (entry: Json) => unknown {
  const next = new Map(entries.map(({ client, from, to }) => [keyOf(client, from), to]))
  return ({ client, to }) => {
    const left = new Set<unknown>()
    let cell = to
    while (next.has(keyOf(client, cell)) && !left.has(cell)) {
      left.add(cell)
      cell = next.get(keyOf(client, cell))
    }
    return cell
  }
}

function keyOf(client: unknown, cell: unknown): string {
  return JSON.stringify([client, cell])
}

interface Reading {
  read: Cells
  names: Set<string>
  refuse: Refuse
  files: Files
}

/** A merchant that was moved: what it has named its first cell, and is now answered by another. */
function readMoved(moved: Json, at: string, { read, names, refuse, files }: Reading): void {
  const { client, to } = moved
  if (typeof to !== 'string' || !names.has(to)) return refuse(`${at}.to must be the name of a cell`)
  if (!Number.isSafeInteger(client) || Number(client) < 1 || Number(client) > 999_999_999)
    refuse(`${at}.client must be the number of a client`)
  const lists = [
    ['keys', digest, 'a SHA-256 in 64 small hexadecimal digits', read.movedKeys],
    ['links', { test: isUuid }, 'the id of a link', read.movedLinks],
  ] as const
  read.movedClients.set(String(client), to)
  for (const [field, form, what, map] of lists) {
    const value = moved[field] ?? []
    const items =
      typeof value === 'string'
        ? files.linesOf(value)
        : listOf(value, `${at}.${field}`, refuse).map(String)
    const wrong = items.filter((one) => !form.test(one))
    // A key that was written here by mistake is not repeated.
    if (wrong.length > 0)
      refuse(`${at}.${field}: ${wrong.length} of ${items.length} are not ${what}`)
    for (const one of items) map.set(one, to)
  }
}
