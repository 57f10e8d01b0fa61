import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAudit } from '#data/db/audit-log.ts'
import { signedInOperator } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { openMailServer } from '#test/mail-server.ts'
import { missing } from '#test/needs.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { startAlertmanager } from '#test/watching.ts'

const path = '/dashboard/ops/alerts'
const skip = missing('prometheus-alertmanager')

describe('the page of alerts', { skip }, async () => {
  const mail = await openMailServer()
  const hook = await openReceiver()
  const to = { mail: `127.0.0.1:${mail.port}`, webhook: hook.url, isQuiet: true }
  const alertmanager = await startAlertmanager(to)
  const gateway = await liveGateway({ environment: { ALERTMANAGER_URL: alertmanager.url } })
  const operator = await signedInOperator(gateway)

  /** As Prometheus tells of it, again and again. */
  const fire = async () => {
    const [one] = [
      {
        labels: { alertname: 'FloatLow', severity: 'critical', provider: 'WALLETA_SN' },
        annotations: {
          summary: 'The float of <b>Wallet A</b> is low',
          runbook: '/dashboard/ops/runbooks/float-low',
        },
      },
    ]
    const body = JSON.stringify([one])
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body }
    assert.equal((await fetch(`${alertmanager.url}/api/v2/alerts`, init)).status, 200)
  }
  const told = (name: string) => hook.got.filter(({ body }) => body.includes(name)).length

  it('sends a test that arrives by mail and webhook', async () => {
    assert.match((await operator.get(path)).visible, /No alerts\./)
    const { status } = await operator.post(`${path}/test`, {}, { from: path })
    assert.equal(status, 303)
    const { visible } = await operator.get(path)
    assert.match(visible, /accepted the test alert.*A test, sent by .*: nothing is wrong Act now/)
    await eventually('the webhook', () => told('TestAlert') > 0)
    const [received] = await mail.has(1)
    assert.match(received?.mail.subject ?? '', /TestAlert/)
  })

  it('shows what fires, and who has acknowledged it by a silence of Alertmanager', async () => {
    await fire()
    await eventually('it is told of', () => told('FloatLow') > 0)
    const page = await operator.get(path)
    assert.match(page.text, /The float of &lt;b&gt;Wallet A/)
    assert.match(page.text, /href="\/dashboard\/ops\/runbooks\/float-low"/)
    const [, id = ''] =
      /name="id" value="([0-9a-f]+)">(?:(?!<\/form>)[^])*FloatLow/.exec(page.text) ?? []
    const sent = await operator.post(`${path}/acknowledge`, { id, span: 'morning' }, { from: path })
    assert.equal(sent.status, 303)
    const after = await operator.get(path)
    assert.match(after.visible, new RegExp(`Acknowledged: silent.*by ${operator.email} until`))
    const entries = await readAudit(gateway.db, { clientId: null, before: null, limit: 100 })
    const done = entries.filter(({ action }) => action === 'ops.alerts.change')
    assert.deepEqual(
      done.map(({ actor }) => actor),
      [operator.email, operator.email],
    )
    const gone = { id: 'ffffffffffffffff', span: 'hour' }
    await operator.post(`${path}/acknowledge`, gone, { from: path })
    assert.match((await operator.get(path)).visible, /This alert is over\./)
  })

  it('has no forms for an auditor', async () => {
    const auditor = await signedInOperator(gateway, 'auditor')
    const { text } = await auditor.get(path)
    assert.doesNotMatch(text, /alerts\/(test|acknowledge)"/)
    assert.equal((await auditor.post(`${path}/test`, {}, { from: path })).status, 403)
  })

  it('says that nobody is told when Alertmanager is away, and when there is none', async () => {
    alertmanager.stop()
    const silent = await eventually('it is away', async () => {
      const { visible } = await operator.get(path)
      return /does not answer \(ECONN\w+\): nobody is notified/.test(visible) && visible
    })
    assert.doesNotMatch(silent, /Send a test/)
    const other = await liveGateway()
    const { visible } = await (await signedInOperator(other)).get(path)
    assert.match(visible, /ALERTMANAGER_URL is not set: nobody is notified/)
  })
})
