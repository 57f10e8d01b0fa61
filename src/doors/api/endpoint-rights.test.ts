import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type KeyRight, keyRights } from '#merchants/clients/key-rights.ts'
import { testGateway } from '#test/app.ts'
import { initBody } from '#test/live.ts'
import { eventually } from '#test/wait.ts'
import { endpointRights } from './endpoint-rights.ts'

const gateway = await testGateway()
const { connect, clientId, newKey } = gateway
const owner = connect({ asOwner: true })
const app = await gateway.start()

const keyWith = async (rights: readonly KeyRight[]) => (await newKey(clientId, { rights })).secret
const { paths } = (await app.send('GET /openapi.json')).body as {
  paths: Record<string, Record<string, { operationId: string; description: string }>>
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, description }]) => {
    const isRead = method === 'get'
    const known: Record<string, readonly KeyRight[]> = endpointRights
    return {
      operationId,
      description,
      target: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`,
      needed: known[operationId] ?? (isRead ? (['read'] as const) : undefined),
    }
  }),
)

describe('every endpoint', () => {
  for (const { operationId, description, target, needed } of operations) {
    it(`says which right it needs: ${operationId}`, () => {
      assert.ok(needed)
      const words = needed.map((right) => `\`${right}\``).join(' or ')
      assert.ok(description.endsWith(`Needs the right ${words} of its key.`), description)
    })
    if (needed === undefined || target === 'GET /api/v1/events/stream') continue
    it(`is refused to a key with all other rights: ${operationId}`, async () => {
      const key = await keyWith(keyRights.filter((right) => !needed.includes(right)))
      const { status, body } = await app.send(target, { key })
      assert.deepEqual([status, body.code], [403, 'RIGHT_MISSING'])
      assert.deepEqual(body.message, [`This key lacks the right ${needed.join(' / ')}`])
    })
    for (const right of needed)
      it(`is open to a key with ${right} alone: ${operationId}`, async () => {
        const { status } = await app.send(target, { key: await keyWith([right]) })
        assert.notEqual(status, 403)
      })
  }

  it('that is named with a right is one', () => {
    const names = new Set(operations.map(({ operationId }) => operationId))
    assert.deepEqual(
      Object.keys(endpointRights).filter((name) => !names.has(name)),
      [],
    )
  })
})

describe('an initialisation', () => {
  const cases: [service: string, right: KeyRight][] = [
    ['WALLETA_SN_CASHOUT', 'collect'],
    ['WALLETA_SN_CASHIN', 'pay'],
    ['OPERATOR1_SN_AIRTIME', 'pay'],
  ]
  const send = async (serviceCode: string, rights: readonly KeyRight[]) =>
    app.send('POST /api/v1/transaction/init', {
      key: await keyWith(rights),
      json: initBody({ serviceCode, amount: 'wrong' }),
    })
  for (const [service, right] of cases)
    it(`of ${service} needs ${right}, and is refused before its body is checked`, async () => {
      const others = keyRights.filter((one) => one !== right)
      const refused = await send(service, others)
      assert.deepEqual([refused.status, refused.body.code], [403, 'RIGHT_MISSING'])
      assert.deepEqual(refused.body.message, [`This key lacks the right ${right}`])
      assert.equal((await send(service, [right])).status, 400)
    })

  it('of an unknown service is a wrong request to whoever may begin anything', async () => {
    assert.equal((await send('NOBODY', ['collect'])).status, 400)
    assert.equal((await send('NOBODY', ['refund'])).status, 403)
  })
})

it('a repetition by a key that has lost its right is refused', async () => {
  const { id, secret: key } = await newKey(clientId)
  const request = {
    key,
    json: { name: 'Shop', commercialName: 'Chez Awa', countries: ['SN'] },
    headers: { 'idempotency-key': 'again' },
  }
  const send = () => app.send('POST /api/v1/sub-merchant', request)
  assert.equal((await send()).status, 201)
  const repeated = await send()
  assert.equal(repeated.headers['idempotent-replayed'], 'true')
  await owner`update api_keys set rights = '{read,pay}' where id = ${id}`
  await eventually('the change is seen', async () => (await send()).status === 403)
})

it('the table of the documentation is that of the program', () => {
  const text = readFileSync(new URL('../../../docs/keys.md', import.meta.url), 'utf8')
  const told: Record<string, string[]> = {}
  for (const line of text.split('\n')) {
    const [, rights = '', , endpoints = ''] = line.split('|')
    for (const [, name = ''] of endpoints.matchAll(/`(\w+[a-z][A-Z]\w+)`/g))
      told[name] = [
        ...(told[name] ?? []),
        ...[...rights.matchAll(/`(\w+)`/g)].map(([, one = '']) => one),
      ]
  }
  assert.deepEqual(told, endpointRights)
})
