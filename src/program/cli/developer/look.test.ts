import assert from 'node:assert/strict'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { payoutFile, upload } from '#test/batches.ts'
import { newLink } from '#test/links.ts'
import { call, collected, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { commandLine, dataFolder, startProgram } from '#test/program.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const { url, secret, clientId } = live
const folder = await dataFolder()
const environment = {
  DATABASE_URL: live.databaseUrl,
  DATA_DIR: folder,
  PUBLIC_URL: url,
  PASSERELLE_KEY: secret,
}
const passerelle = commandLine(environment, 'shared')
const balancePath = '/api/v1/api-services/balance'
const lookup = (id: string) => call(live, `GET /api/v1/transaction/${id}`)

/** The lines of `logs --json`. */
async function logged(args: string) {
  const text = await passerelle.text(`logs ${args} --json`)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

describe('passerelle logs', () => {
  it('shows those of the key’s merchant, newest at the end, and only those wanted', async () => {
    await call(live, `GET ${balancePath}`)
    await lookup('nothing-one')
    const last = (await lookup('nothing-two')).headers.get('x-request-id')
    await eventually('they are kept', async () =>
      (await logged('')).some(({ requestId }) => requestId === last),
    )
    const paths = async (args: string) => (await logged(args)).map(({ path }) => path)
    const [one, two] = ['one', 'two'].map((id) => `/api/v1/transaction/nothing-${id}`)
    assert.deepEqual(await paths(''), [balancePath, one, two])
    for (const status of ['4xx', '404', 'errors'])
      assert.deepEqual(await paths(`--status ${status}`), [one, two])
    assert.deepEqual(await paths('--status 2xx'), [balancePath])
    assert.deepEqual(await paths('--path nothing --limit 1'), [two])
    assert.deepEqual(await paths('--path nothing --status 200'), [])
    assert.deepEqual(await paths(`--client ${clientId} --limit 1`), [two])
    const text = await passerelle.text('logs --status 404 --limit 1')
    const line =
      /^[\d-]{10} [\d:]{8} {2}404 +\d+ ms {2}GET +\S+-two {2}(req_\S+) {2}NOT_FOUND: No tr/
    assert.equal(line.exec(text)?.[1], last)
  })

  it('--url of another gateway says where the log is there', async () => {
    const { code, stderr } = await passerelle.run('logs --url https://pay.example/')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /is in its dashboard, at https:\/\/pay\.example\/dashboard\/developers\/requests/,
    )
  })

  it('--follow shows each that comes once, until Ctrl-C', async () => {
    const program = startProgram(['logs', '-f', '--status', '4xx', '--json'], environment)
    const ids = () =>
      program
        .printed()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).requestId)
    // Those of the past come first.
    await eventually('it follows', () => ids().length >= 2)
    const past = ids().length
    const made: (string | null)[] = []
    for (let count = 0; count < 5; count += 1) {
      made.push((await lookup(`no-${count}`)).headers.get('x-request-id'))
      await call(live, `GET ${balancePath}`)
    }
    const isThere = () => made.every((id) => ids().includes(id))
    await eventually('all are shown', isThere)
    const more = (await lookup('no-more')).headers.get('x-request-id')
    await eventually('the next one', () => ids().includes(more))
    program.kill('SIGINT')
    const { code, stderr } = await program.ended
    assert.deepEqual({ code, stderr: stderr.includes('Stopped.') }, { code: 130, stderr: true })
    assert.doesNotMatch(stderr, /^ {4}at /m)
    const news = ids().slice(past)
    assert.equal(news.length, 6)
    assert.deepEqual(new Set(news), new Set([...made, more]))
  })

  it('refuses a key and a status that there is not', async () => {
    const refused: [string, RegExp][] = [
      ['--key sk_sandbox_wrong', /does not know the key sk_sandbox_\.\.\.rong: give --key or --cl/],
      ['--client Nobody', /There is no client Nobody/],
      ['--status 6xx', /It must be a status such as 404, or 4xx, or errors/],
    ]
    for (const [args, says] of refused) {
      const { code, stderr } = await passerelle.run(`logs ${args}`)
      assert.equal(code, 1)
      assert.match(stderr, says)
    }
  })
})

describe('passerelle open', () => {
  it('knows what an id is, and prints the address where there is no display', async () => {
    const id = await collected(live, { externalTransactionId: 'basket 7' })
    const link = await newLink(live, { externalTransactionId: 'link-7' })
    const other = await live.newSecret(clientId, live.db as never)
    const [event] = await live.db<{ id: string }>`select id from events where record_id = ${id}`
    const [requestId] = (await logged('--limit 1')).map((one) => one.requestId)
    const file = payoutFile(['771234567;500;WALLETA_SN_CASHIN;Awa'])
    const { id: batch } = await upload(live, clientId, file)
    const cases: [args: string, kind: string, path: string][] = [
      ['', 'dashboard', '/dashboard'],
      [id, 'transaction', `/dashboard/transactions/${id}`],
      ['"basket 7"', 'transaction', `/dashboard/transactions/${id}`],
      [link, 'link', `/dashboard/links/${link}`],
      ['link-7', 'link', `/dashboard/links/${link}`],
      [`evt_${event?.id}`, 'event', `/dashboard/developers/events/${event?.id}`],
      [`${event?.id}`, 'event', `/dashboard/developers/events/${event?.id}`],
      [requestId, 'request', `/dashboard/developers/requests?q=${requestId}`],
      [batch, 'batch', `/dashboard/batches/${batch}`],
      [String(clientId), 'client', `/dashboard/ops/clients/${clientId}`],
      // Who has the database sees what another key made.
      [`${id} --key ${other}`, 'transaction', `/dashboard/ops/transactions/${id}`],
    ]
    for (const [args, kind, path] of cases)
      assert.deepEqual(
        await passerelle.json(`open ${args}`),
        { kind, path, url: `${url}${path}`, isOpened: false },
        args,
      )
    assert.equal(await passerelle.text('open link-7'), `${url}/dashboard/links/${link}\n`)
    const unknown = await passerelle.run('open 01a1dd62-ed51-7cfc-a980-455c3caa79f3')
    assert.equal(unknown.code, 1)
    assert.match(
      unknown.stderr,
      /has nothing under \S+ that this key sees\. .* --key or PASSERELLE_/,
    )
    const far = await passerelle.run(`open ${id} --url ${url} --key ${other}`)
    assert.equal(far.code, 1)
  })

  it('opens it in the browser, in one argument, unless only its address is wanted', async () => {
    const program = join(folder, 'xdg-open')
    const opened = join(folder, 'opened')
    await writeFile(program, `#!/bin/sh\nprintf '%s|' "$#" "$1" >> '${opened}'\n`)
    await chmod(program, 0o755)
    const display = { DISPLAY: ':0', PATH: `${folder}:${process.env.PATH}` }
    assert.equal((await passerelle.json('open --print', display)).isOpened, false)
    assert.equal((await passerelle.json('open link-7', display)).isOpened, true)
    const text = await eventually('it is opened', () => readFile(opened, 'utf8').catch(() => ''))
    assert.match(text, /^1\|http:\/\/127\.0\.0\.1:\d+\/dashboard\/links\/[0-9a-f-]+\|$/)
    const none = await passerelle.json('open', { DISPLAY: ':0', PATH: '/nowhere' })
    assert.equal(none.isOpened, false)
  })

  it('after all of these the money is right', () => assertMoney(live))
})
