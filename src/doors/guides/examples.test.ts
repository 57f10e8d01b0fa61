import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock } from '#base/kit/clock.ts'
import { rotateWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { upload } from '#test/batches.ts'
import {
  differencesOf,
  type Example,
  examplesOf,
  interpreters,
  needsOf,
  start,
} from '#test/guides.ts'
import { freePort } from '#test/listen.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { missing } from '#test/needs.ts'
import { slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { guideNames } from './contents.ts'

// Every example of the guides, run as a reader runs it: in its order, against a real gateway and
// lab. Only the address, the key, the secret, the port of the receiver and the place of the client
// are replaced.
const live = await liveGateway({ pace: 10 })
const { secretKey } = readConfig({ MODE: 'sandbox' })
const sealing = { secretKey, clock: systemClock }
const order = { clientId: live.clientId, overlapMs: 0, actor: 'test' }
const webhookSecret = await rotateWebhookSecret(live.db, sealing, order)
const folder = mkdtempSync(join(tmpdir(), 'guides-'))
const environment = join(folder, 'environment')
const port = await freePort()
const clientFolder = resolve('sdk/python')
const setup = examplesOf('first-payment').find(({ id }) => id === 'setup')?.code ?? ''
const ran = new Set<string>()

function adapt(code: string): string {
  return code
    .replace('http://127.0.0.1:8080', live.url)
    .replace('sk_sandbox_demo_standard', live.secret)
    .replace('whsec_c2FuZGJveC1kZW1vLXNlY3JldC0wMDAx', webhookSecret)
    .replaceAll('9000', String(port))
    .replace('@passerelle/client', resolve('sdk/typescript/src/index.ts'))
    .replace('sdk/php/autoload.php', resolve('sdk/php/autoload.php'))
}

/** Runs a text in a shell that goes on where the last one of the guide stopped. */
async function shell(code: string) {
  const kept = `source "${environment}"\n${code}\nexport -p > "${environment}"\n`
  const run = start('bash', ['-eu', '-c', kept], {}, folder)
  const status = await run.ended
  assert.equal(status, 0, run.errors())
  return run.output()
}

/** Runs an example once; gives what it printed. */
async function runOnce({ id, extension, code }: Example): Promise<string> {
  if (extension === 'sh') return shell(adapt(code))
  const file = join(folder, `${id}.${extension}`)
  writeFileSync(file, adapt(code))
  const python = `PYTHONPATH="${clientFolder}" PYTHONDONTWRITEBYTECODE=1`
  return shell(`${python} "${interpreters[extension]}" "${file}"`)
}

/** Runs an example until it prints what the guide says, and compares the answer that it shows. */
async function runExample(example: Example, answer: Example | undefined): Promise<void> {
  const { until, id } = example
  let output = ''
  await eventually(
    () => `${id} prints ${until}: ${output}`,
    async () => {
      output = await runOnce(example)
      return until === undefined || output.includes(until)
    },
  )
  if (answer === undefined) return
  assert.deepEqual(differencesOf(JSON.parse(answer.code), JSON.parse(output)), [], output)
}

/** Runs a receiver: it takes a webhook of a real payment, and refuses forged and old ones. */
async function runReceiver({ id, extension, code, until = '' }: Example): Promise<void> {
  const file = join(folder, `${id}.${extension}`)
  writeFileSync(file, adapt(code))
  const words = extension === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file]
  const place = { PYTHONPATH: clientFolder, PYTHONDONTWRITEBYTECODE: '1' }
  const env = { ...place, PASSERELLE_WEBHOOK_SECRET: webhookSecret }
  const server = start(interpreters[extension] ?? '', words, env, folder)
  const url = `http://127.0.0.1:${port}/webhooks`
  try {
    const isUp = () =>
      fetch(url).then(
        (answer) => answer.status > 0,
        () => false,
      )
    await eventually(() => `${id}.${extension} listens: ${server.errors()}`, isUp)
    const pay = examplesOf('webhooks').find((one) => one.id === 'pay')
    await shell(adapt(pay?.code ?? ''))
    const printed = () => server.output() + server.errors()
    await eventually(
      () => `${id}.${extension} prints ${until}: ${printed()}`,
      () => printed().includes(until),
    )
    const body = '{"STATUS":"SUCCESS","AMOUNT":1,"externalTransactionId":"forged"}'
    const now = Math.floor(Date.now() / 1000)
    const rows: [string, number, number, string][] = [
      ['ours', 200, now, webhookSecret],
      ['signed with another secret', 400, now, 'whsec_b3RoZXI='],
      ['too old', 400, now - 1000, webhookSecret],
      ['of the future', 400, now + 1000, webhookSecret],
    ]
    for (const [name, status, time, secret] of rows) {
      const headers = signed(body, time, secret)
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, status, name)
    }
    const headers = signed(body, now, webhookSecret)
    const changed = { method: 'POST', headers, body: body.replace('1', '2') }
    assert.equal((await fetch(url, changed)).status, 400, 'a changed body')
    assert.equal((await fetch(url, { method: 'POST', body })).status, 400, 'without a signature')
  } finally {
    await server.stop()
  }
  await runWithoutSecret(() => start(interpreters[extension] ?? '', words, place, folder), url)
}

