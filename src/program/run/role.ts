export const roles = ['all', 'api', 'worker'] as const

/**
 * What a process does. `api`: serves the interface, and carries out what its own requests begin.
 * `worker`: carries out what has fallen due, whichever process began it, and runs the periodic
 * checks. `all`: both.
 */
export type Role = (typeof roles)[number]
