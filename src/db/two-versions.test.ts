import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { startLab } from '../../lab/server.ts'
import { emptyDatabase } from '../../test/database.ts'
import { call, initBody, isEnd, until } from '../../test/live.ts'
import { missing } from '../../test/needs.ts'
import type { Gateway } from '../../test/program.ts'
import { commandLine, dataFolder, launcher, startGateway } from '../../test/program.ts'
import { slowTest } from '../../test/size.ts'
import { eventually } from '../../test/wait.ts'

/*
 * The gateway from before the newest migrations and that of now, both as programs on one database:
 * what docs/upgrading.md promises of an upgrade and of going back. PASSERELLE_BEFORE names another
 * commit than the one before the third newest migration.
 */

const project = new URL('../..', import.meta.url).pathname
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim()
const secret = 'sk_sandbox_demo_enterprise'

/** The commit before the third newest migration was added; none in a shallow clone. */
function commitBefore(): string | undefined {
  try {
    const added = git('log', '--format=%H', '--diff-filter=A', '--', 'migrations/*.sql')
    const [, , commit] = added.split('\n')
    return git('rev-parse', process.env.PASSERELLE_BEFORE ?? `${commit}^`)
  } catch {
    return undefined
  }
}

/** The program of a commit, in a folder of its own with the packages of now. */
async function checkedOut(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-before-'))
  after(() => rm(folder, { recursive: true, force: true }))
  execFileSync('sh', ['-c', `git archive ${commit} | tar -xf - -C ${folder}`], { cwd: project })
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'))
  // Programs from before 0040 refused each newer schema: only that is changed in them.
  const isOlder = !existsSync(join(folder, 'migrations/0040_needed_programs.sql'))
  const runner = 'src/db/migrate.ts'
  if (isOlder) await copyFile(join(project, runner), join(folder, runner))
  return join(folder, 'bin/passerelle.js')
}

/** Pays without a pause at whichever gateways there are; nothing but 201 is right. */
function openLoad(urls: () => string[]) {
  const paid: string[] = []
  const problems: string[] = []
  const calling = new Set<string>()
  let isOn = true
  const loops = Array.from({ length: 3 }, async (_, loop) => {
    for (let count = 0; isOn; count += 1) {
      const [url = ''] = urls().slice(count % urls().length)
      calling.add(`${loop} ${url}`)
      const { status, text, body } = await call(
        { url, secret },
        'POST /api/v1/transaction/init',
        initBody({ externalTransactionId: `two-${loop}-${count}` }),
      )
      calling.delete(`${loop} ${url}`)
      if (status === 201) paid.push(String(body.transaction.transactionId))
      else problems.push(text)
    }
  })
  return {
    problems,
    paid,
    more: async () => {
      const from = paid.length
      await eventually('more payments', () => paid.length >= from + 10 || problems.length > 0)
    },
    isCalling: (url: string) => [...calling].some((one) => one.endsWith(url)),
    stop: async () => {
      isOn = false
      await Promise.all(loops)
    },
  }
}

slowTest(
  'the version before runs on the schema of now, and an upgrade may be taken back',
  { skip: missing('git') },
  async (t) => {
    const commit = commitBefore()
    if (commit === undefined) return t.skip('the history of the project is not here')
    const before = await checkedOut(commit)
    assert.ok(existsSync(before))
    const lab = await startLab({ port: 0, pace: 10 })
    after(() => lab.close())
    const environment = {
      DATABASE_URL: await emptyDatabase(),
      DATA_DIR: await dataFolder(),
      LAB_PORT: new URL(lab.url).port,
    }
    const passerelle = commandLine(environment, 'one each')
    const start = (path = launcher) => startGateway(environment, [], undefined, path)
    let gateways: Gateway[] = [await start(before)]
    const load = openLoad(() => gateways.map(({ url }) => url))
    const retire = async (one: Gateway | undefined) => {
      gateways = gateways.filter((other) => other !== one)
      await eventually('nobody calls it', () => !load.isCalling(one?.url ?? ''))
      assert.equal((await one?.stop())?.code, 0)
      await load.more()
    }
    await load.more()

    // The schema first, while the version before serves, then one process after the other.
    assert.notEqual((await passerelle.json('migrate up')).applied.length, 0)
    await load.more()
    gateways = [...gateways, await start()]
    await load.more()
    await retire(gateways[0])

    // And back: the version before is started on the schema of now.
    gateways = [...gateways, await start(before)]
    await load.more()
    await retire(gateways[0])
    gateways = [...gateways, await start()]
    await retire(gateways[0])
    await load.stop()
    assert.deepEqual(load.problems, [])
    const [{ url } = { url: '' }] = gateways
    for (const id of load.paid) assert.equal(await until({ url, secret }, id, isEnd), 'SUCCESS')
    const { breaks } = await passerelle.json('verify')
    assert.deepEqual(breaks, [])
    await gateways[0]?.stop()
  },
)
