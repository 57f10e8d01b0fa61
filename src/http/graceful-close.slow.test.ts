import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeWhileClientsConnect } from '../../test/closing-server.ts'

it('a server that closes resets nobody who connects at that moment', async () => {
  assert.deepEqual(await closeWhileClientsConnect('one'), [])
})
