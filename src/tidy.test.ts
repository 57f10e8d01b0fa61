import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { french } from '#edge/wire/french.ts'
import { readSource, roomOf, rooms, type Source, wings, withHouse } from '#test/house.ts'

// Commands that open the rooms themselves, or run without them. This list may only shrink.
const openingRooms = ['src/program/cli/drill.ts', 'src/program/cli/session.ts']
const doors = new Set(wings.doors)
// What these refuse is read in a terminal or a log, in English.
const silentRooms = new Set(['cli', 'config', 'drill', 'postgres', 'sandbox', 'sealing'])
// Operators choose a client's status freely.
const choosingStates = ['src/merchants/clients/store.ts']
// Reconciliation has tables of its own.
const steppingRooms = new Set(['lifecycle', 'recon'])
const forbiddenNames = /(^|\/)(utils?|common|helpers?|misc|index)\.ts$/

const sources = globSync('src/**/*.ts').map(readSource)
const everything = [
  ...sources,
  ...globSync('{lab,bench,chaos,test,deploy,examples}/**/*.ts').map(readSource),
  ...globSync('sdk/typescript/{src,test}/**/*.ts').map(readSource),
]
const code = sources.filter(({ path }) => !path.endsWith('.test.ts'))

function isOfTests(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/')
}

/** Comments say what code does not do; only the code itself counts here. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}

/**
 * Where functions begin and how long they are. By indentation, which the formatter guarantees: a
 * function ends at the first line that closes a brace in the column where its first line begins.
 */
function functionLengths(text: string): { line: number; length: number }[] {
  const declared = /^( *)(?:export )?(?:default )?(?:async )?function\b/
  const assigned = /^( *)(?:export )?(?:const \w+ =|[\w.]+:|return) .*=> \{$/
  const method = /^( *)(?:async )?[\w#]+\(.*\)(?:: .*)? \{$/
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const [, indent] = declared.exec(line) ?? assigned.exec(line) ?? method.exec(line) ?? []
    if (indent === undefined || /^ *(if|for|while|switch|else)\b/.test(line)) return []
    const end = lines.findIndex((one, at) => at > index && one.startsWith(`${indent}}`))
    return [{ line: index + 1, length: end - index + 1 }]
  })
}

/** Whether a file calls what another room's store exports; types are no calls. */
function importsStore(text: string): boolean {
  const named = /^import \{([^}]*)\} from '#[^']*store\.ts'/gm
  return [...text.matchAll(named)].some(([, names = '']) =>
    names.split(',').some((name) => name.trim() !== '' && !name.trim().startsWith('type ')),
  )
}

/** What SQL writes into columns: all between `set` and `where`, `from` or `returning`. */
function assignmentsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:update [^`]*?|)\bset\b([^`]*)/g)].map(([, clause = '']) => {
    let flat = clause.replaceAll(/\$\{[^}]*\}/g, '')
    while (/\([^()]*\)/.test(flat)) flat = flat.replaceAll(/\([^()]*\)/g, '')
    return (
      flat.replaceAll(/\bcase\b[^]*?\bend\b/g, '').split(/\b(?:where|from|returning)\b/)[0] ?? ''
    )
  })
}

function offenders(files: Source[], isBad: (source: Source) => boolean): string[] {
  return files.filter(isBad).map(({ path }) => path)
}

