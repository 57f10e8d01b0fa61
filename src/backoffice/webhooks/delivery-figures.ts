import { Counter, Histogram } from '@prometheus-io/client'
import { timeOfIdMs } from '#base/kit/ids.ts'
import type { AttemptRow } from './store.ts'

// From an answer at once to the end of the schedule.
const lagBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 36_000, 86_400]

/** What became of the webhooks that this process has sent; for metrics. */
export class DeliveryFigures {
  /** Tries by the class of the answer and the state they led to. */
  readonly tries = new Counter({
    name: 'passerelle_webhook_tries_total',
    help: 'Attempts to deliver webhooks, by class of answer and resulting state',
    labelNames: ['answer', 'state'],
    registers: [],
  })
  /** Seconds from the recording of a delivery to its success, retries included. */
  readonly lag = new Histogram({
    name: 'passerelle_webhook_lag_seconds',
    help: 'Time from the recording of a delivery to its success',
    buckets: lagBounds,
    registers: [],
  })

  count({ httpStatus, state, deliveryId }: AttemptRow, now: Date): void {
    const answer =
      httpStatus === null ? 'none' : (answerClasses[Math.floor(httpStatus / 100)] ?? 'other')
    this.tries.inc({ answer, state })
    if (state === 'delivered') this.lag.observe((now.getTime() - timeOfIdMs(deliveryId)) / 1000)
  }
}

const answerClasses: Record<number, string> = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' }
