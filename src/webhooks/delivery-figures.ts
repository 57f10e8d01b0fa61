import { Buckets } from '../kit/buckets.ts'
import { timeOfIdMs } from '../kit/ids.ts'
import { Tally } from '../kit/tally.ts'
import type { AttemptRow } from './store.ts'

// From an answer at once to the end of the schedule.
const lagBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 36_000, 86_400]

/** What became of the webhooks that this process has sent; for metrics. */
export class DeliveryFigures {
  /** Tries by the class of the answer and the state they led to. */
  readonly tries = new Tally()
  /** Seconds from the recording of a delivery to its success, retries included. */
  readonly lag = new Buckets(lagBounds)

  count({ httpStatus, state, deliveryId }: AttemptRow, now: Date): void {
    const answer =
      httpStatus === null ? 'none' : (answerClasses[Math.floor(httpStatus / 100)] ?? 'other')
    this.tries.add([answer, state])
    if (state === 'delivered') this.lag.count((now.getTime() - timeOfIdMs(deliveryId)) / 1000)
  }
}

const answerClasses: Record<number, string> = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' }
