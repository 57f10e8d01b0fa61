import { Problem } from '#base/kit/problem.ts'
import { openConnectionPool } from '#base/net/pool.ts'
import { sendRequest } from '#base/net/request.ts'

/** Sends a form of a payment page, as the browser of its payer does without a script. */
export async function sendForm(
  pageUrl: string,
  action: 'pay' | 'give-up',
  fields: Record<string, string>,
): Promise<void> {
  const { origin, pathname } = new URL(pageUrl)
  const pool = openConnectionPool(origin, { connectionsMax: 1, idleMs: 1000 })
  try {
    const answer = await sendRequest(pool, {
      method: 'POST',
      path: `${pathname}/${action}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      deadlineMs: 30_000,
      bodyBytesMax: 1_000_000,
      whenTooLong: 'truncate',
    })
    const told = answer.kind === 'answered' ? `answers ${answer.status}` : answer.problem.message
    // Where it leads to says what is wrong, if anything is (src/doors/pay/notes.ts).
    const location = answer.kind === 'answered' ? answer.headers.location : undefined
    if (location === undefined || new URL(location, pageUrl).searchParams.has('n'))
      throw new Problem(`The payment page ${pageUrl} does not take the form: ${told}.`)
  } finally {
    pool.close()
  }
}
