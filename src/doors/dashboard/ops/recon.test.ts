import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after as afterAll, describe, test } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import {
  type SignedIn,
  signedInAs,
  signedInOperator,
  signInWith,
  testPassword,
  tokenIn,
} from '#test/dashboard.ts'
import { balances } from '#test/ledger.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { confirmed, imported, upload } from '#test/recon-forms.ts'
import { reconOrders } from '#test/recon-orders.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { csvOf, lineOf } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '1000' } })
const { db, url, approvals, clientId } = gateway
const awa = await signedInOperator(gateway)
const binta = await signedInOperator(gateway, 'finance-operator')
const auditor = await signedInOperator(gateway, 'auditor')
const root = '/dashboard/ops/recon'
const today = systemClock.now().toISOString().slice(0, 10)
const { started, ended, later, importLater } = reconOrders(gateway, {
  actor: awa.email,
  numbersFrom: 778_000_000,
})

async function statusOf(id: string): Promise<string> {
  const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
  return row?.status ?? ''
}

const audits = async (action: string) =>
  (await db`select from audit_log where action = ${action}`).length

// What a file of semicolons can hold in a cell.
const payloads = xssPayloads.filter((one) => !/[;"\p{C}\p{Zl}]/u.test(one))

describe('the import of a statement', () => {
  it('shows what is understood, ends what it proves, and is done once for a file', async () => {
    const paid = await ended('WALLETA_SN_CASHOUT', 'succeed')
    const stuck = await started('WALLETA_SN_CASHOUT', [])
    const file = csvOf([await lineOf(db, paid, { fee: 50 }), await lineOf(db, stuck)])
    const { location } = await upload(awa, { file })
    const { visible } = await awa.get(location)
    assert.match(visible, /What is understood .*our_reference .*Our reference/)
    assert.match(visible, /First lines.* Collection 5.000 F CFA 50 F CFA Succeeded/)
    assert.equal(await statusOf(stuck), 'PENDING', 'nothing is imported by looking')
    const path = await imported(awa, { file, from: today })
    assert.equal(await statusOf(stuck), 'PENDING', 'it waits for a second person')
    const [waiting] = await approvals.list({ limit: 1 })
    const proposal = `/dashboard/ops/approvals/${waiting?.id}`
    const page = await binta.get(proposal)
    assert.match(page.visible, /day.csv Lines 1 .*3 Collection 5.000 F CFA Succe.*Pending/)
    assert.doesNotMatch(page.visible, /no money moves/)
    await binta.post(`${proposal}/decide`, { verb: 'approve' }, { from: proposal })
    assert.equal(await statusOf(stuck), 'SUCCESS')
    const shown = await auditor.get(`${path}?tab=matched`)
    assert.match(shown.visible, /Matched \(2\) .*By the statement .*5.000 F CFA .*Transaction/)
    assert.match(shown.visible, /Provider’s fees 50 F CFA/)
    const again = await upload(awa, { file })
    assert.deepEqual([again.status, again.location], [303, path])
    const about = (await awa.get(`/dashboard/ops/transactions/${paid}`)).visible
    assert.match(about, /In provider statements .*Line 2 Collection .*Fee 50 F CFA/)
    assert.match((await awa.get(root)).visible, /Wallet.A · SN .*day.csv .*100.0%/)
    const own = await db`select from audit_log
      where action = 'statement.import' and details ->> 'country' = 'SN'`
    assert.equal(own.length, 1)
  })

  it('is done once by forms that are sent twice', async () => {
    const file = csvOf([await lineOf(db, await ended('WALLETB_SN_CASHOUT', 'succeed'))])
    const token = tokenIn((await awa.get(`${root}/import`)).text)
    const order = { file, provider: 'WALLETB_SN', token }
    const first = await upload(awa, order)
    const second = await upload(awa, order)
    assert.deepEqual([second.status, second.location], [303, first.location])
    const own = tokenIn((await awa.get(first.location)).text)
    const sent = [0, 1].map(() => awa.post(first.location, confirmed, { token: own }))
    await Promise.all(sent)
    await eventually('it is imported', async () =>
      /The statement is imported/.test((await awa.get(first.location)).visible),
    )
    const rows = await db`select from statements where provider = 'WALLETB'`
    assert.equal(rows.length, 1)
  })

  it('of a file with problems shows all of them by line, and imports nothing', async () => {
    const line = await lineOf(db, await ended('WALLETC_SN_CASHOUT', 'succeed'))
    const wrong = Array.from({ length: 120 }, (_, index) => ({
      ...line,
      reference: `W${index}`,
      kind: payloads[index % payloads.length] ?? '',
    }))
    const file = csvOf([line, ...wrong])
    const { location } = await upload(awa, { file, provider: 'WALLETC_SN' })
    const preview = await awa.get(location)
    assert.match(preview.visible, /nothing would be imported.*Problems, by line/)
    assert.ok(!preview.text.includes('<script>__xss') && !preview.text.includes('<img src=x'))
    const asked = await awa.post(location)
    assert.match(asked.text, /name="confirm-password"/, 'minutes after the last time')
    await awa.post(location, confirmed)
    const refused = await eventually('it is refused', async () => {
      const page = await awa.get(location)
      return page.visible.includes('Nothing was imported') ? page : undefined
    })
    assert.match(refused.visible, /120 in all/)
    assert.match(refused.visible, /no known kind of line/)
    assert.ok(!refused.text.includes('<script>__xss') && !refused.text.includes('<img src=x'))
    const last = await awa.get(`${location}?after=100`)
    assert.match(last.visible, / 122 Line 122, column kind/)
    assert.deepEqual(await db`select from statements where provider = 'WALLETC'`, [])
    assert.deepEqual(
      await db`select from statement_file_chunks c
      join statement_files f on f.id = c.file_id where f.provider = 'WALLETC'`,
      [],
    )
  })

  // what is sent, what the page says of it
  const refusals: [string, Record<string, string>, RegExp][] = [
    ['without a file', {}, /Choose a file/],
    ['of nobody', { file: 'x', provider: 'WALLETX_SN' }, /Choose the provider/],
    ['of no day', { file: 'x', from: '2026-02-31' }, /Write a day that exists/],
    ['that ends first', { file: 'x', from: '2026-02-03', to: '2026-02-01' }, /must end after/],
    ['that is empty', { file: '' }, /The file is empty/],
  ]
  for (const [name, fields, said] of refusals)
    it(`${name} comes back with a sentence`, async () => {
      const { status, text } = await upload(awa, fields)
      assert.equal(status, 422)
      assert.match(text, said)
      assert.deepEqual(await db`select from statement_files where state = 'arriving'`, [])
    })

  it('of what is no statement says so, and of what is no form, too', async () => {
    const { location } = await upload(awa, {
      file: '%PDF-1.7 \u0000\u0001',
      name: payloads[0] ?? '',
    })
    const { visible, text } = await awa.get(location)
    assert.match(visible, /nothing would be imported/)
    assert.ok(!text.includes('<script>__xss'))
    const headers = { cookie: awa.cookie, 'content-type': 'multipart/form-data; boundary=x' }
    for (const body of ['', '--x\r\nnonsense', '--y--'])
      for (const type of [headers['content-type'], 'multipart/form-data']) {
        const sent = { method: 'POST', body, headers: { ...headers, 'content-type': type } }
        const { status } = await fetch(`${url}${root}/import`, sent)
        assert.ok(status >= 400 && status < 500, `${JSON.stringify(body)} gives ${status}`)
      }
  })

  it('stores a file while it arrives, and nothing stays of one that breaks off', async () => {
    const token = tokenIn((await awa.get(`${root}/import`)).text)
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    afterAll(() => socket.destroy())
    socket.on('error', () => {})
    socket.write(
      `POST ${root}/import HTTP/1.1\r\nHost: ${new URL(url).host}\r\nCookie: ${awa.cookie}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000000\r\n\r\n' +
        part('token', token) +
        part('provider', 'WALLETD_SN') +
        part('file"; filename="long.csv', 'x'.repeat(3_000_000)),
    )
    const chunks = () => db`
      select from statement_file_chunks c join statement_files f on f.id = c.file_id
      where f.provider = 'WALLETD'`
    await eventually('its beginning is stored', async () => (await chunks()).length >= 2)
    socket.destroy()
    await eventually('nothing stays', async () => {
      const rows = await db`select from statement_files where provider = 'WALLETD'`
      return rows.length === 0
    })
  })

  it('is not for those who may not', async () => {
    const support = await signedInOperator(gateway, 'support-operator')
    assert.equal((await support.get(root)).status, 403)
    assert.equal((await auditor.get(`${root}/import`)).status, 403)
    const token = tokenIn((await auditor.get(root)).text)
    assert.equal((await upload(auditor, { file: 'x', token })).status, 403)
    const stranger = await signedInAs(gateway, 'owner')
    assert.equal((await stranger.get(root)).status, 404)
    const none = await fetch(`${url}${root}/import`, { method: 'POST', redirect: 'manual' })
    assert.equal(none.headers.get('location'), '/dashboard/sign-in')
  })
})

describe('differences', async () => {
  const party = { provider: 'WALLETA', country: 'CI' }
  const [paid, missing, late] = [
    await ended('WALLETA_CI_CASHOUT', 'succeed'),
    await ended('WALLETA_CI_CASHOUT', 'succeed'),
    await ended('WALLETA_CI_CASHOUT', 'decline'),
  ]
  const open = await started('WALLETA_CI_CASHOUT', [])
  const base = await lineOf(db, paid)
  const theirs = payloads.map((payload, index) => ({
    ...base,
    reference: `${payload}${index}`,
    our_reference: payload,
    number: payload,
    amount: 300 + index,
  }))
  const statement = await importLater(
    [base, await lineOf(db, late), await lineOf(db, open, { amount: 5500 }), ...theirs],
    party,
  )
  const [waiting] = await approvals.list({ limit: 1 })
  await approvals.approve({ id: waiting?.id ?? '', person: binta.email })
  const path = `${root}/statements/${statement.id}`
  const cases = await later.cases({ statementId: statement.id }, { limit: 500 })
  const caseOf = (transactionId: string) => {
    const found = cases.find((one) => one.transactionId === transactionId)
    assert.ok(found !== undefined)
    return `${root}/cases/${found.id}`
  }
  const unknown = cases.filter(({ kind }) => kind === 'theirs_only')
  const unknownCase = (index: number) => `${root}/cases/${unknown[index]?.id}`
  const mend = (person: SignedIn, at: string, fields: Record<string, string>) =>
    person.post(`${at}/mend`, fields, {
      from: `${at}/mend?${new URLSearchParams({ ...fields, review: 'yes' }).toString()}`,
    })

  it('are in the tabs of their statement, theirs beside ours, under its balance', async () => {
    const { visible } = await awa.get(path)
    assert.match(visible, /Balance By the statement .*By the ledger .*Statement and ledger differ/)
    assert.match(visible, new RegExp(`Only theirs ${theirs.length} `))
    assert.match(visible, /Different \(2\) Only theirs \(\d+\) Only ours \(1\) Matched \(1\)/)
    assert.match(visible, /5.500 F CFA Succeeded .*5.000 F CFA .*Other amount Open/)
    assert.match((await awa.get(`${path}?tab=ours_only`)).visible, /5.000 F CFA .*Only ours Open/)
    const found = await awa.get(`${path}?tab=matched&q=${base.reference}`)
    assert.ok(found.text.includes(`/dashboard/ops/transactions/${paid}`))
    assert.match((await awa.get(`${path}?tab=matched&kind=disburse`)).visible, /No line here/)
    const overview = (await awa.get(root)).visible
    assert.match(overview, /Open differences, by age .*Up to 1 day .*Only theirs/)
  })

  it('show what files say as text, on every screen', async () => {
    const at = unknownCase(0)
    const payload = payloads[0] ?? ''
    await awa.post(`${at}/note`, { text: payload }, { from: at })
    const places = [`${path}?tab=theirs_only`, `${root}/cases`, root, at, `${at}/mend?how=ignore`]
    const pages = [...places, ...unknown.map(({ id }) => `${root}/cases/${id}`)]
    for (const place of pages) {
      const { status, text } = await awa.get(place)
      assert.equal(status, 200, place)
      for (const planted of ['<script>__xss', '<img src=x', '<svg onload', '<iframe'])
        assert.ok(!text.includes(planted), `${place} has ${planted}`)
    }
    assert.ok((await awa.get(at)).text.includes('&lt;script&gt;__xss'))
  })

  it('are found by filters in the address', async () => {
    const list = async (query: string) => (await auditor.get(`${root}/cases?${query}`)).visible
    assert.match(await list('kind=amount&provider=WALLETA_CI'), /Other amount \S+ Open 0 F CFA/)
    assert.match(await list('kind=fee'), /No difference matches/)
    assert.match(await list('age=older'), /No difference matches/)
    assert.match(await list('age=day&kind=amount'), /later.csv/)
    assert.match(await list('state=closed&kind=amount'), /No difference matches/)
    assert.match(await list('state=nonsense&age=x&after=y&provider=__proto__'), /later.csv/)
  })

  it('are given to a person, and noted on', async () => {
    const at = unknownCase(1)
    assert.equal(
      (await awa.post(`${at}/assign`, { person: binta.email }, { from: at })).status,
      303,
    )
    const mine = await awa.get(`${root}/cases?person=${encodeURIComponent(binta.email)}`)
    assert.ok(mine.text.includes(at))
    const wrong = await awa.post(`${at}/assign`, { person: 'nobody@x.example' }, { from: at })
    assert.deepEqual([wrong.status, /operator from the list/.test(wrong.visible)], [422, true])
    const empty = await awa.post(`${at}/note`, { text: ' ' }, { from: at })
    assert.deepEqual([empty.status, /1 to 2000 characters/.test(empty.visible)], [422, true])
    await awa.post(`${at}/note`, { text: 'Asked the provider' }, { from: at })
    assert.match((await auditor.get(at)).visible, /Notes Asked the provider/)
    assert.ok(!(await auditor.get(at)).text.includes('/mend?'))
    const token = tokenIn((await auditor.get(at)).text)
    for (const what of ['assign', 'note', 'mend'])
      assert.equal((await auditor.post(`${at}/${what}`, {}, { token })).status, 403)
    assert.equal((await awa.get(`${root}/cases/${paid}`)).status, 404)
  })

  it('are left as they are with a reason, once', async () => {
    const at = unknownCase(2)
    const closed = await audits('recon.closed')
    assert.match((await awa.get(`${at}/mend?how=ignore`)).visible, /no money moves/i)
    const without = await mend(awa, at, { how: 'ignore' })
    assert.deepEqual([without.status, /reason is needed/.test(without.visible)], [422, true])
    const token = tokenIn((await awa.get(`${at}/mend?how=ignore`)).text)
    const fields = { how: 'ignore', reason: payloads[1] ?? '' }
    const sent = [0, 1].map(() => awa.post(`${at}/mend`, fields, { token }))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    assert.ok(statuses.includes(303), String(statuses))
    const { visible, text } = await awa.get(at)
    assert.match(visible, /Closed by .*Left as it is/)
    assert.ok(!/<script>__xss/i.test(text))
    assert.equal((await mend(awa, at, { how: 'ignore', reason: 'again' })).status, 422)
    assert.equal(await audits('recon.closed'), closed + 1)
  })

  it('correct a balance: at once up to the amount, above it with two people', async () => {
    const [before = 0] = await balances(db, clientId)
    const small = { how: 'adjust', client: String(clientId), amount: '400', direction: 'give' }
    const account = 'provider:WALLETA:CI'
    const order = { ...small, account, reason: 'Seen in the portal' }
    const query = new URLSearchParams({ ...order, review: 'yes' }).toString()
    const review = await awa.get(`${unknownCase(3)}/mend?${query}`)
    assert.match(review.visible, /Wallet.A · CI −400 F CFA .*400 F CFA .*One person is enough/)
    assert.equal((await mend(awa, unknownCase(3), order)).status, 303)
    assert.equal((await balances(db, clientId))[0], before + 400)
    const at = unknownCase(4)
    assert.equal((await mend(awa, at, { ...order, amount: '5000' })).status, 303)
    const waiting = await awa.get(at)
    assert.match(waiting.visible, /Waits for approval .*Another person has to approve/)
    const proposal = /\/dashboard\/ops\/approvals\/[0-9a-f-]{36}/.exec(waiting.text)?.[0] ?? ''
    assert.equal((await balances(db, clientId))[0], before + 400)
    const decided = await binta.post(`${proposal}/decide`, { verb: 'approve' }, { from: proposal })
    assert.equal(decided.status, 303)
    assert.match((await awa.get(at)).visible, /Closed .*Balance corrected/)
    assert.equal((await balances(db, clientId))[0], before + 5400)
    const wrong = await awa.get(`${unknownCase(5)}/mend?how=adjust&review=yes&amount=1.5&client=no`)
    assert.match(wrong.visible, /name of a merchant.*whole amount.*Enter a reason/)
  })

  it('end an open transaction by this evidence, and never one that has ended', async () => {
    const at = caseOf(open)
    const final = await mend(awa, caseOf(missing), { how: 'failed', reason: 'not there' })
    assert.deepEqual([final.status, /cannot be done/.test(final.visible)], [422, true])
    assert.equal(await statusOf(missing), 'SUCCESS')
    assert.match((await awa.get(`${at}/mend?how=failed`)).visible, /ends as failed, by this/)
    const order = { how: 'failed', reason: 'Another amount was paid' }
    assert.equal((await mend(awa, at, order)).status, 303)
    const { text } = await awa.get(at)
    const proposal = /\/dashboard\/ops\/approvals\/[0-9a-f-]{36}/.exec(text)?.[0] ?? ''
    await binta.post(`${proposal}/decide`, { verb: 'approve' }, { from: proposal })
    assert.equal(await statusOf(open), 'FAILED')
    assert.match((await awa.get(at)).visible, /Transaction ended as the statement says/)
  })

  it('send money back that came too late', async () => {
    const at = caseOf(late)
    const page = await awa.get(at)
    assert.match(page.visible, /Other result/)
    assert.ok(page.text.includes('/dashboard/ops/conflicts/'), 'its conflict is one way off')
    assert.match((await awa.get(`${at}/mend?how=send_back`)).visible, /−5.000 F CFA/)
    assert.equal((await mend(awa, at, { how: 'send_back', reason: 'Paid late' })).status, 303)
    assert.match((await awa.get(at)).visible, /Waits for approval/)
  })

  it('are downloaded as CSV, XLSX and PDF', async () => {
    const report = (form: string) =>
      awa.get(`${root}/report?form=${form}&statement=${statement.id}`)
    const csv = await report('csv')
    assert.match(csv.headers.get('content-type') ?? '', /text\/csv/)
    assert.equal(csv.text.trim().split('\r\n').length, cases.length + 1)
    assert.match((await report('xlsx')).text, /^PK/)
    assert.match((await report('pdf')).text, /^%PDF/)
    assert.equal((await report('exe')).status, 404)
  })
})

describe('how files are read', () => {
  const at = `${root}/mappings/WALLETF_CI`

  it('is tried on a file, checked, saved and recorded', async () => {
    const send = async (fields: Record<string, string>, sample?: string) => {
      const form = new FormData()
      form.set('token', tokenIn((await awa.get(at)).text))
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      if (sample !== undefined) form.set('sample', new File([sample], 'sample.csv'))
      const init = { method: 'POST', body: form, headers: { cookie: awa.cookie } } as const
      const answer = await fetch(`${url}${at}`, { ...init, redirect: 'manual' })
      return { status: answer.status, text: await answer.text() }
    }
    const sample = 'Jour;Ref;Somme;Etat\n16/11/2026 10:30;R1;15000;OK\n'
    const mapping = {
      'columns.at': 'Jour',
      'columns.reference': 'Ref',
      'columns.amount': 'Somme',
      'columns.status': 'Etat',
      dates: 'dd/MM/yyyy HH:mm',
      statuses: 'OK = succeeded',
      'always.in': 'collect',
      'always.out': 'disburse',
      sign: 'amount',
      fees: 'collect = 100 + 0',
    }
    const tried = await send({ ...mapping, verb: 'try' }, sample)
    assert.equal(tried.status, 200, tried.text)
    assert.match(tried.text, /15.000.F CFA/)
    assert.equal(await audits('statement.mapping'), 0, 'trying keeps nothing')
    const wrong = await send({ ...mapping, dates: '', fees: 'nap = x', verb: 'save' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /value="Jour"/)
    assert.match(wrong.text, /fee of nap/)
    assert.match((await send({ verb: 'try' })).text, /Choose a file to try/)
    assert.match((await send({ verb: 'try' }, ' '.repeat(5e6 + 1))).text, /larger than 5000000/)
    assert.equal((await send({ ...mapping, verb: 'save' })).status, 303)
    assert.equal(await audits('statement.mapping'), 1)
    const { text, visible } = await awa.get(at)
    assert.match(text, /value="Jour"[^]*OK = succeeded[^]*collect = 100 \+ 0/)
    assert.match(visible, /Changed by/)
    assert.match((await auditor.get(at)).visible, /but not change it/)
    assert.equal((await awa.get(`${root}/mappings/NOBODY_SN`)).status, 404)
  })

  it('is guessed from the titles of a file, which is then understood', async () => {
    const file = 'Date;Référence;Montant;Statut\n16/11/2026 10:30;R1;15000;Réussi\n'
    const { location } = await upload(awa, { file, provider: 'WALLETG_CI' })
    const { text } = await awa.get(location)
    const href = /href="(\/dashboard\/ops\/recon\/mappings\/WALLETG_CI\?file=[0-9a-f-]+)"/.exec(
      text,
    )
    assert.match((await awa.get(href?.[1] ?? '')).text, /value="Montant"/)
  })
})

describe('in a browser', async () => {
  const browser = await testBrowser()

  test('a statement is imported and a difference is closed, on a phone', async () => {
    const file = (reference: string) => {
      const moment = systemClock.now().toISOString()
      const titles = 'moment;reference;our_reference;kind;number;amount;fee;status'
      const text = `${titles}\n${moment};${reference};;collect;771234567;900;0;succeeded`
      return { name: `${reference}.csv`, mimeType: 'text/csv', buffer: Buffer.from(text) }
    }
    for (const javaScriptEnabled of sized([true], [false, true])) {
      await using opened = await openPage(browser, { javaScriptEnabled })
      const { page } = opened
      await signInWith(page, url, awa.email)
      await page.goto(`${url}${root}/import`)
      await page.selectOption('#provider', 'WALLETE_CI')
      await page.setInputFiles('#file', file(javaScriptEnabled ? 'with' : 'without'))
      await page.click('main form button')
      await page.waitForSelector('text=What is understood')
      await page.check('#sure')
      await page.click('text=Import it now')
      await page.fill('#confirm-password', testPassword)
      await page.click('main form[method=post] button')
      // With scripts the page follows by itself, without them it is asked for again.
      if (!javaScriptEnabled)
        await eventually('it is imported', async () => {
          await page.goto(page.url())
          return (await page.innerText('main')).includes('The statement is imported')
        })
      await page.click('text=See the result')
      await page.click('text=Only theirs (1)')
      await page.click('td a:has-text("Only theirs")')
      await page.click('text=Leave it as it is')
      await page.fill('#reason', 'A test of the provider')
      await page.click('main form[method=post] button')
      await page.waitForSelector('text=It is done: the difference is closed')
      if (!javaScriptEnabled) continue
      const newest = await gateway.recon.list({ limit: 1 })
      const [one] = await gateway.recon.cases({}, { limit: 1 })
      const at = [`/statements/${newest[0]?.id}`, `/cases/${one?.id}`, '/cases', '/import']
      await assertScreens(
        page,
        ['', ...at, '/mappings/WALLETE_CI'].map((place) => `${root}${place}`),
      )
    }
  })
})

test('the money holds', () => assertMoney({ db }))
