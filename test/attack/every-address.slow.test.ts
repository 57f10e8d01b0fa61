import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sendOnce } from '../../chaos/attack/flood.ts'
import { hostileFiles } from '../../chaos/attack/inputs.ts'
import { readTree, routesOfGateway } from '../../chaos/attack/routes.ts'
import { type Attacker, attackOf, inputsFor, nextAddress } from '../../chaos/attack/search.ts'
import { signedInAs, tokenIn } from '../dashboard.ts'
import { newLink } from '../links.ts'
import { liveGateway } from '../live.ts'
import { assertMoney } from '../money.ts'

const gateway = await liveGateway()
const { url, secret } = gateway
const routes = await routesOfGateway()
const files = await hostileFiles()
const linkId = await newLink(gateway)

const urls = { direct: url, proxy: url }
const knows = { linkId, addresses: new Map(), examples: new Map() }
const nobody: Attacker = { name: 'anyone', headers: {}, token: '', ...knows }
const key = { ...nobody, name: 'a key', headers: { authorization: `Bearer ${secret}` } }

async function owner(): Promise<Attacker> {
  const { cookie, get } = await signedInAs(gateway, 'owner')
  const token = tokenIn((await get('/dashboard')).text)
  return { name: 'an owner', headers: { cookie }, token, ...knows }
}

/** Whether what was sent has ended the session. */
async function isOver({ headers }: Attacker): Promise<boolean> {
  if (headers.cookie === undefined) return false
  return (await fetch(`${url}/dashboard`, { headers, redirect: 'manual' })).status !== 200
}

type Party = [who: string, open: () => Promise<Attacker>, begins: string]

const parties: Party[] = [
  ['anyone', async () => nobody, '/'],
  ['a program of a merchant', async () => key, '/api/'],
  ['an owner who is signed in', owner, '/dashboard'],
]

describe('an address of the gateway', () => {
  it('is one of those that its routes say', () => {
    const tree = '└── / (GET, HEAD)\n    ├── a (GET)\n    │   └── /:id (POST)\n    └── b (PUT)'
    const read = readTree(tree).map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(read, ['GET /', 'GET /a', 'POST /a/:id', 'PUT /b'])
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    for (const one of [
      'POST /api/v1/transaction/init',
      'POST /callbacks/:connector',
      'POST /dashboard/batches',
      'POST /pay/process/:id/pay',
      'GET /docs',
    ])
      assert.ok(known.has(one), one)
  })

  for (const [who, open, begins] of parties)
    it(`answers ${who} without an error of its own`, async () => {
      const wrong: string[] = []
      let attacker = await open()
      for (const route of routes.filter(({ path }) => path.startsWith(begins))) {
        if (await isOver(attacker)) attacker = await open()
        for (const input of inputsFor(attacker, route, { isThorough: true, files })) {
          if (input.isDripped === true) continue
          const attack = attackOf(attacker, route, { input, urls })
          const body = Buffer.from(attack.body, 'base64')
          const status = await sendOnce(attack, body, { localAddress: nextAddress() })
          if (status >= 500) wrong.push(`${attack.name}: ${status}`)
        }
      }
      assert.deepEqual(wrong, [])
      assert.equal((await fetch(`${url}/livez`)).status, 200)
    })

  it('moves no money by what it was sent', () => assertMoney(gateway))
})
