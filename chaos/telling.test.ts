import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openTelling } from './telling.ts'

it('tells every second what is done, how much was acknowledged and what has recovered', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const shown: string[] = []
  using telling = openTelling({ now: (text) => shown.push(text), line: () => {} }, 'kills')
  t.mock.timers.tick(1000)
  assert.deepEqual(shown, ['kills 0:00: starting'])

  const perSecond = Array.from({ length: 31 }, (_, second) => ({
    atMs: second * 1000,
    // Three hundred a second, then a hundred in each of the last ten.
    acknowledged: second <= 20 ? second * 300 : 6000 + (second - 20) * 100,
  }))
  const running = { sent: 9000, acknowledged: 7000, statuses: {}, isOver: false }
  const over = { ...running, acknowledged: 500, isOver: true }
  const recoveries = [{ what: 'gateway', atMs: 0, readyMs: 1472 }]
  telling.follow({
    killer: { recoveries },
    loads: [
      { perSecond, progress: () => running },
      { perSecond, progress: () => over },
    ],
  })
  telling.say('kill 2 of 5')
  const told =
    'kills 0:00: kill 2 of 5; 7,500 acknowledged; 100 a second; recoveries: 1, the last in 1472 ms'
  assert.deepEqual(shown.slice(1), [told])
  t.mock.timers.tick(1000)
  assert.deepEqual(shown.slice(1), [told, told])

  telling[Symbol.dispose]()
  t.mock.timers.tick(5000)
  assert.equal(shown.length, 3)
})
