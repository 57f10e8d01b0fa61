import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
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
  return run('mvn', args, { cwd: folder }).then(
    () => false,
    () => 'Maven Central cannot be reached',
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

const languages = {
  java: async (url: string, key: string) => {
    const cwd = await generate('java')
    await copyFile('test/files/generated/Pay.java', join(cwd, 'src/main/java/Pay.java'))
    const program = ['exec:java', '-Dexec.mainClass=Pay', `-Dexec.args=${url} ${key}`]
    return run('mvn', ['-q', 'compile', ...program], { cwd })
  },
  go: async (url: string, key: string) => {
    const cwd = await generate('go')
    await mkdir(join(cwd, 'pay'))
    await copyFile('test/files/generated/pay.go', join(cwd, 'pay/main.go'))
    await run('go', ['mod', 'tidy'], { cwd })
    return run('go', ['run', './pay', url, key], { cwd })
  },
}

describe('a client that openapi-generator makes of the description', () => {
  for (const [language, pay] of Object.entries(languages)) {
    const skip = withoutGenerator || (language === 'go' && missing('go'))
    it(`compiles in ${language} and pays, also when answers have more fields`, {
      skip,
    }, async () => {
      const { stdout } = await pay(await openLaterGateway(), gateway.secret)
      assert.match(stdout, /^SUCCESS$/m)
      const paid = await gateway.db`
        select from transactions where external_id = ${`${language}-1`} and status = 'SUCCESS'`
      assert.equal(paid.length, 1)
    })
  }
})

test('the ledger is consistent after these tests', () => assertMoney(gateway))
