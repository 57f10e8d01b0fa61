export const mailStates = ['kept', 'pending', 'sent', 'failed'] as const
export type MailState = (typeof mailStates)[number]

/** The client of mails about the accounts of people, which belong to no client. */
export const noClient = 0
