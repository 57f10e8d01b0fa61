import {
  readBatchIds,
  readEnded,
  readUnsent,
  replaceUnsentNumbers,
} from '#backoffice/batches/forget-store.ts'
import { openBodySafe } from '#backoffice/webhooks/body-safe.ts'
import {
  findEndedDeliveries,
  forgetAnswers,
  readDeliveryIds,
} from '#backoffice/webhooks/forget-store.ts'
import { firstIdAt } from '#base/kit/ids.ts'
import { isPseudonym, openPseudonyms, type PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import { nineDigitsOf } from '#merchants/catalog/phone-forms.ts'
import { deleteExpiredSecrets } from '#merchants/clients/webhook-secret-store.ts'
import { deleteMails, readMailIds } from '#merchants/mail/forget-store.ts'
import { deleteEndedBlocks } from '#money/limits/store.ts'
import { evidenceWalk, numberWalk } from './events.ts'
import {
  findAnswers,
  findBlocks,
  findCases,
  findLines,
  findMails,
  findPayments,
  findPayoutLines,
} from './find-store.ts'
import type { Part, Rule, Walk } from './rule.ts'
import { caseWalk, lineWalk } from './statements.ts'

// What has ended and serves nobody: long enough to see what happened.
const endedDays = 30
// What was sent, for as long as somebody looks for what went wrong with it.
const sentDays = 90

/**
 * What is forgotten after how long; of the rest see docs/retention.md. With a pseudonym, only the
 * number that it stands for is.
 */
export function rulesWith(secretKey: SecretKey, only?: string): Rule[] {
  const pseudonymOf = pseudonymsOf(secretKey, only)
  return [
    {
      name: 'evidence',
      setting: 'EVIDENCE_DAYS',
      days: ({ evidenceDays }) => evidenceDays,
      work: evidenceWalk,
      find: null,
    },
    {
      name: 'answers',
      setting: null,
      days: () => sentDays,
      work: answerWalk,
      find: findAnswers,
    },
    { name: 'mails', setting: null, days: () => sentDays, work: mailWalk, find: findMails },
    {
      name: 'numbers',
      setting: 'PSEUDONYMISE_AFTER_DAYS',
      days: ({ numberDays }) => numberDays,
      work: numberWalk(pseudonymOf, openBodySafe(secretKey)),
      find: findPayments,
    },
    {
      name: 'batches',
      setting: 'PSEUDONYMISE_AFTER_DAYS',
      days: ({ numberDays }) => numberDays,
      work: batchWalk(pseudonymOf, only !== undefined),
      find: findPayoutLines,
    },
    {
      name: 'statements',
      setting: 'PSEUDONYMISE_AFTER_DAYS',
      days: ({ numberDays }) => numberDays,
      work: lineWalk(pseudonymOf),
      find: findLines,
    },
    {
      name: 'differences',
      setting: 'PSEUDONYMISE_AFTER_DAYS',
      days: ({ numberDays }) => numberDays,
      work: caseWalk(pseudonymOf),
      find: findCases,
    },
    {
      name: 'blocks',
      setting: null,
      days: () => endedDays,
      work: deleteEndedBlocks,
      find: findBlocks,
    },
    {
      name: 'secrets',
      setting: null,
      days: () => endedDays,
      work: deleteExpiredSecrets,
      find: null,
    },
  ]
}

/** Pseudonyms of every number, or of one only, however it is written: others stay as they are. */
function pseudonymsOf(secretKey: SecretKey, only?: string): PseudonymOf {
  const pseudonymOf = openPseudonyms(secretKey)
  if (only === undefined) return pseudonymOf
  return (number) =>
    [number, nineDigitsOf(number)].some((one) => pseudonymOf(one) === only) ? only : number
}

const firstId = '00000000-0000-0000-0000-000000000000'

/** Ids begin with the time: those from before a time are below its first. */
function rangeOf({ reached, before, limit }: Part) {
  return { after: reached, below: firstIdAt(before), limit }
}

/** What receivers answered to deliveries that have ended. */
const answerWalk: Walk = {
  start: firstId,
  next: (tx, part) => readDeliveryIds(tx, part.clientId, rangeOf(part)),
  forget: async (tx, clientId, places) => {
    const ended = await findEndedDeliveries(tx, clientId, places)
    const count = await forgetAnswers(tx, clientId, ended)
    return { count, left: places.filter((id) => !ended.includes(id)) }
  },
}

/** Mails, whatever became of them. */
const mailWalk: Walk = {
  start: firstId,
  next: (tx, part) => readMailIds(tx, part.clientId, rangeOf(part)),
  forget: async (tx, clientId, places) => ({
    count: await deleteMails(tx, clientId, places),
    left: [],
  }),
}

/** The numbers of lines that were never sent, of batches that have ended. */
function batchWalk(pseudonymOf: PseudonymOf, isOfOne: boolean): Walk {
  return {
    start: firstId,
    // A batch has thousands of lines: one at a time.
    next: (tx, part) => readBatchIds(tx, part.clientId, { ...rangeOf(part), limit: 1 }),
    forget: async (tx, clientId, places, before) => {
      const batches = await readEnded(tx, clientId, { ids: places, before })
      let count = 0
      for (const { id: batchId } of batches.filter(({ isEnded }) => isEnded)) {
        const lines = await readUnsent(tx, clientId, batchId)
        const changed = lines
          .map(({ line, phone }) => ({ line, phone: phone && pseudonymOf(phone) }))
          .filter(({ phone }) => !isOfOne || (phone !== null && isPseudonym(phone)))
        await replaceUnsentNumbers(tx, { clientId, batchId }, changed)
        count += changed.length
      }
      return { count, left: batches.filter(({ isEnded }) => !isEnded).map(({ id }) => id) }
    },
  }
}
