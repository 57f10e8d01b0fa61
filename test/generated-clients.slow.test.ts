import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { after, describe, it, test } from 'node:test'
import { promisify } from 'node:util'
import { listen } from './listen.ts'
import { liveGateway } from './live.ts'
import { assertMoney } from './money.ts'
import { missing } from './needs.ts'
import { dataFolder } from './program.ts'

const run = promisify(execFile)
const generator = { artifact: 'org.openapitools:openapi-generator-cli', version: '7.14.0' }
const jar = `openapi-generator-cli-${generator.version}.jar`

const gateway = await liveGateway({ pace: 10 })
const folder = await dataFolder()
const description = join(folder, 'openapi.json')
await writeFile(description, await (await fetch(`${gateway.url}/openapi.json`)).text())

/** Why no client can be generated here: Maven Central may be out of reach. */
const withoutGenerator = missing('java', 'maven') || (await fetchGenerator())

async function fetchGenerator(): Promise<string | false> {
  const wanted = `-Dartifact=${generator.artifact}:${generator.version}`
  const args = ['-q', 'dependency:copy', wanted, `-DoutputDirectory=${folder}`]
  return fetched('Maven Central', run('mvn', args, { cwd: folder }))
}

/** The same for what the guide takes from other registries. */
const withoutGo =
  missing('go') ||
  (await fetched(
    'the Go module proxy',
    shell((await commandOfGuide('go run ')).replace(/ -generate .*/, ' -version')),
  ))
const withoutPython =
  missing('python3') ||
  (await fetched(
    'PyPI',
    shell(await commandOfGuide('python3 -m venv '), await newFolder('python')),
  ))
const withoutNpm =
  missing('npx') ||
  (await fetched(
    'the npm registry',
    shell((await commandOfGuide('npx openapi-')).replace(/ openapi\.json .*/, ' --version')),
  ))

/** Runs a command of the guide as a reader does, who agrees to what npx asks. */
function shell(command: string, cwd = folder) {
  return run('sh', ['-ec', command], { cwd, env: { ...process.env, npm_config_yes: 'true' } })
}

/** Why nothing comes from a registry; false: it came. */
async function fetched(registry: string, download: Promise<unknown>): Promise<string | false> {
  return download.then(
    () => false,
    () => `${registry} cannot be reached`,
  )
}

/** A gateway of later: its answers have more fields, everywhere. */
async function openLaterGateway(): Promise<string> {
  const serve = async (request: IncomingMessage, reply: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = '', headers, url = '' } = request
    const sent = { 'content-type': 'application/json', authorization: headers.authorization ?? '' }
    const body = method === 'GET' ? {} : { body: Buffer.concat(parts) }
    const answer = await fetch(`${gateway.url}${url}`, { method, headers: sent, ...body })
    reply.writeHead(answer.status, { 'content-type': 'application/json' })
    const withMore = (_key: string, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { addedLater: [1], ...value }
        : value
    reply.end(JSON.stringify(JSON.parse(await answer.text()), withMore))
  }
  const server = createServer((request, reply) => void serve(request, reply))
  after(() => server.close())
  return listen(server)
}

async function generate(language: string): Promise<string> {
  const target = join(folder, language)
  const args = ['-jar', join(folder, jar), 'generate', '-i', description, '-g', language]
  await run('java', [...args, '-o', target], { maxBuffer: 100_000_000 })
  return target
}

/** A command of the guide for tools, as a reader pastes it. */
async function commandOfGuide(start: string): Promise<string> {
  const guide = await readFile('guides/en/tools.md', 'utf8')
  const line = guide.split('\n').find((line) => line.startsWith(start))
  assert.ok(line !== undefined, start)
  return line
}

/** A folder with the description, where commands of the guide are run. */
async function newFolder(name: string): Promise<string> {
  const cwd = join(folder, name)
  await mkdir(cwd)
  await copyFile(description, join(cwd, 'openapi.json'))
  return cwd
}

const files = 'test/files/generated'

interface Client {
  /** Why it cannot be made here. */
  without: string | false
  pay: (url: string, key: string) => Promise<{ stdout: string }>
}

