import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  type Action,
  type AnyRole,
  actions,
  isOpsAction,
  may,
  operatorRoles,
  roles,
} from '#merchants/people/rights.ts'
import {
  type DashboardAnswer,
  type SignedIn,
  signedInAs,
  signedInOperator,
  tokenIn,
} from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { guardedRoutes, type Route } from '#test/screenshots/routes.ts'
import { auditWord } from './audit-words.ts'

const everybody: AnyRole[] = [...roles, ...operatorRoles]

// What each role may do, written a second time: a change of the rights is a change of this table.
const expected = `
action                   owner admin finan devel suppo viewe opera op-fi op-su audit
home.read                yes   yes   yes   yes   yes   yes   -     -     -     -
transaction.read         yes   yes   yes   yes   yes   yes   -     -     -     -
transaction.export       yes   yes   yes   yes   -     yes   -     -     -     -
transaction.refund       yes   yes   yes   -     -     -     -     -     -     -
transaction.requery      yes   yes   yes   yes   yes   -     -     -     -     -
link.read                yes   yes   yes   yes   yes   yes   -     -     -     -
link.create              yes   yes   yes   yes   yes   -     -     -     -     -
link.expire              yes   yes   yes   -     -     -     -     -     -     -
payment.make             yes   yes   yes   -     -     -     -     -     -     -
batch.read               yes   yes   yes   -     -     yes   -     -     -     -
payout.propose           yes   yes   yes   -     -     -     -     -     -     -
payout.approve           yes   yes   yes   -     -     -     -     -     -     -
balance.read             yes   yes   yes   -     -     yes   -     -     -     -
statement.export         yes   yes   yes   -     -     yes   -     -     -     -
sub-merchant.read        yes   yes   yes   yes   yes   yes   -     -     -     -
sub-merchant.change      yes   yes   -     -     -     -     -     -     -     -
developer.read           yes   yes   -     yes   yes   -     -     -     -     -
key.change               yes   yes   -     yes   -     -     -     -     -     -
secret.rotate            yes   yes   -     yes   -     -     -     -     -     -
callback.change          yes   yes   -     yes   -     -     -     -     -     -
event.resend             yes   yes   -     yes   yes   -     -     -     -     -
token.read               yes   yes   yes   yes   yes   -     -     -     -     -
team.read                yes   yes   yes   yes   yes   yes   -     -     -     -
team.change              yes   yes   -     -     -     -     -     -     -     -
owner.change             yes   -     -     -     -     -     -     -     -     -
audit.read               yes   yes   -     -     -     -     -     -     -     -
settings.read            yes   yes   yes   yes   yes   yes   -     -     -     -
settings.change          yes   yes   -     -     -     -     -     -     -     -
account.change           yes   yes   yes   yes   yes   yes   yes   yes   yes   yes
number.read              yes   yes   yes   yes   -     yes   yes   yes   -     yes
ops.read                 -     -     -     -     -     -     yes   yes   yes   yes
ops.alerts.change        -     -     -     -     -     -     yes   yes   yes   -
ops.clients.change       -     -     -     -     -     -     yes   -     -     -
ops.money.propose        -     -     -     -     -     -     yes   yes   -     -
ops.money.approve        -     -     -     -     -     -     yes   yes   -     -
ops.providers.change     -     -     -     -     -     -     yes   -     -     -
ops.transactions.requery -     -     -     -     -     -     yes   yes   yes   -
ops.transactions.resolve -     -     -     -     -     -     yes   yes   -     -
ops.webhooks.resend      -     -     -     -     -     -     yes   -     yes   -
ops.limits.change        -     -     -     -     -     -     yes   yes   -     -
ops.maintenance.change   -     -     -     -     -     -     yes   -     -     -
ops.mails.resend         -     -     -     -     -     -     yes   -     yes   -
ops.users.change         -     -     -     -     -     -     yes   -     -     -
ops.recon.read           -     -     -     -     -     -     yes   yes   -     yes
ops.recon.import         -     -     -     -     -     -     yes   yes   -     -
ops.recon.mend           -     -     -     -     -     -     yes   yes   -     -
ops.audit.read           -     -     -     -     -     -     yes   yes   -     yes
ops.number.export        -     -     -     -     -     -     yes   yes   -     yes
ops.number.forget        -     -     -     -     -     -     yes   yes   -     -
`

describe('the table of rights', () => {
  const [, ...lines] = expected.trim().split('\n')
  const cells = new Map(
    lines.map((line) => {
      const [action = '', ...marks] = line.trim().split(/\s+/)
      return [action, marks.map((mark) => mark === 'yes')]
    }),
  )

  it('has a line for each action', () => assert.deepEqual([...cells.keys()], actions))

  for (const action of actions)
    for (const [index, role] of everybody.entries())
      it(`${role} ${cells.get(action)?.[index] ? 'may' : 'may not'} ${action}`, () =>
        assert.equal(may(role, action), cells.get(action)?.[index]))
})

