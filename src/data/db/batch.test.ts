import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { batched, QueueFull } from './batch.ts'

/** A batched function that upper-cases, fails on the item "poison", and records its groups. */
function recordedBatch(limits: Parameters<typeof batched<string, string>>[1]) {
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
  // name, [group size, groups at a time], calls made together, groups that run
  const scenarios: [string, [number, number], string, string][] = [
    ['runs a single item at once', [9, 1], 'a', 'a'],
    ['groups the calls made while a group runs', [9, 1], 'a b c d', 'a|b c d'],
    ['runs two groups at a time', [9, 2], 'a b c d', 'a|b|c d'],
    ['limits the size of a group', [2, 1], 'a b c d e f', 'a|b c|d e|f'],
    [
      'runs the items of a failed group one by one',
      [9, 1],
      'a b poison c',
      'a|b poison c|b|poison|c',
    ],
    ['does not run a failed single item again', [9, 1], 'poison a', 'poison|a'],
    ['continues after a failure', [2, 1], 'poison poison a b c', 'poison|poison a|poison|a|b c'],
  ]
  for (const [name, [groupSizeMax, concurrentGroupsMax], calls, groups] of scenarios)
    it(name, async () => {
      const runs = recordedBatch({ groupSizeMax, concurrentGroupsMax, queueSizeMax: 99 })
      const items = calls.split(' ')
      const answers = await Promise.allSettled(items.map(runs.call))
      assert.equal(runs.groups.map((group) => group.join(' ')).join('|'), groups)
      assert.deepEqual(
        answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
        items.map((item) => (item === 'poison' ? 'poisoned' : item.toUpperCase())),
      )
    })
})

describe('items whose rows somebody else has locked', () => {
  /** Owners are the first letters; a group with a locked one fails as PostgreSQL fails. */
  function lockable(locked: Set<string>, queueSizeMax = 99) {
    const groups: string[] = []
    const call = batched(
      async (items: string[]) => {
        groups.push(items.join(' '))
        await tick()
        if (!items.some(([owner = '']) => locked.has(owner))) return items
        throw Object.assign(new pg.DatabaseError('lock timeout', 0, 'error'), { code: '55P03' })
      },
      { concurrentGroupsMax: 1, queueSizeMax, ownerOf: ([owner = '']: string) => owner },
    )
    return { call, groups }
  }

  it('are tried by owner, and those of others are done meanwhile', async () => {
    const locked = new Set(['x'])
    const { call, groups } = lockable(locked)
    const answers = new Set<string>()
    const made = ['a1', 'b1', 'x1', 'b2', 'x2'].map(async (item) => answers.add(await call(item)))
    while (answers.size < 3) await tick()
    assert.deepEqual([...answers].toSorted(), ['a1', 'b1', 'b2'])
    assert.deepEqual(groups.slice(0, 5), ['a1', 'b1 x1 b2 x2', 'b1 b2', 'x1 x2', 'x1 x2'])
    const late = call('x3')
    assert.equal(await call('c1'), 'c1', 'a new group has none of them')
    locked.delete('x')
    await Promise.all([...made, late])
    assert.deepEqual([...answers].slice(3), ['x1', 'x2'], 'in their order')
  })

  it('are too many, like those of any queue', async () => {
    const locked = new Set(['y'])
    const { call } = lockable(locked, 2)
    const first = Promise.allSettled([call('y1')])
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    const more = Promise.allSettled(['y2', 'y3', 'y4', 'y5'].map(call))
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    locked.delete('y')
    const answers = [...(await first), ...(await more)]
    const refused = answers.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 2)
    for (const one of refused) assert.ok('reason' in one && one.reason instanceof QueueFull)
  })
})

test('an idle batch runs an item before the call returns', async () => {
  const runs = recordedBatch({ groupSizeMax: 9, concurrentGroupsMax: 1, queueSizeMax: 9 })
  const answer = runs.call('a')
  assert.deepEqual(runs.groups, [['a']])
  assert.equal(await answer, 'A')
})

test('a further concurrent group needs extraGroupSizeMin items, the first group one', async () => {
  const runs = recordedBatch({
    groupSizeMax: 9,
    concurrentGroupsMax: 2,
    queueSizeMax: 99,
    extraGroupSizeMin: 3,
  })
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(runs.call))
  assert.deepEqual(
    runs.groups.map((group) => group.join(' ')),
    ['a', 'b c d', 'e f'],
  )
  assert.equal(runs.runningPeak(), 2)
})

