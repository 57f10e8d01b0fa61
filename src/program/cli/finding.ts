export type Level = 'ok' | 'warning' | 'problem'

/** What `doctor` says of something it has checked. */
export type Finding = { level: Level; what: string }
export const ok = (what: string): Finding => ({ level: 'ok', what })
export const warning = (what: string): Finding => ({ level: 'warning', what })
export const problem = (what: string): Finding => ({ level: 'problem', what })
