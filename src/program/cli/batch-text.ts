import type { Batch, BatchLine } from '#backoffice/batches/batch.ts'
import type { Batches } from '#backoffice/batches/open.ts'
import { sentence } from '#edge/wire/error.ts'
import { plainPhone } from '#merchants/catalog/phone.ts'
import { counted, francs, tableOf } from './terminal.ts'

const problemsShown = 100

/** A batch with its sums, its history, and the lines that have a problem. */
export async function wholeOf(batches: Batches, batch: Batch) {
  const [totals, money, history, problems] = await Promise.all([
    batches.totals(batch),
    batches.taken(batch),
    batches.steps(batch),
    batches.lines(batch, {
      after: 0,
      limit: problemsShown,
      states: ['faulty', 'failed', 'refused'],
    }),
  ])
  return { batch, totals, money, history, problems }
}

/** Which batch it is and its state, on one line. */
export function headOf({ id, name, state, reason: why }: Batch): string {
  return `${id} (${name}) is ${state}${why === null ? '' : `: ${sentence(why, 'en')}`}`
}

/** All of a batch, as lines to print. */
export function linesOf(shown: Awaited<ReturnType<typeof wholeOf>>) {
  const { batch, totals, money, history, problems } = shown
  const { lines, faulty, paid, failed, refused, open, waiting, amount, fee } = batch
  return [
    headOf(batch),
    `${counted(lines, 'line')}: ${faulty} with errors, ${waiting} waiting, ${open} open, ` +
      `${paid} paid, ${failed} failed, ${refused} refused`,
    `${francs(amount)}, and ${francs(fee)} of fees`,
    `${francs(money.taken)} taken, ${francs(money.held)} held`,
    '',
    ...tableOf(totals, {
      Service: (one) => one.serviceCode,
      Lines: (one) => one.lines,
      Amount: (one) => one.amount,
      Fee: (one) => 0 - one.fee,
    }),
    '',
    ...tableOf(history, {
      When: (one) => one.at.toISOString(),
      State: (one) => one.to,
      Who: (one) => one.actor,
      Why: (one) => (one.reason === null ? '' : sentence(one.reason, 'en')),
    }),
    ...(problems.length === 0 ? [] : ['', ...problemLines(problems)]),
  ]
}

function problemLines(problems: BatchLine[]): string[] {
  return tableOf(problems, {
    Line: (one) => one.line,
    Number: ({ phone, serviceCode, given }) =>
      phone === null ? (given?.number ?? '') : plainPhone(phone, serviceCode ?? ''),
    State: (one) => one.state,
    Problem: ({ errors, refusal }) =>
      [...errors, ...(refusal ?? [])].map((one) => sentence(one, 'en')).join('; '),
  })
}