test('the next group waits after a group of several, not after a single item', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const runs = recordedBatch({
      groupSizeMax: 9,
      concurrentGroupsMax: 1,
      queueSizeMax: 99,
      pauseMs: 50,
    })
    await runs.call('alone')
    const both = ['a', 'b', 'c'].map(runs.call)
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    const late = runs.call('d')
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    // Three of the fifty items that make a full pause.
    mock.timers.tick(2)
    for (let ticks = 0; ticks < 5; ticks += 1) await tick()
    assert.equal(runs.groups.length, 2, 'it pauses')
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

test('groups run one at a time in a partition, and side by side in two', async () => {
  const running = [0, 0]
  const peaks = { partition: 0, all: 0 }
  const call = batched(
    async (items: number[]) => {
      const partitions = new Set(items.map((item) => item % 2))
      assert.equal(partitions.size, 1)
      const [partition = 0] = partitions
      running[partition] = (running[partition] ?? 0) + 1
      peaks.partition = Math.max(peaks.partition, ...running)
      peaks.all = Math.max(peaks.all, (running[0] ?? 0) + (running[1] ?? 0))
      await tick()
      running[partition] -= 1
      return items
    },
    {
      groupSizeMax: 3,
      concurrentGroupsMax: 2,
      queueSizeMax: 99,
      partitionOf: (item: number) => item % 2,
    },
  )
  const items = Array.from({ length: 40 }, (_, index) => index)
  assert.deepEqual(await Promise.all(items.map(call)), items)
  assert.deepEqual(peaks, { partition: 1, all: 2 })
})

test('a full queue refuses calls, and takes new ones once it is shorter', async () => {
  const runs = recordedBatch({ groupSizeMax: 9, concurrentGroupsMax: 1, queueSizeMax: 2 })
  const answers = await Promise.allSettled(['a', 'b', 'c', 'd'].map(runs.call))
  assert.deepEqual(
    answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.name)),
    ['A', 'B', 'C', 'QueueFull'],
  )
  assert.ok(answers[3]?.status === 'rejected' && answers[3].reason instanceof QueueFull)
  assert.equal(await runs.call('e'), 'E')
})

test('a group that returns too few results fails', async () => {
  const call = batched(async (items: string[]) => items.slice(1))
  await assert.rejects(call('a'), /must answer every item/)
})

test('any bursts of calls: each gets the result of its own item, within the limits', async () => {
  const limit = fc.integer({ min: 1, max: 5 })
  const bursts = fc.array(fc.array(fc.boolean(), { maxLength: 12 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(limit, limit, bursts, async (groupSizeMax, concurrentGroupsMax, waves) => {
      const runs = recordedBatch({ groupSizeMax, concurrentGroupsMax, queueSizeMax: 999 })
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
      assert.ok(runs.runningPeak() <= concurrentGroupsMax)
      assert.ok(runs.groups.every((group) => group.length <= groupSizeMax))
    }),
  )
})

describe('a batch with a linger of 100 ms', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  // name, [group size, groups at a time, ms of a group], calls and ms between them, groups and when
  const scenarios: [string, [number, number, number], string, string][] = [
    ['runs a single item after it', [9, 1, 30], 'a', '100 a'],
    ['groups the calls made meanwhile', [9, 1, 30], 'a 40 b 59 c 2 d', '100 a b c|201 d'],
    ['waits as long for the next group', [9, 1, 30], 'a 150 b 99 c', '100 a|250 b c'],
    [
      'waits as long when the first call comes while a group runs',
      [9, 1, 30],
      'a 110 b 50 c 60 d',
      '100 a|210 b c|320 d',
    ],
    [
      'does not wait again after a group that ran longer',
      [9, 1, 250],
      'a 110 b 150 c',
      '100 a|350 b c',
    ],
    ['limits the size of a group', [2, 1, 30], 'a b c d e', '100 a b|130 c d|160 e'],
    ['adds new calls to the items left over', [2, 1, 30], 'a b c 110 d', '100 a b|130 c d'],
    ['runs two groups at a time', [2, 2, 30], 'a b c d e', '100 a b|100 c d|130 e'],
    ['refuses calls beyond the queue', [9, 1, 30], 'a b c d e no 101 f', '100 a b c d e|201 f'],
  ]
  for (const [name, [groupSizeMax, concurrentGroupsMax, runMs], script, expected] of scenarios)
    it(name, async () => {
      let nowMs = 0
      const pass = async (ms: number) => {
        for (const endMs = nowMs + ms; nowMs < endMs; await tick()) {
          nowMs += 1
          mock.timers.tick(1)
        }
      }
      const groups: string[] = []
      const limits = { groupSizeMax, concurrentGroupsMax, queueSizeMax: 5, lingerMs: 100 }
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
