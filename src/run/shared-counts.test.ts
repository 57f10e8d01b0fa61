import assert from 'node:assert/strict'
import type { Worker } from 'node:cluster'
import { it } from 'node:test'
import type { FromChild, ToChild } from './messages.ts'
import { openSharedCounts } from './shared-counts.ts'

it('a child that asks for all metrics is answered, also when they cannot be added', async () => {
  const { promise, resolve } = Promise.withResolvers<ToChild>()
  const answers: ToChild[] = []
  const child = {
    id: 1,
    isConnected: () => true,
    send: (message: ToChild) => {
      if (message.kind === 'gathered') resolve(message)
      else if (message.kind === 'metrics')
        counts.answer(child, { kind: 'metrics', id: message.id, metrics: [null] } as never)
      else answers.push(message)
    },
  } as unknown as Worker
  const counts = openSharedCounts(() => [child])
  counts.answer(child, { kind: 'gather', id: 7 } satisfies FromChild)
  assert.deepEqual(await promise, { kind: 'gathered', id: 7, text: '' })
  assert.deepEqual(answers, [])
})
