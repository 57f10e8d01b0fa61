import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testInstallation } from '#test/installation.ts'
import { openLoad } from '#test/load.ts'
import { assertMoney } from '#test/money.ts'
import { startGateway } from '#test/program.ts'

const { db, lab, environment, expireLeases, untilAllEnded } = await testInstallation()

it('a gateway answers all requests on open connections at SIGTERM (O1)', async () => {
  const gateway = await startGateway(environment)
  const load = openLoad({ url: gateway.url, secret: 'sk_sandbox_demo_enterprise' })
  await load.reaches(50)
  gateway.kill('SIGTERM')
  await load.untilClosed()
  const { refused, lost } = await load.end()
  assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
  const { code, stdout } = await gateway.ended
  assert.equal(code, 0)
  // Between them, lines of the log.
  assert.match(stdout, /SIGTERM: finishing what is under way…\n(\{.*\}\n)*Stopped\.\n$/)
  await expireLeases()
  const last = await startGateway(environment)
  await untilAllEnded()
  await last.stop()
  await assertMoney({ db, lab })
})
