import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openRefreshes } from './refreshes.ts'

it('lets so many pages a second read themselves again, and fewer lists under load', () => {
  let ms = 0
  let isBusy = false
  const { mayRefresh } = openRefreshes(
    () => ms,
    () => isBusy,
  )
  const allowed = (isRecord: boolean) =>
    Array.from({ length: 100 }, () => mayRefresh(isRecord)).filter(Boolean).length
  assert.deepEqual([allowed(false), allowed(false), allowed(true)], [20, 0, 20])
  ms += 500
  assert.equal(allowed(false), 10)
  ms += 60_000
  assert.equal(allowed(false), 20, 'what nobody took for a minute is not kept')
  isBusy = true
  ms += 2000
  assert.deepEqual([allowed(false), allowed(true)], [3, 20])
})

it('lets some lists a second ask again soon under load, and every page of a record', () => {
  let isBusy = false
  const { mayAskSoon } = openRefreshes(
    () => 0,
    () => isBusy,
  )
  const soon = (isRecord: boolean) =>
    Array.from({ length: 100 }, () => mayAskSoon(isRecord)).filter(Boolean).length
  assert.equal(soon(false), 100)
  isBusy = true
  assert.deepEqual([soon(false), soon(true)], [40, 100])
})
