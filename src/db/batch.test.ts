import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { batched, QueueFull } from './batch.ts'

/** Runs that answer in capitals, fail when they meet the item "poison", and are all noted. */
function noted(limits: Parameters<typeof batched<string, string>>[1]) {
  const groups: string[][] = []
  let running = 0
  let runningPeak = 0
  const call = batched(async (items: string[]) => {
    groups.push(items)
    running += 1
    runningPeak = Math.max(runningPeak, running)
    await tick()
    running -= 1
    if (items.includes('poison')) throw new Error('poisoned')
    return items.map((item) => item.toUpperCase())
  }, limits)
  return { call, groups, runningPeak: () => runningPeak }
}

describe('batched', () => {
  // name, [items at once, runs at once], calls made together, groups that run
  const scenarios: [string, [number, number], string, string][] = [
    ['runs a single item alone', [9, 1], 'a', 'a'],
    ['gathers what comes during a run', [9, 1], 'a b c d', 'a|b c d'],
    ['keeps two runs going', [9, 2], 'a b c d', 'a|b|c d'],
    ['bounds a group', [2, 1], 'a b c d e f', 'a|b c|d e|f'],
    ['runs a failed group one by one', [9, 1], 'a b poison c', 'a|b poison c|b|poison|c'],
    ['does not repeat a failed single', [9, 1], 'poison a', 'poison|a'],
    ['goes on after a failure', [2, 1], 'poison poison a b c', 'poison|poison a|poison|a|b c'],
  ]
  for (const [name, [itemsMax, runningMax], calls, groups] of scenarios)
    it(name, async () => {
      const runs = noted({ itemsMax, runningMax, waitingMax: 99 })
      const items = calls.split(' ')
      const answers = await Promise.allSettled(items.map(runs.call))
      assert.equal(runs.groups.map((group) => group.join(' ')).join('|'), groups)
      assert.deepEqual(
        answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
        items.map((item) => (item === 'poison' ? 'poisoned' : item.toUpperCase())),
      )
    })
})

test('an idle system runs an item before the call returns', async () => {
  const runs = noted({ itemsMax: 9, runningMax: 1, waitingMax: 9 })
  const answer = runs.call('a')
  assert.deepEqual(runs.groups, [['a']])
  assert.equal(await answer, 'A')
})

test('a further run waits for a crowd, a first one for nobody', async () => {
  const runs = noted({ itemsMax: 9, runningMax: 2, waitingMax: 99, crowd: 3 })
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(runs.call))
  assert.deepEqual(
    runs.groups.map((group) => group.join(' ')),
    ['a', 'b c d', 'e f'],
  )
  assert.equal(runs.runningPeak(), 2)
})

test('the next run waits a little, but not after a lone item', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const runs = noted({ itemsMax: 9, runningMax: 1, waitingMax: 99, restMs: 50 })
    await runs.call('alone')
    const both = ['a', 'b', 'c'].map(runs.call)
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    const late = runs.call('d')
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    // Three of the fifty that make a whole rest.
    mock.timers.tick(2)
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    assert.equal(runs.groups.length, 2, 'it rests')
    mock.timers.tick(1)
    await Promise.all([...both, late])
    assert.deepEqual(
      runs.groups.map((group) => group.join(' ')),
      ['alone', 'a b c', 'd'],
    )
  } finally {
    mock.timers.reset()
  }
})

test('refuses callers beyond the queue, and takes new ones once it is shorter', async () => {
  const runs = noted({ itemsMax: 9, runningMax: 1, waitingMax: 2 })
  const answers = await Promise.allSettled(['a', 'b', 'c', 'd'].map(runs.call))
  assert.deepEqual(
    answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.name)),
    ['A', 'B', 'C', 'QueueFull'],
  )
  assert.ok(answers[3]?.status === 'rejected' && answers[3].reason instanceof QueueFull)
  assert.equal(await runs.call('e'), 'E')
})

test('a run that leaves an item without an answer fails', async () => {
  const call = batched(async (items: string[]) => items.slice(1))
  await assert.rejects(call('a'), /must answer every item/)
})

test('whatever comes when, each caller gets its own answer and no limit is passed', async () => {
  const limit = fc.integer({ min: 1, max: 5 })
  const bursts = fc.array(fc.array(fc.boolean(), { maxLength: 12 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(limit, limit, bursts, async (itemsMax, runningMax, waves) => {
      const runs = noted({ itemsMax, runningMax, waitingMax: 999 })
      const answers: Promise<void>[] = []
      for (const [number, wave] of waves.entries()) {
        for (const [index, isPoison] of wave.entries())
          answers.push(
            isPoison
              ? assert.rejects(runs.call('poison'), /poisoned/)
              : runs.call(`i${number}-${index}`).then((got) => {
                  assert.equal(got, `I${number}-${index}`)
                }),
          )
        await tick()
      }
      await Promise.all(answers)
      assert.ok(runs.runningPeak() <= runningMax)
      assert.ok(runs.groups.every((group) => group.length <= itemsMax))
    }),
  )
})

describe('a group whose first waits 100 ms for others', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  // name, [items at once, runs at once, ms of a run], calls and ms between them, groups and when
  const scenarios: [string, [number, number, number], string, string][] = [
    ['runs though nobody joins', [9, 1, 30], 'a', '100 a'],
    ['is shared by those who come meanwhile', [9, 1, 30], 'a 40 b 59 c 2 d', '100 a b c|201 d'],
    ['waits as long the next time', [9, 1, 30], 'a 150 b 99 c', '100 a|250 b c'],
    [
      'waits as long when begun during a run',
      [9, 1, 30],
      'a 110 b 50 c 60 d',
      '100 a|210 b c|320 d',
    ],
    ['waits for a longer run, and then no more', [9, 1, 250], 'a 110 b 150 c', '100 a|350 b c'],
    ['is bounded', [2, 1, 30], 'a b c d e', '100 a b|130 c d|160 e'],
    ['is joined while some of it still wait', [2, 1, 30], 'a b c 110 d', '100 a b|130 c d'],
    ['keeps two runs going', [2, 2, 30], 'a b c d e', '100 a b|100 c d|130 e'],
    ['refuses callers beyond the queue', [9, 1, 30], 'a b c d e no 101 f', '100 a b c d e|201 f'],
  ]
  for (const [name, [itemsMax, runningMax, runMs], script, expected] of scenarios)
    it(name, async () => {
      let nowMs = 0
      const pass = async (ms: number) => {
        for (const endMs = nowMs + ms; nowMs < endMs; await tick()) {
          nowMs += 1
          mock.timers.tick(1)
        }
      }
      const groups: string[] = []
      const limits = { itemsMax, runningMax, waitingMax: 5, gatherMs: 100 }
      const call = batched(async (items: string[]) => {
        groups.push(`${nowMs} ${items.join(' ')}`)
        await new Promise((done) => setTimeout(done, runMs))
        return items
      }, limits)
      const answers: Promise<string>[] = []
      for (const step of script.split(' '))
        if (/\d/.test(step)) await pass(Number(step))
        else answers.push(call(step).catch(({ name }) => `${step}: ${name}`))
      await pass(600)
      assert.equal(groups.join('|'), expected)
      assert.deepEqual(
        await Promise.all(answers),
        [...script.matchAll(/[a-z]+/g)].map(([one]) => (one === 'no' ? 'no: QueueFull' : one)),
      )
    })
})
