export const roles = ['all', 'api', 'worker'] as const

/**
 * What a process does. `api`: the interface, and what its requests begin. `worker`: what goes on
 * beside requests, whoever began it. `all`: both.
 */
export type Role = (typeof roles)[number]
