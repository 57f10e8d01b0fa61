import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import { cookiesOf, type SignedIn, signedInAs, tokenIn } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway()
const { url } = gateway
const owner = await signedInAs(gateway, 'owner')
const finance = await signedInAs(gateway, 'finance')
const header = 'numero;service;montant;nom\r\n'
const lines = ['771234567;WALLETA_SN_CASHIN;1500;Awa', '771234568;WALLETA_SN_CASHIN;2500;Ibou']
const good = header + lines.join('\r\n')

async function upload(person: SignedIn, file: string, name = 'file.csv') {
  const form = new FormData()
  form.set('token', tokenIn((await person.get('/dashboard/batches')).text))
  form.set('name', 'Salaires')
  form.set('file', new File([file], name))
  const { cookie } = person
  const init = { method: 'POST', body: form, headers: { cookie }, redirect: 'manual' } as const
  return fetch(`${url}/dashboard/batches`, init)
}

async function uploaded(person: SignedIn, file = good): Promise<string> {
  const answer = await upload(person, file)
  assert.equal(answer.status, 303, await answer.text())
  return answer.headers.get('location') ?? ''
}

const act = (person: SignedIn, path: string, what: string, fields: Record<string, string>) =>
  person.post(`${path}/${what}`, fields, { from: path })

/** Sends a file but for its end; nobody: without a session. */
async function slowUpload(person: SignedIn | null) {
  const boundary = 'a-boundary'
  const token = person === null ? '' : tokenIn((await person.get('/dashboard')).text)
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const body = `${part('token', token)}${part('file"; filename="a.csv', good)}--${boundary}--\r\n`
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let got = ''
  socket.on('error', () => {})
  socket.on('data', (data) => void (got += data.toString()))
  socket.write(
    `POST /dashboard/batches HTTP/1.1\r\nHost: ${new URL(url).host}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\n` +
      `Cookie: ${person?.cookie ?? 'none=1'}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n` +
      body.slice(0, -20),
  )
  after(() => socket.destroy())
  return {
    text: () => got,
    isOver: () => got !== '' || socket.destroyed,
    sendRest: () => socket.write(body.slice(-20)),
  }
}

describe('a file of payouts', () => {
  it('is read, proposed by one person, approved by another, and paid once', async () => {
    const path = await uploaded(owner)
    assert.match((await owner.get(path)).visible, /Salaires Draft .*Awa .*Ibou/)
    assert.equal((await act(owner, path, 'prepare', { verb: 'propose' })).status, 303)
    const told = await gateway.db<{ recipient: string; text: string }>`
      select recipient, text_body as text from mails where record_id = ${path.slice(-36)}`
    assert.deepEqual(
      told.map(({ recipient }) => recipient),
      [finance.email],
    )
    assert.match(told[0]?.text ?? '', new RegExp(`Batch: Salaires\n.*${url}${path}`, 's'))
    const own = await act(owner, path, 'decide', { verb: 'approve' })
    assert.equal(own.status, 422)
    assert.match(own.visible, /Another person must approve/)
    assert.equal((await act(finance, path, 'decide', { verb: 'approve' })).status, 303)
    await eventually('the batch ends', async () => /Finished/.test((await owner.get(path)).visible))
    assert.match((await owner.get(path)).visible, /2 of 2 .*Paid 2 · 4.000.F.CFA/)
    const result = await finance.get(`${path}/result?form=csv`)
    assert.match(result.headers.get('content-disposition') ?? '', /^attachment/)
    assert.match(result.text, /77.123.45.67/)
  })

  it('with errors shows each line with all that is wrong, and cannot be proposed', async () => {
    const path = await uploaded(owner, `${header}12;NOPE;-5;<script>__xss=1</script>`)
    const { visible, text } = await owner.get(path)
    assert.match(visible, /1 line must be corrected/)
    assert.match(visible, /To correct/)
    assert.ok(!text.includes('<script>__xss'))
    const proposed = await act(owner, path, 'prepare', { verb: 'propose' })
    assert.equal(proposed.status, 422)
  })

  it('that is no table is refused beside the field, and leaves nothing', async () => {
    const before = (await owner.get('/dashboard/batches')).text.match(/<tr/g)?.length
    const answer = await upload(owner, '%PDF-1.4 nonsense', 'x.pdf')
    assert.equal(answer.status, 422)
    assert.match(await answer.text(), /id="file-problem"/)
    const empty = await upload(owner, '')
    assert.equal(empty.status, 422)
    assert.equal((await owner.get('/dashboard/batches')).text.match(/<tr/g)?.length, before)
  })

  it('larger than the limit is refused in words, beside the field', async () => {
    // Fewer rows than a sheet can have, all of them empty: nothing else is refused before.
    const answer = await upload(owner, `${header}${`${' '.repeat(100)};\r\n`.repeat(50_000)}`)
    assert.equal(answer.status, 422)
    assert.match(await answer.text(), /id="file-problem"[^>]*>[^<]*larger than 5000000 bytes/)
  })

  it('arrives over a slow line, for people who may send it', async () => {
    const { server } = gateway.app.http
    const { requestTimeout, headersTimeout } = server
    server.requestTimeout = server.headersTimeout = 100
    const mine = await slowUpload(finance)
    const others = [await slowUpload(await signedInAs(gateway, 'viewer')), await slowUpload(null)]
    await eventually('those of others are over', () => others.every(({ isOver }) => isOver()))
    assert.deepEqual(
      others.map(({ text }) => text().slice(9, 12)),
      ['408', '303'],
    )
    assert.equal(mine.text(), '')
    mine.sendRest()
    await eventually('it is answered', () => mine.text() !== '')
    Object.assign(server, { requestTimeout, headersTimeout })
    assert.match(mine.text(), /^HTTP\/1.1 303 .*location: \/dashboard\/batches\/[\w-]{36}/is)
  })

  it('can be paused, resumed, and tried again where it failed, under new ids', async () => {
    const many = Array.from(
      { length: 45 },
      (_, index) => `77123${4000 + index};WALLETA_SN_CASHIN;500;A`,
    )
    const failing = '770000001;WALLETA_SN_CASHIN;1500;Awa'
    const path = await uploaded(owner, header + [failing, ...many].join('\r\n'))
    await act(owner, path, 'prepare', { verb: 'propose' })
    await act(finance, path, 'decide', { verb: 'approve' })
    await eventually('it runs', async () => /Pause/.test((await owner.get(path)).visible))
    assert.equal((await act(owner, path, 'prepare', { verb: 'pause' })).status, 303)
    const paused = await owner.get(path)
    assert.match(paused.visible, /Paused .*It was paused by/)
    assert.match(
      paused.text,
      /data-follow="\/dashboard\/changes\?of=batch&amp;id=[\w-]+&amp;[^"]+&amp;mark=\d+"/,
    )
    assert.equal((await act(owner, path, 'prepare', { verb: 'resume' })).status, 303)
    // Not by its history, which the page reads after the counts.
    await eventually('it ends', async () =>
      /46 of 46 .*Failed 1 .*Retry the failed lines/.test((await owner.get(path)).visible),
    )
    assert.equal((await act(owner, path, 'prepare', { verb: 'retryFailed' })).status, 303)
    const id = path.split('/').at(-1)
    await eventually('the second try', async () =>
      (await owner.get(`${path}/result?form=csv`)).text.includes(`batch-${id}-2-2`),
    )
  })

  it('can be refused with a reason', async () => {
    const path = await uploaded(finance)
    await act(finance, path, 'prepare', { verb: 'propose' })
    await act(owner, path, 'decide', { verb: 'refuse', reason: 'not in November' })
    assert.match((await finance.get(path)).visible, /Refused .*not in November/)
  })
})

