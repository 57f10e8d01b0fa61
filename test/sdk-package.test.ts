import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { slowTest } from './size.ts'

// The package @passerelle/client as `npm pack` makes it, installed by a program that uses it.

const run = promisify(execFile)
const bytesMax = 10 * 1024
const binaries = resolve('node_modules/.bin')
const source = resolve('sdk/typescript')
const folder = await mkdtemp(join(tmpdir(), 'passerelle-package-'))
const copy = join(folder, 'sdk/typescript')
const shop = join(folder, 'shop')
const installed = join(shop, 'node_modules/@passerelle/client')
after(() => rm(folder, { recursive: true, force: true }))

const checks = '--ignoreConfig --strict --noEmit --lib es2023,dom'

const program = `
import { ApiError, Passerelle, verifyWebhook, type Payment } from '@passerelle/client'
const passerelle = new Passerelle({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sk_never_shown' })
const show = (payment: Payment): string => payment.status
const to = 'https://shop.test'
const urls = { callBackURL: to, successUrl: to, failureUrl: to }
const wallet = { serviceCode: 'WALLETA_SN_CASHOUT', number: '771234567' } as const
const order = { ...wallet, amount: 500, ...urls }
export const pay = async () => show(await passerelle.collect(order))
// @ts-expect-error: a service that there is not
export const mistyped = () => passerelle.collect({ ...order, serviceCode: 'WALLETZ_SN_CASHOUT' })
export const isRefused = (error: unknown) => error instanceof ApiError && error.code === 'NOT_FOUND'
export { passerelle, verifyWebhook }
`

async function archiveName(): Promise<string> {
  return (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
}

before(async () => {
  await cp(source, copy, { recursive: true, filter: (path) => !path.includes('dist') })
  await cp('tsconfig.json', join(folder, 'tsconfig.json'))
  const env = { ...process.env, PATH: `${binaries}:${process.env.PATH}` }
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy, env })
  await mkdir(installed, { recursive: true })
  const archive = await archiveName()
  await run('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1'])
  await writeFile(join(shop, 'package.json'), '{"type":"module"}')
  await writeFile(join(shop, 'program.ts'), program)
})

describe('the package of the TypeScript client', () => {
  it('has JavaScript and its types, no source and no dependency', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    assert.deepEqual([manifest.dependencies, manifest.main], [undefined, undefined])
    const files = await readdir(installed, { recursive: true, withFileTypes: true })
    const names = files.filter((one) => one.isFile()).map(({ name }) => name)
    assert.deepEqual(names.filter((name) => !/\.(js|d\.ts)$/.test(name)).sort(), [
      'LICENSE',
      'README.md',
      'package.json',
    ])
    assert.ok(names.includes('index.js') && names.includes('index.d.ts'))
    assert.equal(
      await readFile(join(installed, 'LICENSE'), 'utf8'),
      await readFile('LICENSE', 'utf8'),
    )
  })

  it('is small', async () => {
    const archive = await archiveName()
    const code = await run('sh', ['-c', 'cat dist/*.js | gzip -9 | wc -c'], { cwd: installed })
    const sizes = { code: Number(code.stdout), archive: (await stat(join(folder, archive))).size }
    assert.ok(sizes.code <= bytesMax, JSON.stringify(sizes))
  })

  slowTest('has nothing to mend for publint', async () => {
    const { messages } = await publint({ pkgDir: installed, level: 'suggestion', pack: false })
    assert.deepEqual(messages, [])
  })

  slowTest('has types that are right wherever they are resolved', async () => {
    const archive = await readFile(join(folder, await archiveName()))
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(archive)))
    assert.ok(checked.types !== false, 'it has no types')
    // CommonJS needs a Node that can require ES modules; Node 10 knew no exports.
    const known = new Set(['CJSResolvesToESM', 'NoResolution node10'])
    const problems = checked.problems.map((one) =>
      'resolutionKind' in one && one.kind === 'NoResolution'
        ? `${one.kind} ${one.resolutionKind}`
        : one.kind,
    )
    assert.deepEqual(
      [...new Set(problems)].filter((one) => !known.has(one)),
      [],
    )
  })

  for (const how of ['nodenext', 'bundler'])
    slowTest(`gives a program its types, resolved as ${how}`, async () => {
      const module = how === 'bundler' ? 'esnext' : how
      const options = `${checks} --module ${module} --moduleResolution ${how}`
      await run('tsc', [...options.split(' '), '--types', '', 'program.ts'], {
        cwd: shop,
        env: { PATH: `${binaries}:${dirname(process.execPath)}` },
      })
    })

  it('uses each connection once where platforms would send orders again', async () => {
    const script =
      "import { Passerelle } from '@passerelle/client'\n" +
      'const headers = []\n' +
      'const fetch = async (_, { headers: { connection } }) => {\n' +
      '  headers.push(connection)\n' +
      '  throw new Error()\n' +
      '}\n' +
      "const settings = { baseUrl: 'http://127.0.0.1:9', apiKey: 'sk_x', tries: 1, fetch }\n" +
      'await new Passerelle(settings).getBalance().catch(() => {})\n' +
      'globalThis.Deno = {}\n' +
      'await new Passerelle(settings).getBalance().catch(() => {})\n' +
      'console.log(JSON.stringify(headers))\n'
    await writeFile(join(shop, 'platform.js'), script)
    const { stdout } = await run(process.execPath, ['platform.js'], { cwd: shop })
    assert.equal(stdout, '[null,"close"]\n')
  })

  it('runs, and shows its key nowhere', async () => {
    const script =
      "import { inspect } from 'node:util'\n" +
      "import { Passerelle } from '@passerelle/client'\n" +
      "const settings = { baseUrl: 'http://127.0.0.1:9', apiKey: 'sk_never_shown', tries: 1 }\n" +
      'const one = new Passerelle(settings)\n' +
      'const error = await one.getBalance().catch((error) => error)\n' +
      'const all = { showHidden: true, depth: 9 }\n' +
      'console.log(error.name, inspect(one, all), JSON.stringify(one), inspect(error, all))\n'
    await writeFile(join(shop, 'run.js'), script)
    const { stdout } = await run(process.execPath, ['run.js'], { cwd: shop })
    assert.match(stdout, /^ConnectionError /)
    assert.doesNotMatch(stdout, /sk_never_shown/)
  })
})
