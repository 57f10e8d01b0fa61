import { type StateOf, type TriggerOf, transitions } from '#data/db/transitions.ts'

/** Every change of a mail's state. `kept`: there is no mail server. */
export const mailSteps = transitions([
  ['(new)', 'kept', 'kept'],
  ['(new)', 'queued', 'pending'],
  ['pending', 'sent', 'sent'],
  ['pending', 'put_off', 'pending'],
  ['pending', 'failed', 'failed'],
  // By a process that was slow.
  ['kept', 'sent', 'sent'],
  ['failed', 'sent', 'sent'],
  ['kept', 'resent', 'pending'],
  ['failed', 'resent', 'pending'],
])

export const mailStates = mailSteps.states
export type MailState = StateOf<typeof mailSteps>
export type MailTrigger = TriggerOf<typeof mailSteps>

/** The client of mails about the accounts of people, which belong to no client. */
export const noClient = 0
