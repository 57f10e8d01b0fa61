import { test } from 'node:test'

/*
 * The three sizes of the tests:
 *
 * npm test             every scenario at a size that finds its bugs within seconds
 * npm run test:slow    files named *.slow.test.ts, and files that import this one again: rare cases
 *                      that take seconds each, and more seeds, kills, rounds and screens
 * npm test -- --full   the same files, at sizes that take hours
 */
const sizes = ['usual', 'slow', 'full'] as const
export type Size = (typeof sizes)[number]

const size = sizes.find((one) => one === process.env.TEST_SIZE) ?? 'usual'

/** The size of a scenario; the full one is the slow one unless it is given. */
export function sized<T>(usual: T, slow: T, full: T = slow): T {
  return { usual, slow, full }[size]
}

const none: typeof test = Object.assign(async () => {}, test)

/** A test of a rare case, with processes that take seconds: not in npm test. */
export const slowTest: typeof test = size === 'usual' ? none : test

/** A test that has no size, in a file with others that do: not in npm run test:slow again. */
export const usualTest: typeof test = size === 'slow' ? none : test
