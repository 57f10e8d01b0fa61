import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type ExampleLink, exampleLinks } from '#doors/guides/examples.ts'
import type { Need } from './needs.ts'

/** An example of the guides and what it is run with. */
export interface Example extends ExampleLink {
  code: string
}

/** The examples of a guide, in the order of reading. */
export function examplesOf(guide: string, language = 'en'): Example[] {
  return exampleLinks(readFileSync(`guides/${language}/${guide}.md`, 'utf8')).map((link) => ({
    ...link,
    code: readFileSync(`guides/examples/${link.guide}/${link.id}.${link.extension}`, 'utf8'),
  }))
}

/** The programs that run examples, by their extension. */
export const interpreters: Record<string, string> = {
  sh: 'bash',
  ts: process.execPath,
  php: 'php',
  py: 'python3',
}

/** What an example needs beside npm's packages, also for those that it goes on from. */
export function needsOf(example: Example, all: Example[]): Need[] {
  const { id, extension, code, after } = example
  const own: Need[] = extension === 'php' ? ['php'] : extension === 'py' ? ['python3'] : []
  // A receiver takes the webhook of the payment that its guide makes.
  const earlier = id.startsWith('receiver') ? 'pay' : after
  const before = all.find((one) => one.id === earlier && one.extension === 'sh')
  if (extension === 'sh' && /\bcurl\b/.test(code)) own.push('curl')
  if (extension === 'sh' && /\bnpx\b/.test(code)) own.push('npx')
  return [...new Set([...own, ...(before === undefined ? [] : needsOf(before, all))])]
}

// As on a reader's machine: its own programs, not the Node of this package.
const PATH = process.env.PATH?.split(':')
  .filter((folder) => !folder.endsWith('node_modules/.bin'))
  .join(':')

/** Starts a program, in a group of its own, and collects what it prints. npm has no registry. */
export function start(command: string, words: string[], env: Record<string, string>, cwd: string) {
  const own = { PATH, HOME: cwd, npm_config_registry: 'http://127.0.0.1:9/' }
  const child = spawn(command, words, { cwd, env: { ...own, ...env }, detached: true })
  let output = ''
  let errors = ''
  child.stdout.on('data', (block) => (output += String(block)))
  child.stderr.on('data', (block) => (errors += String(block)))
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return {
    output: () => output,
    errors: () => errors,
    ended,
    stop: async () => {
      // The group of a program that has ended is no longer there.
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid)
      await ended
    },
  }
}

const elided = '…'

/**
 * How an answer differs from the one that a guide shows: fields, types, and words in capitals such
 * as statuses and codes. A field `…` in the guide: others are left out.
 */
export function differencesOf(shown: unknown, actual: unknown, where = 'answer'): string[] {
  if (shown === elided) return []
  if (Array.isArray(shown) && Array.isArray(actual)) {
    if (actual.length === 0 && shown.length > 0) return [`${where} is empty`]
    return shown.slice(0, 1).flatMap((one) => differencesOf(one, actual[0], `${where}[0]`))
  }
  if (isObject(shown) && isObject(actual)) {
    const { [elided]: isPartial, ...fields } = shown
    const missing = Object.keys(fields).filter((name) => !(name in actual))
    const unknown = Object.keys(actual).filter((name) => !(name in fields))
    return [
      ...missing.map((name) => `${where} has no ${name}`),
      ...(isPartial === undefined ? unknown.map((name) => `${where} also has ${name}`) : []),
      ...Object.entries(fields).flatMap(([name, value]) =>
        name in actual ? differencesOf(value, actual[name], `${where}.${name}`) : [],
      ),
    ]
  }
  const isWord = typeof shown === 'boolean' || /^[A-Z][A-Z_]+$/.test(String(shown))
  const isSame = isWord ? shown === actual : typeOf(shown) === typeOf(actual)
  return isSame ? [] : [`${where} is ${JSON.stringify(actual)}, not like ${JSON.stringify(shown)}`]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
