/**
 * What a key may do: `read` everything that it sees but the `balance`, `collect` from payers, make
 * payment `links`, `pay` out, airtime and bills, `refund`, and `prepare` what moves no money yet.
 */
export const keyRights = [
  'read',
  'balance',
  'collect',
  'links',
  'pay',
  'refund',
  'prepare',
] as const

export type KeyRight = (typeof keyRights)[number]

/** What a new key may do if nobody says otherwise: none of it takes money out. */
export const usualKeyRights: readonly KeyRight[] = ['read', 'balance', 'collect', 'links']
