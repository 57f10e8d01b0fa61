import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Base, TimelineFiles } from './archive.ts'
import { nameOfSegment, readLsn, segmentAt, segmentOfName, writeLsn } from './lsn.ts'
import { chooseBase, filesAfter, findExpired, findGap, hasLiveBase } from './plan.ts'

const segmentBytes = 16 * 1024 * 1024
const dayMs = 86_400_000

/** A base backup that ended on a day, and holds the log from one file to another. */
function base(day: number, [first, last]: [number, number], timeline = 1): Base {
  const at = new Date(day * dayMs).toISOString()
  const lsnIn = (index: number) => writeLsn(BigInt(index) * BigInt(segmentBytes) + 40n)
  return {
    name: `on-day-${day}`,
    systemId: '1',
    segmentBytes,
    serverVersion: 180_000,
    database: 'passerelle',
    login: 'passerelle',
    timeline,
    startLsn: lsnIn(first),
    endLsn: lsnIn(last),
    startedAt: at,
    endedAt: at,
    bytes: 0,
    storedBytes: 0,
  }
}

function log(timeline: number, whole: number[], partial: number[] = []): TimelineFiles {
  const places = partial.map((index) => ({ index: BigInt(index), path: '' }))
  return { timeline, whole: whole.map(BigInt), partial: places }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

describe('positions and names of the log', () => {
  it('are those of PostgreSQL', () => {
    assert.equal(writeLsn(readLsn('16/B374D848')), '16/B374D848')
    const segment = segmentAt(3, readLsn('16/B374D848'), segmentBytes)
    const name = nameOfSegment(segment, segmentBytes)
    assert.equal(name, '0000000300000016000000B3')
    assert.deepEqual(segmentOfName(name, segmentBytes), segment)
    assert.equal(segmentOfName('00000002.history', segmentBytes), undefined)
  })
})

describe('a base backup', () => {
  const two = [base(1, [3, 4]), base(3, [9, 9])]
  it('is the last one that ended before the moment', () => {
    assert.equal(chooseBase(two, undefined).name, 'on-day-3')
    assert.equal(chooseBase(two, new Date(2 * dayMs)).name, 'on-day-1')
    assert.throws(() => chooseBase(two, new Date(0)), /first moment .* 1970-01-02/)
    assert.throws(() => chooseBase([], undefined), /no base backup/)
  })

  // what, files of the log, the file that is being received, live
  const rows: [string, TimelineFiles[], number, boolean][] = [
    ['the next file is being received', [], 10, true],
    ['its own last file is received again', [], 9, true],
    ['files follow it without a gap', [log(1, [10, 11])], 12, true],
    ['a file is missing', [log(1, [10, 12])], 13, false],
    ['the server is ahead', [log(1, [10])], 20, false],
    ['only another timeline follows', [log(2, [10, 11])], 12, false],
  ]
  for (const [what, files, index, isLive] of rows)
    it(`${isLive ? 'is' : 'is not'} followed by the log when ${what}`, () => {
      assert.equal(hasLiveBase(two, files, { timeline: 1, index: BigInt(index) }), isLive)
    })

  it('has a gap after it only where later files are there', () => {
    const one = base(1, [3, 4])
    assert.equal(findGap(one, [log(1, [5, 6], [7])]), undefined)
    assert.equal(findGap(one, [log(1, [5, 7])]), 6n)
    assert.equal(findGap(one, [log(1, [5], [7])]), 6n)
    // Received in part, and then the server had to give the rest up.
    assert.equal(findGap(one, [log(1, [5, 9], [6])]), 6n)
    assert.equal(findGap(one, []), undefined)
  })
})

describe('retention', () => {
  it('never takes away a moment since the cutoff, and takes what no such moment needs', () => {
    const gaps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 9 })),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(gaps, fc.integer({ min: -2, max: 40 }), (steps, cutoffDay) => {
        let [day, index] = [0, 0]
        const bases = steps.map(([days, files]) => {
          day += days
          index += files
          return base(day, [index, index])
        })
        const files = [log(1, range(0, index + 5))]
        const expired = findExpired(bases, files, new Date(cutoffDay * dayMs))
        const keptBases = bases.filter((one) => !expired.bases.includes(one))
        const before = expired.log[0]?.before ?? 0n
        const keptFiles = [log(1, range(Number(before), index + 5))]
        const first = Math.max(cutoffDay, new Date(bases[0]?.endedAt ?? 0).getTime() / dayMs)
        for (let moment = first; moment <= day + 1; moment += 0.5) {
          const to = new Date(moment * dayMs)
          const chosen = chooseBase(bases, to)
          assert.equal(chooseBase(keptBases, to), chosen, `day ${moment}`)
          assert.deepEqual(filesAfter(chosen, keptFiles), filesAfter(chosen, files))
        }
        // Two that ended before the cutoff: the older one serves no moment since then.
        const old = keptBases.filter(
          ({ endedAt }) => new Date(endedAt) <= new Date(cutoffDay * dayMs),
        )
        assert.ok(old.length <= 1)
      }),
    )
  })

  it('keeps the newest timeline, which may not have a base backup yet', () => {
    const bases = [base(1, [3, 4]), base(5, [9, 9])]
    const files = [log(1, range(3, 12)), log(2, [12, 13])]
    const { bases: gone, log: removable } = findExpired(bases, files, new Date(9 * dayMs))
    assert.deepEqual(gone, [bases[0]])
    assert.deepEqual(removable, [{ timeline: 1, before: 10n }])
  })
})
