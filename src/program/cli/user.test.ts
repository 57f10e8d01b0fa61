import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signIn, switchFactorOn } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { assertRefused, commandLine, dataFolder } from '#test/program.ts'

const gateway = await liveGateway()
const { url, clientId } = gateway
const environment = { DATABASE_URL: gateway.databaseUrl, DATA_DIR: await dataFolder() }
const passerelle = commandLine(environment)
const password = 'trois mots faciles'

/** Chooses a password with a link that was printed. */
const choose = (link: string) =>
  fetch(`${url}${new URL(link).pathname}`, {
    method: 'POST',
    body: new URLSearchParams({ password }),
    redirect: 'manual',
  })

const listed = async (email: string) => {
  const { people } = await passerelle.json('user list')
  return people.find((one: { email: string }) => one.email === email)
}

describe('a person made on the command line', () => {
  it('chooses a password with the link, once', async () => {
    const made = await passerelle.json(
      `user create awa@shop.example --client ${clientId} --role owner --name Awa --language en`,
    )
    assert.deepEqual([made.email, made.isNew], ['awa@shop.example', true])
    assert.equal((await listed('awa@shop.example')).hasPassword, false)
    assert.equal((await choose(made.link)).status, 303)
    assert.equal((await choose(made.link)).status, 404)
    const awa = await signIn(url, 'awa@shop.example', password)
    assert.match((await awa.get('/dashboard/account')).visible, /Role owner/)
  })

  it('gets one more role, and no second link', async () => {
    const other = await gateway.newMerchant()
    const command = `user create awa@shop.example --client ${other.clientId} --role viewer`
    const more = await passerelle.json(command)
    assert.deepEqual([more.isNew, more.link], [false, null])
    const { roles } = await listed('awa@shop.example')
    assert.deepEqual(new Set(Object.values(roles)), new Set(['owner', 'viewer']))
  })

  it('is an operator in one of four roles', async () => {
    const made = await passerelle.json('user create ops@gateway.example --operator operator')
    assert.equal((await choose(made.link)).status, 303)
    const ops = await signIn(url, 'ops@gateway.example', password)
    assert.equal((await ops.get('/dashboard/ops/users/invite')).status, 200)
    await passerelle.json('user create awa@shop.example --operator auditor')
    assert.equal((await listed('awa@shop.example')).operatorRole, 'auditor')
    assert.match(await passerelle.text('user list'), /owner of .*, auditor/)
    assertRefused(
      await passerelle.run('user create x@gateway.example --operator boss'),
      /Allowed choices are operator, finance-operator, support-operator, auditor/,
      /--help/,
    )
  })

  it('needs a place, a mail address and a good password', async () => {
    for (const [command, sentence] of [
      ['user create x@shop.example', /Give --client and --role, or --operator/],
      [`user create x@shop.example --client ${clientId}`, /belong together/],
      ['user create nobody --operator auditor', /nobody is not an email address/],
      ['user create x@shop.example --client Nobody --role owner', /client/],
      ['user reset x@shop.example', /There is no person x@shop\.example/],
    ] as const)
      assertRefused(await passerelle.run(command), sentence)
  })
})

describe('a reset', () => {
  it('ends the old password, and the second factor if that is asked for', async () => {
    const awa = await signIn(url, 'awa@shop.example', password)
    await switchFactorOn(awa)
    const { link } = await passerelle.json('user reset awa@shop.example')
    assert.equal((await choose(link)).headers.get('location'), '/dashboard/sign-in/code')
    const { link: second } = await passerelle.json('user reset awa@shop.example --second-factor')
    assert.equal((await choose(second)).headers.get('location'), '/dashboard')
    assert.equal((await listed('awa@shop.example')).hasSecondFactor, false)
  })
})

describe('removing', () => {
  it('keeps the last owner and the last operator', async () => {
    const last = /must keep at least one (owner|operator)/
    for (const command of [
      'user remove awa@shop.example',
      `user remove awa@shop.example --client ${clientId}`,
      'user remove ops@gateway.example',
      'user remove ops@gateway.example --operator',
    ])
      assertRefused(await passerelle.run(command), last)
  })

  it('takes a person out of one place, or deletes them with all they had', async () => {
    await passerelle.json('user remove awa@shop.example --operator')
    assert.equal((await listed('awa@shop.example')).operatorRole, null)
    await passerelle.json(`user create next@shop.example --client ${clientId} --role owner`)
    await passerelle.json(`user remove awa@shop.example --client ${clientId}`)
    assertRefused(
      await passerelle.run(`user remove awa@shop.example --client ${clientId}`),
      /not in this team/,
    )
    assertRefused(
      await passerelle.run(`user remove awa@shop.example --client ${clientId} --operator`),
      /not both/,
    )
    const awa = await signIn(url, 'awa@shop.example', password)
    await switchFactorOn(awa)
    await passerelle.json('user remove awa@shop.example')
    assert.equal(await listed('awa@shop.example'), undefined)
    assert.equal((await awa.get('/dashboard')).location, '/dashboard/sign-in')
  })
})
