import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import type { Argument, Command, Option } from 'commander'
import { commandLine, dataFolder } from '#test/program.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { makeProgram } from './program.ts'

// A folder in which somebody types a command by mistake.
const folder = await dataFolder()
const DATA_DIR = join(folder, '.data')
const file = join(await dataFolder(), 'file')
await writeFile(file, '{}')
// Nor is there a gateway.
const environment = { DATA_DIR, PUBLIC_URL: 'http://127.0.0.1:1', PORT: '0' }
const passerelle = commandLine(environment, 'shared')
const sentence =
  `passerelle: There is no database in ${DATA_DIR}: name its folder in DATA_DIR, or another one ` +
  'in DATABASE_URL; `serve` and `migrate up` make a new one.\n'

/** These make a database. */
const makers = new Set(['serve', 'migrate up'])
/** These need none: what they print, or why they stop. */
const others: Record<string, RegExp> = {
  pay: /No gateway answers/,
  listen: /No gateway answers/,
  trigger: /No gateway answers/,
  open: /No gateway answers/,
  drill: /RESTORE_COMMAND is not set/,
  'alert test': /ALERTMANAGER_URL is not set/,
  doctor: /WARNING {2}there is no database in \S+ yet: `serve` will make it/,
}
/** What a command wants beside what commander tells of it. */
const more: Record<string, string> = {
  'client set': '--name A',
  'client set-fee': '--bps 100',
  'client adjust': '--from fees',
  'user create': '--operator auditor',
  'float set': '--warn 1',
  'recon mapping set': '--remove',
  pay: '--yes',
  trigger: 'cashout.success',
  open: '1',
}

const values = ['1', '2026-01-31', '24h', 'http://127.0.0.1:1', file]

/** A value that the argument or option takes. */
function valueFor(one: Argument | Option): string {
  if (one.name() === 'file') return file
  const [choice] = one.argChoices ?? []
  const takes = (value: string) => {
    try {
      one.parseArg?.(value, undefined)
      return true
    } catch {
      return false
    }
  }
  return choice ?? values.find(takes) ?? ''
}

/** Every command that does something, and the least that it must be given. */
function commandsOf(command: Command, path: string[] = []): [name: string, args: string][] {
  if (command.commands.length > 0)
    return command.commands.flatMap((one) => commandsOf(one, [...path, one.name()]))
  const name = path.join(' ')
  const needed = command.registeredArguments.filter(({ required }) => required)
  const options = command.options.filter(({ mandatory }) => mandatory)
  const given = options.flatMap((option) => [option.long ?? '', valueFor(option)])
  return [[name, [name, ...needed.map(valueFor), ...given, more[name] ?? ''].join(' ').trim()]]
}

const commands = commandsOf(await makeProgram()).filter(([name]) => !makers.has(name))

describe('where there is no database', () => {
  for (const [name, args] of commands)
    it(`${name} makes none`, async () => {
      const { code, stdout, stderr } = await passerelle.run(args)
      const other = others[name]
      if (other === undefined) assert.deepEqual([code, stdout, stderr], [2, '', sentence])
      else assert.match(stdout + stderr, other)
      assert.deepEqual(await readdir(folder), [])
    })
})

slowTest('migrate up makes one', async () => {
  await passerelle.text('migrate up')
  assert.match(await passerelle.text('client list'), /^Client +Name +State/)
})
