/** A pseudo-random number in [0, 1) that depends only on the seed and on these two numbers. */
export function seededRandom(seed: number, first: number, second: number): number {
  let hash = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(first + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15) ^ Math.imul(second + 1, 0xc2b2ae35), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
