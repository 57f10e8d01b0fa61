import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testInstallation } from '#test/installation.ts'
import { post } from '#test/live.ts'
import { openMailServer } from '#test/mail-server.ts'
import { missing } from '#test/needs.ts'
import { commandLine, startGateway } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { startAlertmanager, startPrometheus } from '#test/watching.ts'

const skip = missing('prometheus', 'prometheus-alertmanager')

interface Notice {
  status: string
  groupLabels: { alertname: string }
  alerts: { status: string }[]
}

it('a red gateway is told of once by mail and webhook, and its end', { skip }, async () => {
  const { lab, environment } = await testInstallation()
  const mail = await openMailServer()
  const hook = await openReceiver()
  const to = { mail: `127.0.0.1:${mail.port}`, webhook: hook.url, isQuiet: true }
  const alertmanager = await startAlertmanager(to)
  const passerelle = commandLine({ ...environment, ALERTMANAGER_URL: alertmanager.url }, 'shared')
  const gateway = await startGateway(environment)
  // A pair of them, as many installations have: each tells of the same alerts.
  const pair = await Promise.all(
    [1, 2].map(() => startPrometheus([gateway.url], [alertmanager.url])),
  )
  const notices = (name: string): string[] =>
    hook.got
      .map(({ body }) => JSON.parse(body) as Notice)
      .filter(({ groupLabels }) => groupLabels.alertname === name)
      .map(({ status }) => status)
  const mails = (name: string): string[] =>
    mail.got.map((one) => one.mail.subject ?? '').filter((subject) => subject.includes(name))
  const float = async (balance: number) =>
    post(`${lab.url}/lab/float`, {
      connector: 'gsma',
      provider: 'WALLETA',
      country: 'SN',
      balance,
    })

  // Not yellow, which is quiet now, though its alerts fire: there is no drill, no proof.
  await eventually('yellow fires in both', async () => {
    const all = await Promise.all(pair.map((one) => one.firing()))
    return all.every((names) => names?.includes('ProofOld') && names.includes('DrillMissing'))
  })
  await float(10_000)
  await passerelle.text('float set WALLETA SN --warn 50000 --alarm 20000')
  await eventually('red is told of', () => notices('FloatTooLow').length > 0)
  await eventually('by mail too', () => mails('FloatTooLow').length > 0)
  // A later one is told of meanwhile: the first was not told again.
  assert.match(await passerelle.text('alert test'), /accepted the test alert/)
  await eventually('the test arrives', () => notices('TestAlert').length > 0)
  await eventually('by mail too', () => mails('TestAlert').length > 0)
  await float(900_000)
  await eventually('its end is told', () => notices('FloatTooLow').includes('resolved'))
  await eventually('by mail too', () => mails('FloatTooLow').length > 1)
  assert.deepEqual(notices('FloatTooLow'), ['firing', 'resolved'])
  assert.deepEqual(
    mails('FloatTooLow').map((subject) => subject.split(' ')[0]?.replace(/:.*/, '')),
    ['[FIRING', '[RESOLVED]'],
  )
  assert.deepEqual([...notices('ProofOld'), ...notices('DrillMissing')], [])
  assert.deepEqual(mail.got[0]?.to, ['operators@example.com'])

  // When the quiet hours end, what is yellow still is told.
  alertmanager.stop()
  const morning = await startAlertmanager({ ...to, isQuiet: false })
  await startPrometheus([gateway.url], [morning.url])
  await eventually('yellow is told of', () => notices('ProofOld').length > 0)
  const away = await passerelle.run('alert test')
  assert.equal(away.code, 1)
  assert.match(away.stderr, /Alertmanager refused: ECONNREFUSED/)
  await gateway.stop()
})
