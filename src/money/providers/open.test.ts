import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { type Service, services } from '#merchants/catalog/services.ts'
import { newAttempt } from '#test/attempt.ts'
import { eventually } from '#test/wait.ts'
import { startLab } from '../../../lab/server.ts'
import { sandboxBindings } from './bindings.ts'
import type { Attempt } from './contract.ts'
import { openProviders } from './open.ts'

const lab = await startLab({ pace: 20 })
const logged: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
const paused = new Set<string>()
const providers = openProviders({
  bindings: sandboxBindings(lab.url),
  log,
  isPaused: (name) => paused.has(name),
})
after(async () => {
  providers.close()
  await lab.close()
})

const serviceOf = (code: string) => services.find((one) => one.code === code) as Service
const providerOf = (code: string) => providers.find(serviceOf(code)) ?? assert.fail(code)

function collectionOf(code: string): Attempt {
  const phone = `78${randomInt(1_000_000, 9_999_999)}`
  return newAttempt(serviceOf(code), 'collect', { phone })
}

async function setOutage(connector: string, mode: string, seconds: number): Promise<void> {
  const body = JSON.stringify({ connector, mode, seconds })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${lab.url}/lab/outage`, { method: 'POST', headers, body })
  assert.equal(answer.status, 200)
}

describe('providers', () => {
  it('are found by provider and country, and listed', () => {
    assert.equal(providerOf('WALLETA_SN_CASHIN'), providerOf('WALLETA_SN_CASHOUT'))
    assert.notEqual(providerOf('WALLETA_SN_CASHOUT'), providerOf('WALLETA_CI_CASHOUT'))
    assert.equal(providers.find({ provider: 'WALLETZ', country: 'SN' }), undefined)
    assert.equal(new Set(services.map((one) => providerOf(one.code))).size, providers.all().length)
  })

  it('do not show their credentials', () => {
    assert.ok(!JSON.stringify(providers.all()).includes('lab_'))
  })

  it('refuse orders while paused, and answer queries', async () => {
    const code = 'WALLETC_SN_CASHOUT'
    const attempt = collectionOf(code)
    await providerOf(code).connector.submit(attempt)
    paused.add('WALLETC_SN')
    assert.deepEqual(await providerOf(code).connector.submit(collectionOf(code)), {
      kind: 'not_sent',
      reason: 'paused by an operator',
    })
    // Queries about earlier orders are still sent.
    assert.notEqual((await providerOf(code).connector.query(attempt)).kind, 'unknown')
    assert.equal(providerOf(code).isAvailable(), false)
    assert.equal(providerOf('WALLETA_SN_CASHOUT').isAvailable(), true)
    paused.clear()
    assert.equal(providerOf(code).isAvailable(), true)
  })

  it('are opened only for connectors that exist', () => {
    const [first] = sandboxBindings(lab.url)
    assert.ok(first)
    const bindings = [{ ...first, connector: 'smoke' }]
    assert.throws(() => openProviders({ bindings, log }), /no connector "smoke"/)
  })
})

describe('a provider that hangs', () => {
  it('keeps no other provider waiting, is soon down, and is up again later', async () => {
    const dead = 'WALLETB_SN_CASHOUT'
    const alive = 'WALLETA_SN_CASHOUT'
    const submit = (code: string) => providerOf(code).connector.submit(collectionOf(code))
    await setOutage('checkout-session', 'hang', 3600)
    // Once it is down, orders to it are refused at once.
    for (let count = 0; count < 50 && providerOf(dead).isAvailable(); count++) {
      const hanging = submit(dead).then(() => 'the one that hangs')
      const answered = submit(alive).then(({ kind }) => kind)
      assert.equal(await Promise.race([hanging, answered]), 'accepted')
    }
    await eventually('it is down', () => !providerOf(dead).isAvailable())
    assert.equal(providerOf(dead).status().state, 'down')
    assert.equal(providerOf('WALLETB_ML_CASHOUT').status().state, 'up')
    assert.equal(providerOf(alive).status().state, 'up')

    await setOutage('checkout-session', 'hang', 0)
    await eventually('a probe is answered', () => providerOf(dead).isAvailable())
    assert.equal((await submit(dead)).kind, 'accepted')
    await eventually('it is up', () => providerOf(dead).status().state === 'up')
    assert.match(logged.join(''), /WALLETB_SN.*is down[\s\S]*WALLETB_SN.*is back/)
  })
})
