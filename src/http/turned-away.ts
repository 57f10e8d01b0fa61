import type { Log } from '../log/log.ts'

declare module 'fastify' {
  interface FastifyInstance {
    turnedAway: TurnedAway
  }
}

const everyMs = 1000

/**
 * Counts the requests that are refused because too much is under way, and logs how many each
 * second: a line for each would cost more than the answers, when there is no time for either.
 */
export class TurnedAway {
  count = 0
  readonly #log: Log
  #logged = 0
  #timer: NodeJS.Timeout | undefined

  constructor(log: Log) {
    this.#log = log
  }

  add(): void {
    this.count += 1
    this.#timer ??= setTimeout(() => this.#write(), everyMs).unref()
  }

  close(): void {
    if (this.#timer !== undefined) this.#write()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const count = this.count - this.#logged
    this.#logged = this.count
    this.#log.warn({ count }, 'requests were turned away: more arrive than are answered')
  }
}
