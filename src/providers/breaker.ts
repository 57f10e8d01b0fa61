import { monotonicMs } from '../kit/clock.ts'
import type { Reply } from './http.ts'
import { Recent } from './recent.ts'

export interface Breaker {
  /** Why nothing is let through now, if so. */
  refusal(): string | undefined
  /** A call goes out, after `refusal` found nothing: its verdict is told with what this answers. */
  begin(): Phase
  /** Whether the provider worked, once for each call. */
  judge(sentIn: Phase, isGood: boolean): void
  state(): State
  close(): void
}

/** `trying`: after a sign of life one call is under way that decides. */
type State = 'up' | 'down' | 'trying'

interface BreakerParts {
  /** A harmless question: any answer is a sign of life. */
  ask(): Promise<Reply>
  onChange(isUp: boolean): void
}

/*
 * The window is a little longer than the time after which a call counts as failed, so that the good
 * answers from before are soon out of it. With three faults in ten, 20 calls fail by more than 80 %
 * once in two million times; ten in a row, once in 170,000, and then only over two seconds.
 */
const windowMs = 4000
const callsMin = 20
const badShareMax = 0.8
const badRunMin = 10
const badRunMs = 2000
// How long to wait before the next look at a provider that is down; the last one repeats.
const looksMs = [500, 1000, 2000, 4000, 8000, 15_000]

/**
 * Opens when a provider fails. While it is open only a harmless question goes out now and then;
 * after a sign of life one real call is let through, and its verdict decides.
 */
export function openBreaker({ ask, onChange }: BreakerParts): Breaker {
  let state: State = 'up'
  let phase = newPhase()
  const watch = watchForLife(ask)

  function change(isUp: boolean): void {
    state = isUp ? 'up' : 'down'
    phase = newPhase()
    if (isUp) watch.stop()
    else watch.start()
    onChange(isUp)
  }

  return {
    refusal: () => {
      if (state === 'trying') return 'down, being tried'
      return state === 'down' && !watch.isAlive() ? 'down' : undefined
    },
    begin: () => {
      if (state === 'down') state = 'trying'
      return phase
    },
    judge: (sentIn, isGood) => {
      // A call from before the last change says nothing about the time since.
      if (sentIn !== phase) return
      count(phase, isGood)
      if (state === 'trying') change(isGood)
      else if (!isGood && isFailing(phase)) change(false)
    },
    state: () => state,
    close: () => watch.stop(),
  }
}

/** What is known of the provider since it last went down or came back. */
interface Phase {
  calls: Recent
  /** Failures since the last good answer. */
  badRun: number
  goodMs: number
}

function newPhase(): Phase {
  return { calls: new Recent(), badRun: 0, goodMs: monotonicMs() }
}

function count(phase: Phase, isGood: boolean): void {
  phase.calls.countVerdict(isGood)
  if (isGood) phase.goodMs = monotonicMs()
  phase.badRun = isGood ? 0 : phase.badRun + 1
}

function isFailing({ calls, badRun, goodMs }: Phase): boolean {
  const { good, bad } = calls.over(windowMs)
  if (good + bad >= callsMin && bad > (good + bad) * badShareMax) return true
  return badRun >= badRunMin && monotonicMs() - goodMs >= badRunMs
}

/** Asks again and again, ever less often, until there is an answer. */
function watchForLife(ask: () => Promise<Reply>) {
  let isAlive = false
  let timer: NodeJS.Timeout | undefined
  let looks = 0

  async function look(round: NodeJS.Timeout): Promise<void> {
    const reply = await ask()
    if (timer !== round) return
    isAlive = reply.kind === 'answered' && reply.status < 500
    if (!isAlive) wait()
  }
  function wait(): void {
    const round = setTimeout(
      () => void look(round),
      looksMs[Math.min(looks, looksMs.length - 1)],
    ).unref()
    looks += 1
    timer = round
  }
  return {
    isAlive: () => isAlive,
    /** Also after a trial that failed: the waits go on growing until `stop`. */
    start: () => {
      isAlive = false
      clearTimeout(timer)
      wait()
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
      looks = 0
    },
  }
}
