import { test } from 'node:test'

/*
 * npm test runs every scenario at a size that finds its bugs within seconds; npm run test:slow runs
 * the files that import this one again, at the full size: many seeds, kills, rounds and screens,
 * and rare cases that take seconds each.
 */
const isFull = process.env.TEST_SIZE === 'full'

/** The size of a scenario: the first in npm test, the second in npm run test:slow. */
export function sized<T>(usual: T, full: T): T {
  return isFull ? full : usual
}

/** A test that only `npm run test:slow` runs: of a rare case, with processes that take seconds. */
export const slowTest: typeof test = sized(
  Object.assign(async () => {}, test),
  test,
)
