/** Every change of a batch's state; any other is refused. */
export const batchTransitions = [
  // from        trigger      to
  ['(new)', 'uploaded', 'draft'],
  ['draft', 'proposed', 'proposed'],
  ['draft', 'cancelled', 'cancelled'],
  ['proposed', 'approved', 'approved'],
  ['proposed', 'refused', 'refused'],
  ['proposed', 'cancelled', 'cancelled'],
  ['approved', 'started', 'running'],
  ['approved', 'cancelled', 'cancelled'],
  ['running', 'paused', 'paused'],
  ['running', 'done', 'finished'],
  ['paused', 'resumed', 'running'],
  ['paused', 'cancelled', 'cancelled'],
  ['finished', 'retried', 'running'],
] as const

type Row = (typeof batchTransitions)[number]
export type BatchState = Row[2]
export type BatchTrigger = Exclude<Row[1], 'uploaded'>

/** The state that a trigger leads to; undefined: the table has no such row. */
export function nextState(from: BatchState, trigger: BatchTrigger): BatchState | undefined {
  return batchTransitions.find(([state, one]) => state === from && one === trigger)?.[2]
}

/** The states that a trigger is possible in. */
export function statesBefore(trigger: BatchTrigger): BatchState[] {
  return batchTransitions.flatMap(([from, one]) =>
    from !== '(new)' && one === trigger ? [from] : [],
  )
}

const ends = new Set<BatchState>(['refused', 'finished', 'cancelled'])

/** Whether nothing more is paid in this state. */
export function isEnd(state: BatchState): boolean {
  return ends.has(state)
}
