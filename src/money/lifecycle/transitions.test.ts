import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { isFinal, nextOf, type Resource, type StatusOf, transitions } from './transitions.ts'

// resource, from, trigger, to, also: the whole table, written independently of the code.
const expected = `
  transaction  (new)               accepted                      PENDING     hold
  transaction  PENDING             in_progress                   PROCESSING  nothing
  transaction  PENDING             otp_accepted                  PROCESSING  nothing
  transaction  PENDING             outcome_unknown               PROCESSING  nothing
  transaction  PENDING,PROCESSING  provider_succeeded            SUCCESS     settle_and_notify
  transaction  PENDING,PROCESSING  provider_declined             FAILED      release_and_notify
  transaction  PENDING,PROCESSING  payer_refused,payer_timeout   CANCELLED   release_and_notify
  bill         (new)               biller_accepted               SUCCESS     settle_and_notify
  bill         (new)               biller_not_confirmed          PROCESSING  debit
  bill         PROCESSING          biller_succeeded              SUCCESS     settle_and_notify
  bill         PROCESSING          biller_failed                 FAILED      refund_and_notify
  link         (new)               accepted                      PENDING     mail
  link         PENDING             payment_succeeded             SUCCESS     notify
  link         PENDING             payer_gave_up                 FAILED      notify
  link         PENDING             attempts_exhausted            FAILED      notify
  link         PENDING             lifetime_over                 EXPIRED     notify`
const rows = expected
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [resource, from = '', trigger = '', to, also] = line.trim().split(/ +/)
    return from
      .split(',')
      .flatMap((one) => trigger.split(',').map((what) => [resource, one, what, to, also]))
  })

const resources: Resource[] = ['transaction', 'bill', 'link']
const statuses = ['(new)', ...new Set(transitions.map((row) => row[3]))]
const triggers = [...new Set(transitions.map((row) => row[2]))]

test('the table has exactly these 21 rows', () => {
  const sorted = (table: unknown[]) => table.map(String).sort()
  assert.deepEqual(sorted([...transitions]), sorted(rows))
  assert.equal(rows.length, 21)
})

describe('every trigger in every status', () => {
  for (const resource of resources)
    for (const from of statuses)
      it(`of a ${resource} that is ${from} leads to the table's status, or is refused`, () => {
        for (const trigger of triggers) {
          const row = rows.find(
            (one) => one.slice(0, 3).join() === `${resource},${from},${trigger}`,
          )
          const next = nextOf(resource, from as StatusOf<Resource> | '(new)', trigger)
          const wanted = row === undefined ? undefined : { to: row[3], also: row[4] }
          assert.deepEqual(next, wanted, trigger)
        }
      })
})

test('a trigger of another resource does not compile', () => {
  // @ts-expect-error a bill has no payer who could refuse
  assert.equal(nextOf('bill', 'PROCESSING', 'payer_refused'), undefined)
  // @ts-expect-error a link has no provider
  assert.equal(nextOf('link', 'PENDING', 'provider_declined'), undefined)
})

describe('the statuses of', () => {
  const scenarios: [Resource, string[], string[]][] = [
    ['transaction', ['PENDING', 'PROCESSING'], ['CANCELLED', 'FAILED', 'SUCCESS']],
    ['bill', ['PROCESSING'], ['FAILED', 'SUCCESS']],
    ['link', ['PENDING'], ['EXPIRED', 'FAILED', 'SUCCESS']],
  ]
  for (const [resource, open, final] of scenarios)
    it(`a ${resource}: open in ${open.join(', ')}, final in ${final.join(', ')}`, () => {
      const reached = reachedFrom(resource, '(new)')
      assert.deepEqual([...reached].sort(), [...open, ...final].sort())
      const ends = [...reached].filter((status) => isFinal(resource, status as StatusOf<Resource>))
      assert.deepEqual(ends.sort(), final)
      for (const status of final) assert.deepEqual([...reachedFrom(resource, status)], [])
      for (const status of open)
        assert.deepEqual([...reachedFrom(resource, status)].filter(isIn(final)).sort(), final)
    })
})

/** All statuses that a resource can reach from one. */
function reachedFrom(resource: Resource, from: string, known = new Set<string>()): Set<string> {
  for (const [owner, start, , to] of transitions)
    if (owner === resource && start === from && !known.has(to)) {
      known.add(to)
      reachedFrom(resource, to, known)
    }
  return known
}

function isIn(list: string[]): (one: string) => boolean {
  return (one) => list.includes(one)
}
