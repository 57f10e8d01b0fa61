import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { remembered } from './remembered.ts'

const longMs = 60_000

/** Answers with the number of the question, and notes what was asked. */
function counted(forMs: number, answersMax?: number) {
  const asked: string[] = []
  const ask = remembered(
    forMs,
    async (key: string) => {
      asked.push(key)
      if (key === 'failing') throw new Error(`no ${asked.length}`)
      return asked.length
    },
    answersMax,
  )
  return { ask, asked }
}

describe('remembered', () => {
  it('asks once for callers that come together or soon after', async () => {
    const { ask, asked } = counted(longMs)
    assert.deepEqual(await Promise.all([ask('a'), ask('a'), ask('b')]), [1, 1, 2])
    assert.equal(await ask('a'), 1)
    assert.deepEqual(asked, ['a', 'b'])
  })

  it('asks again once the time is over', async () => {
    const { ask } = counted(20)
    assert.equal(await ask('a'), 1)
    await sleep(25)
    assert.equal(await ask('a'), 2)
  })

  it('counts the time from the question, however long the answer takes', async () => {
    let asked = 0
    const ask = remembered(20, async () => {
      asked += 1
      await sleep(40)
    })
    await ask('a')
    await ask('a')
    assert.equal(asked, 2)
  })

  it('shares a failure with those who wait for it, and does not remember it', async () => {
    const { ask } = counted(longMs)
    const together = [ask('failing'), ask('failing')]
    for (const one of together) await assert.rejects(one, /^Error: no 1$/)
    await assert.rejects(ask('failing'), /^Error: no 2$/)
  })

  it('forgets the oldest answers beyond its bound', async () => {
    const { ask, asked } = counted(longMs, 4)
    for (const key of ['a', 'b', 'c', 'd', 'e', 'd', 'e', 'a']) await ask(key)
    assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'e', 'a'])
  })

  it('asks again for what it is told to forget, and for nothing else', async () => {
    const { ask, asked } = counted(longMs)
    await Promise.all([ask('a'), ask('b')])
    ask.forget('a')
    ask.forget('never asked')
    assert.deepEqual(await Promise.all([ask('a'), ask('b'), ask('a')]), [3, 2, 3])
    assert.deepEqual(asked, ['a', 'b', 'a'])
  })

  it('gives an answer that was forgotten while awaited to nobody who asks later', async () => {
    const answers: ((answer: string) => void)[] = []
    const ask = remembered(longMs, () => new Promise<string>((resolve) => answers.push(resolve)))
    const before = ask('a')
    ask.forget('a')
    const after = ask('a')
    answers[1]?.('new')
    answers[0]?.('old')
    assert.deepEqual(await Promise.all([before, after, ask('a')]), ['old', 'new', 'new'])
  })
})