describe('the house is tidy', () => {
  it('knows every room', () => {
    assert.deepEqual(
      offenders(sources, ({ room }) => !rooms.includes(room)),
      [],
    )
  })

  it('has each room in its wing', () => {
    const wrong = Object.entries(wings).flatMap(([wing, own]) =>
      own.filter((room) => room !== 'app' && !existsSync(`src/${wing}/${room}`)),
    )
    assert.deepEqual(wrong, [])
  })

  it('imports from afar by name, and never up through two folders', () => {
    const wrong = offenders(sources, ({ text }) =>
      /(from|import\() ?'(\.\.\/){2,}(?!\.\.\/|(lab|bench|deploy)\/)/.test(text),
    )
    assert.deepEqual(wrong, [])
  })

  it('keeps little in kit: what has a purpose of its own gets a room', () => {
    const texts = code.filter(({ room }) => room === 'kit').map(({ text }) => text)
    assert.ok(texts.join('').split('\n').length < 1000)
  })

  it('imports only from rooms before', () => {
    const wrong = code.flatMap(({ path, room, imports }) =>
      imports
        .filter((target) => target.startsWith('src/'))
        .filter((target) => rooms.indexOf(roomOf(target)) > rooms.indexOf(room))
        .map((target) => `${path} -> ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('imports in no circles', () => {
    const isYet = (path: string) => path.startsWith('src/doors/dashboard/frame/')
    const left = new Map(
      code.map(({ path, imports }) => [
        path,
        imports.filter((one) => !(isYet(path) && isYet(one))),
      ]),
    )
    // Files that import nothing of what is left, or that nothing left imports, are in no circle.
    for (let before = -1; before !== left.size; ) {
      before = left.size
      const imported = new Set([...left.values()].flat())
      for (const [path, imports] of left)
        if (!imported.has(path) || !imports.some((one) => left.has(one))) left.delete(path)
    }
    assert.deepEqual([...left.keys()], [])
  })

  it('keeps doors apart', () => {
    const wrong = code.flatMap(({ path, room, imports }) =>
      imports
        .map(roomOf)
        .filter((other) => other !== room && doors.has(other) && doors.has(room))
        .map((other) => `${path} -> ${other}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('hands opened rooms to doors and commands: no store, and no database', () => {
    const database = /(?<![/#])\bdb\b(?!\/)|\bDb\b/
    const isOpening = ({ text }: Source) =>
      importsStore(text) || database.test(withoutComments(text).replaceAll(/'[^'\n]*'/g, "''"))
    const found = code.filter(({ room }) => doors.has(room) || room === 'cli').filter(isOpening)
    assert.deepEqual(
      found.map(({ path }) => path),
      openingRooms,
    )
  })

  it('hands doors no clock: when a request came, its id tells', () => {
    const clock = /\bClock\b|\bsystemClock\b|\bclock\.now\b/
    const taking = offenders(
      code,
      ({ room, text }) => doors.has(room) && clock.test(withoutComments(text)),
    )
    assert.deepEqual(
      taking.filter((path) => !path.startsWith('src/doors/dashboard/frame/')),
      [],
    )
  })

  it('gives verbs their parts and the order, in one shape: no clock beside a database', () => {
    const beside = /\((?:db|tx|run): [^){]*\b(?:clock: Clock|at: Date, order)\b/
    const verbs = code.filter(({ room }) => room !== 'sandbox')
    assert.deepEqual(
      offenders(verbs, ({ text }) => beside.test(text)),
      [],
    )
  })

  it('imports nothing from outside src', () => {
    const wrong = code.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !target.startsWith('src/'))
        .map((target) => `${path} -> ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('has each endpoint in the file of its path', () => {
    const endpoints = code.filter(({ path }) => path.startsWith('src/doors/api/v1/'))
    const wrong = endpoints.filter(({ path, text }) => {
      const url = path
        .replace(/^src\/doors/, '')
        .replace(/\.ts$/, '')
        .replaceAll('/_', '/:')
      return !text.includes(`'${url}'`)
    })
    assert.ok(endpoints.length > 0)
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    )
  })

  it('has each page of the dashboard in the file of its path, and lists it in routes.ts', () => {
    const pages = code.filter(
      ({ path, text }) =>
        path.startsWith('src/doors/dashboard/') && /^export default function/m.test(text),
    )
    const routes = code.filter(({ path }) =>
      /^src\/doors\/dashboard\/(ops-)?routes\.ts$/.test(path),
    )
    const isListed = (path: string) => routes.some(({ imports }) => imports.includes(path))
    const wrong = pages.filter(({ path, text }) => {
      const url = path
        .replace(/^src\/doors/, '')
        .replace(/\.ts$/, '')
        .replaceAll('/_', '/:')
      const own = url === '/dashboard/home' ? '/dashboard' : url
      return !text.includes(`'${own}'`) || !isListed(path)
    })
    assert.ok(pages.length > 4)
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    )
  })

  it('lists every endpoint in app.ts', () => {
    const app = code.find(({ path }) => path === 'src/app.ts')
    const endpoints = code.filter(({ path }) => path.startsWith('src/doors/api/v1/'))
    assert.deepEqual(
      offenders(endpoints, ({ path }) => !app?.imports.includes(path)),
      [],
    )
  })

  it('writes SQL only in stores, db/ and postgres/', () => {
    const statement = /\b(db|tx|run)(<[^`]*>)?`|`\s*(select|insert|update|delete|with|create)\b/i
    const wrong = offenders(
      code,
      ({ path, room, text }) =>
        !['db', 'postgres'].includes(room) &&
        !/(^|[/-])store\.ts$/.test(path) &&
        statement.test(withoutComments(text)),
    )
    assert.deepEqual(wrong, [])
  })

  it("writes a room's tables only in that room", () => {
    const owners = new Map<string, string>()
    const wrong: string[] = []
    for (const { path, room, text } of code.filter(({ path }) => path.endsWith('store.ts')))
      for (const [, table = ''] of text.matchAll(
        /\b(?:insert into|(?<!do |for )update|delete from) ([a-z_]+)/g,
      ))
        if ((owners.get(table) ?? room) === room) owners.set(table, room)
        else wrong.push(`${path} writes ${table} of ${owners.get(table)}`)
    assert.ok(owners.size > 5)
    assert.deepEqual(wrong, [])
  })

  it('changes states by tables of transitions alone, and statuses in the lifecycle alone', () => {
    const schema = readFileSync('schema.sql', 'utf8')
    const columns = [...schema.matchAll(/^ {2}(\w*(?:state|status)) text/gm)].map(([, one]) => one)
    assert.ok(columns.includes('state') && columns.includes('status'))
    const stepless = new RegExp(`(?<!["\\w.])(${[...new Set(columns)].join('|')}) =`)
    assert.deepEqual(
      offenders(
        code.filter(({ path, room }) => !steppingRooms.has(room) && path.endsWith('store.ts')),
        ({ text }) => assignmentsIn(text).some((one) => stepless.test(one)),
      ),
      choosingStates,
    )
  })

  it('reads the environment only in config/config.ts and config/developer.ts', () => {
    const wrong = offenders(
      code,
      ({ path, text }) =>
        !['config', 'developer'].some((name) => path === `src/base/config/${name}.ts`) &&
        /process\.env\b/.test(withoutComments(text)),
    )
    assert.deepEqual(wrong, [])
  })

  it('reads the time only in kit/clock.ts', () => {
    const time = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|process\.hrtime/
    const wrong = offenders(
      code,
      ({ path, text }) => path !== 'src/base/kit/clock.ts' && time.test(withoutComments(text)),
    )
    assert.deepEqual(wrong, [])
  })

  it('knows no HTTP and no odd names left of wire', () => {
    const odd = /\b(INITIATED_AT|ApiTransactionId|callBackURL|reference_client|ItemPrice)\b|fastify/
    const left = code.filter(
      ({ room }) => room !== 'kit' && rooms.indexOf(room) < rooms.indexOf('wire'),
    )
    assert.deepEqual(
      offenders(left, ({ text }) => odd.test(withoutComments(text))),
      [],
    )
  })

  it('has no barrels and no rooms of odds and ends', () => {
    const wrong = offenders(
      code,
      ({ path, text }) => forbiddenNames.test(path) || /^export \* from/m.test(text),
    )
    assert.deepEqual(wrong, [])
  })

  it('keeps files and lines short', () => {
    const written = everything.filter(({ path }) => path !== 'sdk/typescript/src/interface.ts')
    const wrong = written.flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n')
      const most = isOfTests(path) ? 500 : 300
      return [
        ...(lines.length > most ? [`${path}: ${lines.length} lines`] : []),
        ...lines.flatMap((line, index) => (line.length > 100 ? [`${path}:${index + 1}`] : [])),
      ]
    })
    assert.deepEqual(wrong, [])
  })

  it('keeps functions within 70 lines', () => {
    const lengths = everything
      .filter(({ path }) => !isOfTests(path))
      .flatMap(({ path, text }) =>
        functionLengths(text).map(({ line, length }) => ({ at: `${path}:${line}`, length })),
      )
    assert.ok(lengths.length > 1000, `${lengths.length} functions were seen`)
    assert.deepEqual(
      lengths.filter(({ length }) => length > 70),
      [],
    )
  })

  it('has one French word for providers', () => {
    assert.deepEqual(
      offenders(code, ({ text }) => /fournisseur/i.test(text)),
      [],
    )
  })

  it('has a line for each room in ARCHITECTURE.md', () => {
    const text = readFileSync('ARCHITECTURE.md', 'utf8')
    assert.deepEqual(
      rooms.filter((room) => !text.includes(`| \`${room}/\` |`)),
      [],
    )
  })

  it('is drawn in ARCHITECTURE.md as it is: npm run write house', () => {
    const text = readFileSync('ARCHITECTURE.md', 'utf8')
    assert.equal(text, withHouse(text))
  })

  it('names only files in ARCHITECTURE.md that exist', () => {
    const text = readFileSync('ARCHITECTURE.md', 'utf8')
    const names = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
    const known = everything.map(({ path }) => `/${path}`)
    assert.ok(names.length > 30)
    assert.deepEqual(
      names.filter((name) => !known.some((path) => path.endsWith(`/${name}`))),
      [],
    )
  })

  it('asks for no Node in the lockfile: `npm run write lockfile` takes those out', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const names = Object.keys(packages).filter((name) => name !== '')
    assert.ok(names.length > 100)
    assert.deepEqual(
      names.filter((name) => 'engines' in packages[name]),
      [],
    )
  })

  it('opens rooms in open.ts, and uses the context of a room only inside it', () => {
    const opened = code.filter(({ path }) => path.endsWith('/open.ts'))
    assert.ok(opened.length >= 8)
    assert.deepEqual(
      offenders(opened, ({ text }) => !/^export function open[A-Z]/m.test(text)),
      [],
    )
    const foreign = code.flatMap(({ path, room, text }) =>
      [...text.matchAll(/\b(transactions|links)\.context\b/g)]
        .filter(([, owner]) => owner !== room)
        .map(([use]) => `${path}: ${use}`),
    )
    assert.deepEqual(foreign, [])
  })

  it('says in French all that it says to callers', () => {
    const spoken = code
      .filter(({ path, room }) => !silentRooms.has(room) && !/\/french[^/]*\.ts$/.test(path))
      .flatMap(({ path, text }) => sentencesIn(text).map((sentence) => ({ path, sentence })))
    assert.ok(spoken.length > 400, `${spoken.length} sentences were found`)
    assert.deepEqual(
      spoken.filter(({ sentence }) => !(sentence in french)),
      [],
    )
  })
})

/**
 * Every sentence that a refusal or a reason is made of: written where it is thrown, also one of
 * several to choose from, or in a constant; and every other text with a place for a value.
 */
function sentencesIn(text: string): string[] {
  const joined = withoutComments(text).replaceAll(/'\s*\+\s*'/g, '')
  const constants = [...joined.matchAll(/\bconst (\w+) =([^]*?)\n\s*(?=[a-z]+ |\}|\n)/g)]
  const starts = [...joined.matchAll(/\b(?:reason|new Refusal|new TableProblem)\(/g)]
  const thrown = starts.flatMap(({ index, 0: { length } }) => {
    const call = joined.slice(index, endOfCall(joined, index + length))
    const used = constants.filter(([, name]) => new RegExp(`[(,?:] *${name}\\b`).test(call))
    return [call, ...used.map(([, , value = '']) => value)].flatMap(textsIn)
  })
  const filled = textsIn(joined).filter((one) => /(?<!\$)\{\w+\}/.test(one))
  return [...thrown, ...filled].filter((one) => /^[A-Z{][^"]* [^ ]+ /.test(one))
}

function textsIn(code: string): string[] {
  const written = /'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"/g
  return [...code.matchAll(written)].map(([, one, other = '']) =>
    (one ?? other).replaceAll("\\'", "'"),
  )
}

/** Where the parentheses are closed that were opened just before a place. */
function endOfCall(text: string, start: number): number {
  let [open, at] = [1, start]
  while (open > 0 && at < text.length) {
    const [string] =
      /^'(?:[^'\\\n]|\\.)*'|^"(?:[^"\\\n]|\\.)*"|^`[^`]*`/.exec(text.slice(at, at + 2000)) ?? []
    if (string === undefined) open += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
    at += string?.length ?? 1
  }
  return at
}
