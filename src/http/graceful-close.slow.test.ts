import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { closeWhileClientsConnect } from '../../test/closing-server.ts'

const program = fileURLToPath(new URL('../../test/closing-server.ts', import.meta.url))
// A network of its own, whose settings are nobody else's.
const own = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const migrate = 'echo 1 > /proc/sys/net/ipv4/tcp_migrate_req && exec "$@"'
const hasNetworks = spawnSync('unshare', [...own, 'sh', '-c', migrate, 'sh', 'true']).status === 0

it('a server that closes resets nobody who connects at that moment', async () => {
  assert.deepEqual(await closeWhileClientsConnect('one'), [])
})

it('one with many sockets resets nobody where Linux hands on what is queued at a closed one', {
  skip: !hasNetworks && 'needs root, iproute2 and Linux 5.14',
}, () => {
  const command = [process.execPath, program, 'many']
  const { stdout, stderr } = spawnSync('unshare', [...own, 'sh', '-c', migrate, 'sh', ...command], {
    encoding: 'utf8',
  })
  assert.equal(stdout.trim(), '[]', stderr)
})
