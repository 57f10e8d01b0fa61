import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { missing } from '#test/needs.ts'

// That the members take over, and lose nothing, is tried by `npm run chaos -- failover`.
const read = (name: string) => readFileSync(`deploy/${name}`, 'utf8')
const { dcs } = parse(read('patroni/patroni.yml')).bootstrap

it('nothing is acknowledged by one member alone', () => {
  assert.deepEqual([dcs.synchronous_mode, dcs.synchronous_mode_strict], [true, true])
  assert.equal(dcs.postgresql.parameters.synchronous_commit, 'on')
})

it('the lock of a primary lasts for all that renews it', () => {
  assert.ok(dcs.ttl >= 20 && dcs.ttl >= dcs.loop_wait + 2 * dcs.retry_timeout)
})

it('the lock is kept where Patroni 3.0.2 never takes it back from another member', () => {
  assert.match(read('patroni/member.env.example'), /^PATRONI_ETCD_HOSTS=/m)
  assert.match(read('patroni/etcd.env.example'), /^ETCD_ENABLE_V2=true$/m)
})

it('members hand their log over by the command that sets up the archive', () => {
  const [, wanted = ''] = /^wanted="(.*)"$/m.exec(read('pgbackrest/set-up')) ?? []
  const command = wanted.replace('$places', '').replace('$stanza', 'passerelle')
  assert.equal(dcs.postgresql.parameters.archive_command, command)
  assert.equal(dcs.postgresql.parameters.archive_timeout, 60)
})

it('gateways and relays ask the members the same', () => {
  const asked = (text: string) =>
    text.match(/^ {2}(option httpchk|http-check|default-server) .*$/gm)
  const [, database = ''] = read('haproxy/passerelle.cfg').split('\ndefaults database\n')
  const ofGateways = asked(database.split('\nfrontend ')[0] ?? '')
  assert.equal(ofGateways?.length, 3)
  assert.deepEqual(asked(read('patroni/relay.cfg')), ofGateways)
})

it('HAProxy takes the ways to the database', { skip: missing('haproxy') }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-ways-'))
  after(() => rm(folder, { recursive: true }))
  const servers = join(folder, 'servers.cfg')
  const own = read('haproxy/servers.cfg')
  await writeFile(servers, own.replaceAll(/^#(?=listen|\s{2})/gm, ''))
  assert.match(readFileSync(servers, 'utf8'), /^listen database from database\n {2}bind/m)
  const check = (...files: string[]) =>
    promisify(execFile)('haproxy', ['-c', '-q', '-dW', ...files.flatMap((one) => ['-f', one])], {
      env: { PATH: process.env.PATH, PASSERELLE_PLAIN: '1' },
    })
  await check('deploy/haproxy/passerelle.cfg', servers)
  await check('deploy/patroni/relay.cfg')
})