it('all that is recorded has words in both languages', () => {
  const texts = globSync('src/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
  const recorded = texts.flatMap((text) =>
    [...text.matchAll(/recordAudit\([^]*?action: '([\w.-]+)'/g)].map(([, action = '']) => action),
  )
  assert.ok(recorded.length > 10)
  const asked = actions.filter((action) => /\.(?!read$|export$)\w+$/.test(action))
  for (const language of ['fr', 'en'] as const)
    assert.deepEqual(
      [...new Set([...recorded, ...asked])].filter((one) => auditWord(language, one) === one),
      [],
      language,
    )
})

const someId = '01a1e64a-d0e3-7848-849a-1a011969ef64'

/** Every page and form behind a right, as the routes add them: none can be forgotten here. */
function routesOf(): Route[] {
  return guardedRoutes().map((route) => ({
    ...route,
    path: route.path.replaceAll(/:\w+/g, someId),
  }))
}

describe('every address of the dashboard', async () => {
  const gateway = await liveGateway()
  const routes = routesOf()

  it('is found', () => {
    assert.ok(routes.filter(({ method }) => method === 'GET').length > 20)
    assert.ok(routes.filter(({ method }) => method === 'POST').length > 15)
  })

  it('is of operators exactly where the address says so', () => {
    for (const { path, action } of routes)
      assert.equal(path.startsWith('/dashboard/ops'), isOpsAction(action), `${path} asks ${action}`)
  })

  const isWalked = ({ method, path, action }: Route, role: AnyRole) =>
    // What is allowed is tested where it is built: here it would do all of it.
    !(method === 'POST' && may(role, action)) &&
    // A stream of changes does not end.
    !path.endsWith('/live')

  /** The statuses and places of all addresses for a person, by method and path. */
  async function walk(person: SignedIn, role: AnyRole, home: string) {
    const answers: [Route, DashboardAnswer][] = []
    // Serves for all: a form that is refused does not use it up.
    const token = tokenIn((await person.get(home)).text)
    assert.notEqual(token, '')
    for (const route of routes.filter((one) => isWalked(one, role))) {
      const { method, path } = route
      const sent =
        method === 'GET' ? await person.get(path) : await person.post(path, {}, { token })
      answers.push([route, sent])
    }
    assert.ok(answers.length > 30)
    return answers
  }

  for (const role of roles)
    it(`is open to ${role} exactly as its rights say, and else a 404`, async () => {
      const person = await signedInAs(gateway, role)
      for (const [{ method, path, action }, { status }] of await walk(person, role, '/dashboard')) {
        const place = `${method} ${path} gives ${status}`
        if (isOpsAction(action)) assert.equal(status, 404, place)
        else assert.equal(status === 403, !may(role, action), place)
      }
    })

  // What moves money, or gives somebody the means to.
  const sensitive = new Set<Action>([
    'transaction.refund',
    'payment.make',
    'payout.propose',
    'payout.approve',
    'key.change',
    'secret.rotate',
    'callback.change',
    'team.change',
  ])
  const harmless = new Set([
    // A file that nobody has proposed yet.
    '/dashboard/batches',
    // Takes an invitation back.
    `/dashboard/team/invitations/${someId}`,
  ])

  it('that moves money or gives rights asks for the password again after 15 minutes', async () => {
    const person = await signedInAs(gateway, 'owner')
    const token = tokenIn((await person.get('/dashboard')).text)
    await gateway.db`update sessions set confirmed_at = now() - interval '16 minutes'`
    const asking = routes.filter(
      ({ method, path, action }) =>
        method === 'POST' && sensitive.has(action) && !harmless.has(path),
    )
    assert.ok(asking.length >= 10, `only ${asking.length} forms`)
    for (const { path } of asking) {
      const { status, visible } = await person.post(path, {}, { token })
      assert.deepEqual([status, /enter your password/.test(visible)], [403, true], path)
    }
  })

  for (const role of operatorRoles)
    it(`is open to ${role} exactly as its rights say, and else leads home`, async () => {
      const person = await signedInOperator(gateway, role)
      for (const [{ method, path, action }, answer] of await walk(person, role, '/dashboard/ops')) {
        const { status, location } = answer
        const place = `${method} ${path} gives ${status}`
        if (isOpsAction(action) || may(role, action))
          assert.equal(status === 403, !may(role, action), place)
        else assert.equal(location, '/dashboard/ops', place)
      }
    })
})
