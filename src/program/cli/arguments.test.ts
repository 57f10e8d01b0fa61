import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { assertRefused, commandLine, launcher, runShell } from '#test/program.ts'

// No database is reachable here.
const passerelle = commandLine({ DATABASE_URL: 'postgresql://127.0.0.1:1/none' })

/** The names under "Commands:" in a help text, without `help`, which every command has. */
function commandsIn(help: string): string[] {
  const list = help.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? ''
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
}

describe('the command line explains itself', { concurrency: 4 }, () => {
  it('--version prints the version, and no arguments print the usage', async () => {
    const { version } = JSON.parse(
      await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
    )
    assert.equal(await passerelle.text('--version'), `${version}\n`)
    const { code, stdout, stderr } = await passerelle.run('')
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /^Usage: passerelle /)
  })

  it('the launcher says to run npm ci first when nothing is installed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-arguments-'))
    after(() => rm(folder, { recursive: true }))
    const copy = join(folder, 'passerelle.mjs')
    await copyFile(launcher, copy)
    const ended = await runShell(`'${process.execPath}' '${copy}' --help`, {})
    assertRefused(ended, /^passerelle: Passerelle is not installed yet: run npm ci first\.$/)
  })

  it('--help describes every command and every option, at each level', async () => {
    const help = await passerelle.text('--help')
    const topLevel = commandsIn(help)
    const expected = ['serve', 'migrate', 'client', 'key', 'maintenance', 'verify', 'doctor']
    for (const name of expected) assert.ok(topLevel.includes(name), name)
    const commands = [...topLevel]
    for (const command of commands) {
      const text = await passerelle.text(`${command} --help`)
      assert.match(text, new RegExp(`^Usage: passerelle ${command} `))
      // A sentence that describes the command, and no option without a description.
      assert.match(text, /\n\n[a-z][^\n]{10,}\n/)
      assert.doesNotMatch(text, /^ {2}-\S+(, --\S+)?( <[^>]+>)?\n/m)
      commands.push(...commandsIn(text).map((name) => `${command} ${name}`))
    }
    assert.ok(commands.length > 25, commands.join(', '))
  })
})

describe('wrong arguments are refused before the command runs', { concurrency: 4 }, () => {
  const hint = /^\(add --help to see how it is used\)$/
  // arguments, first line of the refusal
  const cases: [string, RegExp][] = [
    ['sing', /unknown command 'sing'/],
    ['client', /^Usage: passerelle client/],
    ['client sing', /unknown command 'sing'/],
    ['client create', /missing required argument 'name'/],
    ['client create A B', /too many arguments/],
    ['client create A --colour red', /unknown option '--colour'/],
    ['client create A --tier gold', /'gold' is invalid\. Allowed choices are standard, enterprise/],
    ['client create A --rate many', /'many' is invalid\. It must be a whole number of at least 1/],
    ['client create A --callback-url shop', /It must be an address that begins with https:\/\//],
    ['client show', /missing required argument 'client'/],
    ['client enable 1', /missing required argument 'service'/],
    ['client set-tier 1 gold', /Allowed choices are standard, enterprise/],
    ['client set-status 1 happy', /Allowed choices are pending, active, suspended/],
    ['client set 1', /at least one of --name, --callback-url, .* is needed/],
    ['client set 1 --language wo', /Allowed choices are fr, en/],
    ['mail list --state lost', /Allowed choices are kept, pending, sent, failed/],
    ['mail list --limit 0', /It must be a whole number of at least 1/],
    ['mail show', /missing required argument 'id'/],
    ['client set-fee 1 all', /at least one of --fixed and --bps is needed/],
    ['client set-fee 1 all --bps 1.5', /It must be a whole number of at least 0/],
    ['client set-limits 1 all --min 0', /It must be a whole number of at least 1/],
    ['client fund 1 --ref a', /missing required argument 'amount'/],
    ['client fund 1 500', /required option '--ref <text>' not specified/],
    ['client fund 1 0 --ref a', /It must be a whole number of at least 1/],
    ['client fund 1 12.5 --ref a', /It must be a whole number/],
    ['client fund 1 1e3 --ref a', /It must be a whole number/],
    ['client fund 1 9999999999999999 --ref a', /It must be a whole number/],
    ['client withdraw 1 --ref a -- -500', /It must be a whole number/],
    ['key issue', /missing required argument 'client'/],
    ['key issue 1 --rate 0', /It must be a whole number of at least 1/],
    ['key rotate a --overlap soon', /It must be a duration such as 90s, 30m, 24h or 7d/],
    ['key rotate a --overlap 24', /It must be a duration/],
    ['key revoke', /missing required argument 'key-id'/],
    ['transaction list 1 --from 2026-02-30', /It must be a time such as 2026-01-31/],
    ['block add 770000001 --until 2026-13-01', /It must be a time such as/],
    ['maintenance close', /unknown command 'close'/],
    ['verify --anchors', /option '--anchors <file>' argument missing/],
  ]
  for (const [args, refusal] of cases)
    it(`passerelle ${args} is refused`, async () => {
      const { code, stdout, stderr } = await passerelle.run(args)
      const lines = stderr.split('\n').filter(Boolean)
      assert.equal(code, 1, stderr)
      assert.equal(stdout, '')
      assert.match(lines[0] ?? '', refusal)
      if (!stderr.startsWith('Usage:')) assert.match(lines.at(-1) ?? '', hint)
      assert.doesNotMatch(stderr, /^ {4}at /m)
    })

  it('an unreachable database is reported in one sentence, or as JSON', async () => {
    const sentence = /The database of DATABASE_URL cannot be used: connect ECONNREFUSED/
    assertRefused(await passerelle.run('client show 1'), sentence)
    const { code, stdout, stderr } = await passerelle.run('client show 1 --json')
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    const { success, message } = JSON.parse(stderr)
    assert.equal(success, false)
    assert.match(message.join(), sentence)
  })
})
