import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { addPerson, signedInAs, signIn, tokenIn } from '../../test/dashboard.ts'
import { liveGateway } from '../../test/live.ts'
import type { Action, AnyRole } from '../people/rights.ts'
import { actions, may, roles } from '../people/rights.ts'

const everybody: AnyRole[] = [...roles, 'operator']

// What each role may do, written a second time: a change of the rights is a change of this table.
const expected = `
action                owner admin finan devel suppo viewe opera
home.read             yes   yes   yes   yes   yes   yes   yes
transaction.read      yes   yes   yes   yes   yes   yes   yes
transaction.export    yes   yes   yes   yes   -     yes   yes
transaction.refund    yes   yes   yes   -     -     -     -
transaction.requery   yes   yes   yes   yes   yes   -     -
number.read           yes   yes   yes   yes   -     yes   yes
token.read            yes   yes   yes   yes   yes   -     -
link.read             yes   yes   yes   yes   yes   yes   yes
link.create           yes   yes   yes   yes   yes   -     -
link.expire           yes   yes   yes   -     -     -     -
payment.make          yes   yes   yes   -     -     -     -
batch.read            yes   yes   yes   -     -     yes   yes
payout.propose        yes   yes   yes   -     -     -     -
payout.approve        yes   yes   yes   -     -     -     -
balance.read          yes   yes   yes   -     -     yes   yes
statement.export      yes   yes   yes   -     -     yes   yes
sub-merchant.read     yes   yes   yes   yes   yes   yes   yes
sub-merchant.change   yes   yes   -     -     -     -     -
developer.read        yes   yes   -     yes   yes   -     yes
key.change            yes   yes   -     yes   -     -     -
secret.rotate         yes   yes   -     yes   -     -     -
callback.change       yes   yes   -     yes   -     -     -
event.resend          yes   yes   -     yes   yes   -     -
team.read             yes   yes   yes   yes   yes   yes   yes
team.change           yes   yes   -     -     -     -     -
owner.change          yes   -     -     -     -     -     -
audit.read            yes   yes   -     -     -     -     yes
settings.read         yes   yes   yes   yes   yes   yes   yes
settings.change       yes   yes   -     -     -     -     -
account.change        yes   yes   yes   yes   yes   yes   yes
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

interface Route {
  method: 'GET' | 'POST'
  path: string
  action: Action
}

/** Every page and form behind a right, read from the sources: none can be forgotten here. */
function routesOf(): Route[] {
  const texts = globSync('src/dashboard/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/frame/'))
    .map((file) => readFileSync(file, 'utf8'))
  const found = (pattern: RegExp, method: Route['method']) =>
    texts.flatMap((text) =>
      [...text.matchAll(pattern)].map(([, path = '', action = '']) => ({
        method,
        path: path.replaceAll(/:\w+/g, '01a1e64a-d0e3-7848-849a-1a011969ef64'),
        action: action as Action,
      })),
    )
  return [
    ...found(/pages\.(?:screen|answer)\(\s*'([^']+)',\s*'([^']+)'/g, 'GET'),
    ...found(/pages\.(?:action|upload)\(\s*'([^']+)',\s*\{[^}]*action: '([^']+)'/g, 'POST'),
  ]
}

describe('every address of the dashboard', async () => {
  const gateway = await liveGateway()
  const routes = routesOf()

  it('is found in the sources', () => {
    assert.ok(routes.filter(({ method }) => method === 'GET').length > 20)
    assert.ok(routes.filter(({ method }) => method === 'POST').length > 15)
  })

  for (const role of everybody)
    it(`is open to ${role} exactly as the rights say`, async () => {
      const person =
        role === 'operator'
          ? await signIn(gateway.url, await addPerson(gateway))
          : await signedInAs(gateway, role)
      if (role === 'operator')
        await person.post('/dashboard/clients', { client: String(gateway.clientId) })
      for (const { method, path, action } of routes) {
        const isAllowed = may(role, action)
        // What is allowed is tested where it is built: here it would do all of it.
        if (method === 'POST' && isAllowed) continue
        // A stream of changes does not end.
        if (path.endsWith('/live')) continue
        const token = tokenIn((await person.get('/dashboard')).text)
        const { status } =
          method === 'GET' ? await person.get(path) : await person.post(path, {}, { token })
        assert.equal(status === 403, !isAllowed, `${method} ${path} gives ${status}`)
      }
    })
})