describe('batches', () => {
  for (const role of ['developer', 'support', 'viewer'] as const)
    it(`cannot be uploaded or approved as ${role}`, async () => {
      const person = await signedInAs(gateway, role)
      const path = await uploaded(owner)
      assert.equal((await upload(person, good)).status, 403)
      const token = tokenIn((await person.get('/dashboard')).text)
      for (const what of ['prepare', 'decide'])
        assert.equal(
          (await person.post(`${path}/${what}`, { verb: 'cancel' }, { token })).status,
          403,
        )
    })

  it('of another merchant are not found', async () => {
    const path = await uploaded(owner)
    const stranger = await signedInAs({ ...gateway, ...(await gateway.newMerchant()) }, 'owner')
    for (const tail of ['', '/result?form=csv'])
      assert.equal((await stranger.get(`${path}${tail}`)).status, 404)
    const token = tokenIn((await stranger.get('/dashboard')).text)
    assert.equal(
      (await stranger.post(`${path}/prepare`, { verb: 'cancel' }, { token })).status,
      404,
    )
  })

  it('have a template to fill in', async () => {
    const { status, text } = await owner.get('/dashboard/batches/template?form=csv')
    assert.equal(status, 200)
    assert.match(text, /;/)
    assert.equal((await owner.get('/dashboard/batches/template?form=exe')).status, 404)
  })

  test('are accessible on a phone, where an open page follows its batch', async () => {
    const path = await uploaded(owner)
    const browser = await testBrowser()
    await using opened = await openPage(browser)
    const { page, context } = opened
    await context.addCookies(cookiesOf(owner, url))
    await page.goto(`${url}/dashboard`)
    await page.evaluate('window.isSame = true')
    await assertScreens(page, ['/dashboard/batches', path])
    await act(owner, path, 'prepare', { verb: 'propose' })
    await page.waitForSelector('.head .label:has-text("To be approved")')
    await act(finance, path, 'decide', { verb: 'approve' })
    await page.waitForSelector('.head .label:has-text("Finished")')
    assert.match(await page.innerText('main'), /2 of 2/)
    assert.equal(await page.evaluate('window.isSame'), true)
  })

  test('move money that holds', () => assertMoney(gateway))
})
