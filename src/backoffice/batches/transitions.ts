import { type StateOf, type TriggerOf, transitions } from '#data/db/transitions.ts'

/** Every change of a batch's state; any other is refused. */
export const batchSteps = transitions([
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
])

export type BatchState = StateOf<typeof batchSteps>
export type BatchTrigger = TriggerOf<typeof batchSteps>

/**
 * Every change of a line's state. `sending`: claimed by the process that runs the batch; a
 * transaction may exist already. `sent`: its transaction is recorded and has not ended. `refused`:
 * no transaction could be made of it.
 */
export const lineSteps = transitions([
  ['(new)', 'checked', 'waiting'],
  ['(new)', 'found_faulty', 'faulty'],
  ['waiting', 'claimed', 'sending'],
  // A process that was slow writes its result when another has given the line back already.
  ['waiting', 'recorded', 'sent'],
  ['waiting', 'not_made', 'refused'],
  ['waiting', 'put_off', 'waiting'],
  ['sending', 'recorded', 'sent'],
  ['sending', 'not_made', 'refused'],
  ['sending', 'put_off', 'waiting'],
  ['refused', 'recorded', 'sent'],
  ['sent', 'succeeded', 'paid'],
  ['sent', 'came_to_nothing', 'failed'],
  ['failed', 'retried', 'waiting'],
])

export type LineState = StateOf<typeof lineSteps>

const ends = new Set<BatchState>(['refused', 'finished', 'cancelled'])

/** Whether nothing more is paid in this state. */
export function isEnd(state: BatchState): boolean {
  return ends.has(state)
}
