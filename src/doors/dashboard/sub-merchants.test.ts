import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signedInAs } from '#test/dashboard.ts'
import { call, liveGateway } from '#test/live.ts'

const gateway = await liveGateway()
const owner = await signedInAs(gateway, 'owner')
const list = '/dashboard/sub-merchants'
const facts = { name: 'Dakar', commercialName: "L'Échoppe <b>d'Awa</b>", 'country-SN': 'yes' }

async function create(fields: Record<string, string> = {}): Promise<string> {
  const made = await owner.post(`${list}/new`, { ...facts, ...fields })
  assert.equal(made.status, 303, made.visible)
  return made.location ?? ''
}

const stateOf = async (path: string) =>
  (await call(gateway, `GET /api/v1/sub-merchant/${path.split('/').at(-1)}`)).body.data

it('a sub-merchant is created as the interface then shows it', async () => {
  assert.match((await owner.get(list)).visible, /No sub-merchants/)
  const path = await create({ city: ' Dakar ', 'country-CI': 'yes' })
  const { name, commercialName, countries, city, isActive, isDefault } = await stateOf(path)
  assert.deepEqual(
    { name, commercialName, countries, city, isActive, isDefault },
    {
      name: 'Dakar',
      commercialName: facts.commercialName,
      countries: ['SN', 'CI'],
      city: 'Dakar',
      isActive: true,
      isDefault: true,
    },
  )
  const { text, visible } = await owner.get(list)
  assert.match(visible, /Dakar .*Senegal, Côte d’Ivoire Active Default/)
  assert.ok(!text.includes('<b>d'))
})

it('a form with mistakes comes back with what was typed and a sentence for each', async () => {
  const fields = { name: '', commercialName: 'x'.repeat(101), websiteUrl: 'nope', city: 'Thiès' }
  const { status, text } = await owner.post(`${list}/new`, fields)
  assert.equal(status, 422)
  for (const name of ['name', 'commercialName', 'websiteUrl'])
    assert.match(text, new RegExp(`id="${name}-problem"`))
  assert.match(text, /choose at least one/)
  assert.match(text, /value="Thiès"/)
})

it('it is changed, deactivated, activated and made the default', async () => {
  const path = await create({ name: 'Second' })
  await owner.post(path, { ...facts, name: 'Renamed', city: 'Saint-Louis' })
  assert.deepEqual(
    [(await stateOf(path)).name, (await stateOf(path)).city],
    ['Renamed', 'Saint-Louis'],
  )
  for (const [verb, expected] of [
    ['default', [true, true]],
    ['deactivate', [false, false]],
    ['activate', [true, false]],
  ] as const) {
    assert.equal((await owner.post(path, { verb })).status, 303, verb)
    const { isActive, isDefault } = await stateOf(path)
    if (verb !== 'activate') assert.deepEqual([isActive, isDefault], expected, verb)
    else assert.equal(isActive, true)
  }
})

it('one of another merchant is not found', async () => {
  const path = await create({ name: 'Third' })
  const stranger = await signedInAs({ ...gateway, ...(await gateway.newMerchant()) }, 'owner')
  assert.equal((await stranger.get(path)).status, 404)
  assert.equal((await stranger.post(path, facts, { from: list })).status, 404)
  assert.equal((await owner.get(`${list}/nope`)).status, 404)
})

it('support sees it and has no form to change it', async () => {
  const support = await signedInAs(gateway, 'support')
  const path = await create({ name: 'Fourth' })
  const { status, text } = await support.get(path)
  assert.equal(status, 200)
  assert.doesNotMatch(text, /name="commercialName"/)
  assert.equal((await support.post(path, facts, { from: list })).status, 403)
})