/** Listens as in a terminal of its own: what `trigger` makes is printed, and handed on, signed. */
async function runListener({ code, until = '' }: Example): Promise<void> {
  const signatures: unknown[] = []
  const receiver = createServer((request, response) => {
    signatures.push(request.headers['webhook-signature'])
    request.resume().on('end', () => response.end())
  }).listen(port, '127.0.0.1')
  const program = start('bash', ['-c', `source "${environment}"\n${adapt(code)}`], {}, folder)
  const printed = () => program.output() + program.errors()
  let hasEnded = false
  void program.ended.then(() => (hasEnded = true))
  try {
    await eventually(
      () => `listen prints ${until}: ${printed()}`,
      () => {
        assert.ok(!hasEnded, printed())
        return printed().includes(until)
      },
    )
    const trigger = examplesOf('tools').find(({ id }) => id === 'trigger')
    await shell(adapt(trigger?.code ?? ''))
    await eventually(
      () => `the event is handed on: ${printed()}`,
      () => /cashout\.success .*-> 200 in/.test(program.output()),
    )
    assert.match(String(signatures[0]), /^v1,/)
  } finally {
    await program.stop()
    receiver.closeAllConnections()
    receiver.close()
  }
}

/** A receiver whose secret is not set takes nothing, or does not start. */
async function runWithoutSecret(startIt: () => ReturnType<typeof start>, url: string) {
  const server = startIt()
  let hasEnded = false
  void server.ended.then(() => (hasEnded = true))
  const body = '{"STATUS":"SUCCESS","AMOUNT":1,"externalTransactionId":"forged"}'
  try {
    await eventually('an answer, or the end', async () => {
      if (hasEnded) return true
      const headers = signed(body, Math.floor(Date.now() / 1000), 'whsec_')
      const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
      assert.notEqual(answer?.status, 200, 'signed with an empty key')
      return answer !== undefined
    })
  } finally {
    await server.stop()
  }
}