const clients: Record<string, Client> = {
  java: {
    without: withoutGenerator,
    pay: async (url, key) => {
      const cwd = await generate('java')
      await copyFile(`${files}/Pay.java`, join(cwd, 'src/main/java/Pay.java'))
      const program = ['exec:java', '-Dexec.mainClass=Pay', `-Dexec.args=${url} ${key}`]
      return run('mvn', ['-q', 'compile', ...program], { cwd })
    },
  },
  kotlin: {
    without: withoutGenerator,
    pay: async (url, key) => {
      const cwd = await generate('kotlin')
      await copyFile(`${files}/kotlin/pom.xml`, join(cwd, 'pom.xml'))
      await copyFile(`${files}/kotlin/Pay.kt`, join(cwd, 'src/main/kotlin/Pay.kt'))
      const program = ['exec:java', '-Dexec.mainClass=PayKt', `-Dexec.args=${url} ${key}`]
      return run('mvn', ['-q', 'compile', ...program], { cwd })
    },
  },
  go: {
    without: withoutGenerator || withoutGo,
    pay: async (url, key) => {
      const cwd = await generate('go')
      await mkdir(join(cwd, 'pay'))
      await copyFile(`${files}/pay.go`, join(cwd, 'pay/main.go'))
      await run('go', ['mod', 'tidy'], { cwd })
      return run('go', ['run', './pay', url, key], { cwd })
    },
  },
  ruby: {
    without: withoutGenerator || missing('ruby'),
    pay: async (url, key) => {
      const cwd = await generate('ruby')
      await copyFile(`${files}/pay.rb`, join(cwd, 'pay.rb'))
      return run('ruby', ['-I', 'lib', 'pay.rb', url, key], { cwd })
    },
  },
  'oapi-codegen': {
    without: withoutGo,
    pay: async (url, key) => {
      const cwd = await newFolder('oapi-codegen')
      await mkdir(join(cwd, 'passerelle'))
      await mkdir(join(cwd, 'pay'))
      await copyFile(`${files}/pay-oapi.go`, join(cwd, 'pay/main.go'))
      await shell(await commandOfGuide('go run '), cwd)
      await rename(join(cwd, 'passerelle.go'), join(cwd, 'passerelle/passerelle.go'))
      await run('go', ['mod', 'init', 'example.com/client'], { cwd })
      await run('go', ['mod', 'tidy'], { cwd })
      return run('go', ['run', './pay', url, key], { cwd })
    },
  },
  python: {
    without: withoutPython,
    pay: async (url, key) => {
      const cwd = join(folder, 'python')
      const generate = await commandOfGuide('openapi-python-client ')
      await shell(`. client/bin/activate && ${generate}`, cwd)
      await copyFile(`${files}/pay.py`, join(cwd, 'passerelle-client/pay.py'))
      return run('client/bin/python', ['passerelle-client/pay.py', url, key], { cwd })
    },
  },
  typescript: {
    without: withoutNpm,
    pay: async (url, key) => {
      const cwd = await newFolder('typescript')
      await shell(await commandOfGuide('npx openapi-'), cwd)
      await copyFile(`${files}/pay.ts.txt`, join(cwd, 'pay.ts'))
      const settings = {
        compilerOptions: {
          ...JSON.parse(await readFile('tsconfig.json', 'utf8')).compilerOptions,
          paths: {},
          typeRoots: [resolve('node_modules/@types')],
        },
        files: ['pay.ts'],
      }
      await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify(settings))
      await writeFile(join(cwd, 'package.json'), '{"type":"module"}')
      await run(resolve('node_modules/.bin/tsc'), ['-p', '.'], { cwd })
      return run(process.execPath, ['pay.ts', url, key], { cwd })
    },
  },
}

describe('a client that a generator makes of the description, as it is,', () => {
  for (const [name, { without, pay }] of Object.entries(clients)) {
    it(`compiles with ${name} and pays, also when answers have more fields`, {
      skip: without,
    }, async () => {
      const { stdout } = await pay(await openLaterGateway(), gateway.secret)
      assert.match(stdout, /^SUCCESS$/m)
      const paid = await gateway.db`
        select from transactions where external_id = ${`${name}-1`} and status = 'SUCCESS'`
      assert.equal(paid.length, 1)
    })
  }
})

it('every operation is in a client for C#', { skip: withoutGenerator }, async () => {
  const cwd = await generate('csharp')
  const sources = globSync('src/Org.OpenAPITools/Api/*.cs', { cwd })
  const code = sources.map((file) => readFileSync(join(cwd, file), 'utf8')).join('')
  const { paths } = JSON.parse(await readFile(description, 'utf8'))
  const operations = Object.values<Record<string, { operationId?: string }>>(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId }) => operationId ?? [])
  assert.ok(operations.length > 20)
  const lacking = operations.filter(
    (id) => !code.toLowerCase().includes(` ${id.toLowerCase()}async(`),
  )
  assert.deepEqual(lacking, [])
})

test('the ledger is consistent after these tests', () => assertMoney(gateway))
