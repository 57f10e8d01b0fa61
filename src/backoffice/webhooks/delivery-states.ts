import { type StateOf, transitions } from '#data/db/transitions.ts'

/** Every change of a delivery's state. */
export const deliverySteps = transitions([
  ['(new)', 'announced', 'pending'],
  ['pending', 'delivered', 'delivered'],
  ['pending', 'put_off', 'pending'],
  ['pending', 'exhausted', 'exhausted'],
  ['pending', 'stopped', 'stopped'],
])

export const deliveryStates = deliverySteps.states
export type DeliveryState = StateOf<typeof deliverySteps>
