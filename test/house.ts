import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The rooms of `src/` by wing: a file imports from its own room and from those before it. */
export const wings: Record<string, string[]> = {
  base: ['kit', 'log', 'sealing', 'config', 'net', 'traces'],
  data: ['postgres', 'db'],
  merchants: ['catalog', 'cells', 'mail', 'clients', 'people', 'sub-merchants'],
  formats: ['tables', 'statements'],
  money: ['ledger', 'lifecycle', 'limits', 'providers', 'float', 'transactions', 'bills', 'links'],
  edge: ['wire', 'http', 'idempotency', 'requests', 'pages'],
  backoffice: ['batches', 'approvals', 'recon', 'webhooks', 'reports'],
  operations: ['retention', 'secrets', 'verify', 'drill', 'alerts', 'health'],
  doors: ['api', 'callbacks', 'pay', 'guides', 'dashboard'],
  program: ['sandbox', 'app', 'run', 'cli'],
}

export const rooms = Object.values(wings).flat()

export interface Source {
  path: string
  room: string
  text: string
  /** Paths from the root of the project. */
  imports: string[]
}

/** A file of ours, with what it imports of us. */
export function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8')
  const targets = [...text.matchAll(/(?:from|import\() ?'([.#][^']+)'/g)].map(
    ([, target = '']) => target,
  )
  const imports = targets.map((target) => {
    if (target.startsWith('.')) return normalize(join(dirname(path), target))
    return target.startsWith('#test/') ? target.slice(1) : `src/${target.slice(1)}`
  })
  return { path, room: roomOf(path), text, imports }
}

/** `src/WING/ROOM/…`; the two files in the root are the room `app`. */
export function roomOf(path: string): string {
  const [, wing = '', room = '', ...rest] = path.split('/')
  if (rest.length > 0) return room
  return wing === 'cli.ts' ? 'cli' : 'app'
}

/** The wings as a picture: what each imports from that it does not reach by way of another. */
export function drawHouse(): string {
  const arrows = new Map(Object.keys(wings).map((wing) => [wing, new Set<string>()]))
  for (const path of globSync('src/**/*.ts').filter((one) => !one.endsWith('.test.ts'))) {
    const source = readSource(path)
    for (const target of source.imports)
      if (wingOf(source.room) !== wingOf(roomOf(target)))
        arrows.get(wingOf(source.room))?.add(wingOf(roomOf(target)))
  }
  const reached = (wing: string): string[] =>
    [...(arrows.get(wing) ?? [])].flatMap((one) => [one, ...reached(one)])
  const lines = [...arrows].toReversed().flatMap(([wing, below]) => [
    `  ${wing}["<b>${wing}</b><br>${(wings[wing] ?? []).join(' · ')}"]`,
    ...[...below]
      .filter((one) => ![...below].some((other) => reached(other).includes(one)))
      .sort()
      .map((one) => `  ${wing} --> ${one}`),
  ])
  return ['```mermaid', 'flowchart TB', ...lines, '```'].join('\n')
}

function wingOf(room: string): string {
  const found = Object.entries(wings).find(([, own]) => own.includes(room))
  if (found === undefined) throw new Error(`no wing has the room ${room}`)
  return found[0]
}

const picture = /```mermaid\nflowchart TB\n {2}program\[[^]*?```/

/** ARCHITECTURE.md with its picture drawn anew. */
export function withHouse(text: string): string {
  if (!picture.test(text)) throw new Error('there is no picture of the house')
  return text.replace(picture, drawHouse())
}
