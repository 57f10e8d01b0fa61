import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import type { Command } from 'commander'
import { makeProgram } from '#program/cli/program.ts'
import { withRuns as withBenchRuns } from '../bench/runs-text.ts'
import { withFailovers, withRuns } from '../chaos/runs-text.ts'

const documents = globSync([
  '*.md',
  '{bench,chaos,deploy,docs,examples,guides,lab,sdk,test}/**/*.md',
]).filter((path) => !path.includes('node_modules'))
const read = (path: string) => readFileSync(path, 'utf8')

describe('the documents', () => {
  it('have links that lead somewhere', () => {
    const broken = documents.flatMap((path) =>
      linksOf(read(path))
        .filter((link) => !leads(path, link))
        .map((link) => `${path}: ${link}`),
    )
    assert.deepEqual(broken, [])
  })

  it('name only files that exist', () => {
    const known = globSync('{bench,chaos,deploy,docs,guides,lab,migrations,sdk,src,test}/**/*')
    const missing = documents.flatMap((path) =>
      [...read(path).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|md|sql|cfg))`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !known.some((file) => `/${file}`.endsWith(`/${name}`)))
        .map((name) => `${path}: ${name}`),
    )
    assert.deepEqual(missing, [])
  })

  it('name only commands and options that there are', async () => {
    const program = await makeProgram()
    const called = documents
      // What they say of releases before this one.
      .filter((path) => path !== 'CHANGELOG.md' && path !== 'docs/upgrading.md')
      .flatMap((path) => commandsIn(read(path)).map((words) => ({ path, words })))
    assert.ok(called.length > 100)
    const wrong = called
      .filter(({ words }) => !isCommand(program, words))
      .map(({ path, words }) => `${path}: ${words.join(' ')}`)
    assert.deepEqual(wrong, [])
  })

  it('show the runs that were kept: npm run write runs', () => {
    for (const [path, made] of [
      ['docs/reliability.md', withRuns],
      ['docs/availability.md', withFailovers],
      ['docs/performance.md', withBenchRuns],
    ] as const)
      assert.equal(read(path), made(read(path)), path)
  })

  it('link each page once in the README', () => {
    const links = linksOf(read('README.md')).map((link) => link.replace(/#.*/, ''))
    assert.deepEqual(
      links.filter((link, at) => links.indexOf(link) !== at),
      [],
    )
    assert.ok(read('README.md').split('\n').length <= 101)
  })
})

describe('the index of decisions', () => {
  const index = read('docs/decisions/README.md')
  const rows = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((\S+)\) \| (.*) \| (.*) \| (.*) \|$/gm)]

  it('has each record once, in the order of the numbers, with topic, date and status', () => {
    const files = globSync('docs/decisions/[0-9]*.md').sort()
    assert.deepEqual(
      rows.map(([, , , file]) => `docs/decisions/${file}`),
      files,
    )
    for (const [row, number = '', title = '', file = '', topic, date = '', status = ''] of rows) {
      assert.equal(Number(file.slice(0, 4)), Number(number), row)
      assert.ok(read(`docs/decisions/${file}`).startsWith(`# ${number}. ${title}\n`), row)
      assert.ok(topic, row)
      assert.match(date, /^\d{4}-\d\d-\d\d$/, row)
      assert.match(status, /^(accepted|replaced by \d+|given up)/, row)
    }
  })

  it('says of each number what became of it', () => {
    const [, gone = ''] = /^Removed[^]*$/m.exec(index)?.[0].split('|--:|---|---|') ?? []
    const removed = [...gone.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, numbers = '']) =>
      numbers.split(', ').map(Number),
    )
    const kept = rows.map(([, number]) => Number(number))
    assert.deepEqual(
      [...removed, ...kept].sort((one, other) => one - other),
      Array.from({ length: Math.max(...kept) }, (_, at) => at + 1),
    )
  })
})

/** The words of each `passerelle …` in the code of a document, its options without their values. */
function commandsIn(text: string): string[][] {
  const code = [...text.matchAll(/```[\s\S]*?```|`[^`]+`/g)].map(([span]) => span).join('\n')
  const lines = code.replaceAll(/\\\n|(?<!`)\n(?=\s{2,})/g, ' ')
  const calls = lines.matchAll(/(?:^|`|npx |&& |; )passerelle ((?:[\w-]+ ?)[^`\n|&;#)]*)/gm)
  return [...calls].map(([, rest = '']) =>
    rest.split(/\s+/).filter((word, at) => at < 2 || word.startsWith('--')),
  )
}

function isCommand(program: Command, [first, second, ...more]: string[]): boolean {
  const verb = program.commands.find((one) => one.name() === first)
  if (verb === undefined) return first?.startsWith('-') ?? true
  const own = verb.commands.find((one) => one.name() === second)
  const isPlain = second === undefined || !/^[a-z][a-z-]*$/.test(second)
  if (verb.commands.length > 0 && own === undefined && !isPlain) return false
  const known = new Set(
    [program, verb, own, ...(own?.commands ?? [])].flatMap(
      (one) => one?.options.map(({ long }) => long) ?? [],
    ),
  )
  return [second, ...more]
    .filter((word) => word?.startsWith('--'))
    .every((word) => word === '--help' || known.has(word))
}

/** Where the links of a document lead, without those of its examples. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(([, link = '']) => link)
}

function leads(from: string, link: string): boolean {
  if (/^[a-z]+:/.test(link) || link.startsWith('/')) return true
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : join(dirname(from), path)
  // Guides name their examples and each other as the gateway serves them.
  if (!existsSync(target)) return from.startsWith('guides/') && existsSync(`${target}.md`)
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(read(target)).has(anchor)
}

/** The anchors that GitHub gives the headings of a document, and the gateway those of guides. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].flatMap(([, heading = '']) => {
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-')
      return [anchor, anchor.normalize('NFD').replaceAll(/\p{M}/gu, '')]
    }),
  )
}