function signed(body: string, time: number, secret: string): Record<string, string> {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const mac = createHmac('sha256', key).update(`evt_1.${time}.${body}`).digest('base64')
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${mac}`,
  }
}

/** A file of payouts: nothing is wrong with any of its lines. */
async function readBatch({ code }: Example): Promise<void> {
  const { lines, faulty } = await upload(live, live.clientId, code)
  assert.deepEqual([lines, faulty], [code.trim().split('\n').length - 1, 0])
}

describe('the examples of the guides', () => {
  for (const guide of guideNames) {
    const examples = examplesOf(guide)
    if (examples.length === 0) continue
    describe(guide, () => {
      it('begins with the address and the key', async () => {
        writeFileSync(environment, '')
        await shell(adapt(setup))
      })
      for (const example of examples.filter(({ extension }) => extension !== 'json')) {
        const { id, extension } = example
        const name = `${id}.${extension}`
        const answer = examples.find((one) => one.id === id && one.extension === 'json')
        const skip = missing(...needsOf(example, examples))
        // In npm test those that every other one follows; each client has tests of its own.
        const run = ['sh', 'csv'].includes(extension) ? it : slowTest
        run(name, { skip }, async () => {
          if (extension === 'csv') await readBatch(example)
          else if (id.startsWith('receiver')) await runReceiver(example)
          else if (id === 'listen') await runListener(example)
          else await runExample(example, answer)
        })
        ran.add(`${guide}/${name}`)
        if (answer !== undefined) ran.add(`${guide}/${id}.json`)
      }
    })
  }

  it('are all run: none is left out', () => {
    const files = readdirSync('guides/examples', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice('guides/examples/'.length))
    assert.ok(files.length > 40)
    assert.deepEqual(files.sort(), [...ran].sort())
  })

  it('take no package from a registry, where its name may be anybody’s', () => {
    const files = globSync('guides/**/*.{md,sh}').map((file) => readFileSync(file, 'utf8'))
    const commands = files.flatMap(
      (text) => text.match(/\b(npx|npm (i|install|exec)|pip3? install|go run) \S.*/g) ?? [],
    )
    const ours =
      /^npx --yes --package="\$PASSERELLE_URL\/|^npm install --no-save \.\/|^npx (takes|prend) /
    // Tools of other projects, by the names that these own, each in one version.
    const known = [
      /^npx openapi-typescript@\d+\.\d+\.\d+ openapi\.json /,
      /^pip install openapi-python-client==\d+\.\d+\.\d+$/,
      /^go run github\.com\/oapi-codegen\/oapi-codegen\/v2\/cmd\/oapi-codegen@v\d+\.\d+\.\d+ /,
    ]
    assert.ok(commands.length > 2)
    assert.deepEqual(
      commands.filter((command) => ![ours, ...known].some((pattern) => pattern.test(command))),
      [],
    )
  })

  it('come after an example that exists and stands before them', () => {
    for (const guide of guideNames) {
      const seen: string[] = []
      for (const { id, after: before } of examplesOf(guide)) {
        const isKnown = before === undefined || before === 'first-payment/setup'
        assert.ok(isKnown || seen.includes(before), `${guide}: ${id} after ${before}`)
        seen.push(id)
      }
    }
  })

  it('keep the money in order', () => assertMoney(live))
})

describe('a shown answer', () => {
  const actual = { code: 'NOT_FOUND', list: [{ id: 'a', more: 1 }], none: null, ok: false }
  const rows: [string, object, RegExp?][] = [
    ['is like another', { code: 'NOT_FOUND', list: [{ id: 'b', more: 2 }], none: null, ok: false }],
    ['may leave fields out', { code: 'NOT_FOUND', '…': '…' }],
    ['lacks a field', { code: 'NOT_FOUND', none: null, ok: false }, /also has list/],
    ['has a field too many', { code: 'NOT_FOUND', more: 1, '…': '…' }, /has no more/],
    ['has another code', { code: 'CONFLICT', '…': '…' }, /code is "NOT_FOUND"/],
    ['has another type', { none: 'text', '…': '…' }, /none is null/],
    ['differs in a list', { list: [{ id: 1, more: 1 }], '…': '…' }, /list\[0\]\.id is "a"/],
    ['has another truth', { ok: true, '…': '…' }, /ok is false/],
  ]
  for (const [name, shown, sentence] of rows)
    it(name, () => {
      const differences = differencesOf(shown, actual)
      if (sentence === undefined) assert.deepEqual(differences, [])
      else assert.match(differences.join(), sentence)
    })
})

describe('both languages', () => {
  for (const guide of guideNames)
    it(`${guide} has the same examples, headings and tables`, () => {
      const [french, english] = ['fr', 'en'].map((language) => {
        const text = readFileSync(`guides/${language}/${guide}.md`, 'utf8')
        return {
          examples: examplesOf(guide, language).map(({ line }) => line),
          headings: [...text.matchAll(/^#+/gm)].map(([marks]) => marks),
          generated: [...text.matchAll(/<!-- generated: \w+ -->/g)].map(([mark]) => mark),
          rows: [...text.matchAll(/^\|/gm)].length,
        }
      })
      assert.deepEqual(french, english)
    })
})
