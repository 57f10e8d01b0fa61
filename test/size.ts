/*
 * npm test runs every scenario at a size that finds its bugs within seconds; npm run test:slow runs
 * the files that import this one again, at the full size: many seeds, kills, rounds and screens.
 */
const isFull = process.env.TEST_SIZE === 'full'

/** The size of a scenario: the first in npm test, the second in npm run test:slow. */
export function sized<T>(usual: T, full: T): T {
  return isFull ? full : usual
}
