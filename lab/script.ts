/** Why an order is declined; each protocol has its own codes for these. */
export const reasons = [
  'insufficient_funds',
  'refused',
  'expired',
  'payee_refused',
  'failed',
] as const
/** One of the reasons above. */
export type Reason = (typeof reasons)[number]

/**
 * One step of an order, from the moment the order is accepted. The answer is written at once,
 * unless one of the steps says when (`answer`, `lose_answer`, a later `status`).
 */
export type Step =
  /** Waits this long. */
  | { do: 'delay'; ms: number }
  /** Waits as long as a payer or a network takes: 0.8 to 1.2 s; 3 s on a checkout page. */
  | { do: 'soon' }
  /** Money moves: the amount ordered, another `amount`, or the amount ordered plus `off`. */
  | { do: 'succeed'; amount?: number; off?: number }
  /** The order ends without money moving. */
  | { do: 'decline'; reason: Reason }
  /** Sends a callback with the result, if the order has ended and has a callback address. */
  | { do: 'callback' }
  /** Sends the last callback again, byte for byte. */
  | { do: 'duplicate'; times: number }
  /** Sends a callback with the opposite result; queries still return the true one. */
  | { do: 'contradict' }
  /** Sends a success that is not genuine: wrong code in the address, or wrong signature. */
  | { do: 'forge' }
  /** Writes the answer, after the callbacks before it were delivered. */
  | { do: 'answer' }
  /** Closes the socket instead of answering. */
  | { do: 'lose_answer' }
  /** So many queries, by all that a client has without the answer, do not find the order. */
  | { do: 'hide'; times: number }
  /** A repetition of the order is declined as if it were a new one, and changes nothing of it. */
  | { do: 'decline_repeats'; reason: Reason }
  /** Waits until the payer acts or the client queries; only protocols add this step. */
  | { do: 'hold' }
  /**
   * At the beginning: one request with this order's key gets this HTTP status, and no order is
   * entered. Later: the order is entered, and this status is its answer.
   */
  | { do: 'status'; code: number }

/** A sequence of steps, prepared for running. */
export interface Script {
  /** HTTP statuses of the requests that are refused before the order is entered. */
  refusals: number[]
  steps: Step[]
  /** Whether a step decides when, and whether, the answer goes out. */
  holdsAnswer: boolean
  /** Behind the last step that is visible without a query; up to there delays need a timer. */
  needsTimerUntil: number
}

// Two of them are read from the script whenever a request comes: running them does nothing.
const standingSteps = new Set(['hide', 'decline_repeats'])
const invisibleSteps = new Set(['delay', 'soon', 'succeed', 'decline', 'hold', ...standingSteps])
const answerSteps = new Set(['answer', 'lose_answer', 'status'])

/** Prepares steps for running; the same array always gives the same script. */
export function scriptOf(steps: Step[]): Script {
  const known = scripts.get(steps)
  if (known !== undefined) return known
  const first = steps.findIndex((step) => step.do !== 'status')
  const [head, rest] = first === -1 ? [steps, []] : [steps.slice(0, first), steps.slice(first)]
  const script = {
    refusals: head.flatMap((step) => (step.do === 'status' ? [step.code] : [])),
    steps: rest,
    holdsAnswer: rest.some((step) => answerSteps.has(step.do)),
    needsTimerUntil: rest.findLastIndex((step) => !invisibleSteps.has(step.do)) + 1,
  }
  scripts.set(steps, script)
  return script
}
const scripts = new WeakMap<Step[], Script>()

/** A function that changes the steps of a script; its result is cached for each script. */
function scriptChange(change: (script: Script) => Step[]): (script: Script) => Script {
  const cache = new WeakMap<Script, Script>()
  return (script) => {
    const changed = cache.get(script) ?? { ...scriptOf(change(script)), refusals: script.refusals }
    cache.set(script, changed)
    return changed
  }
}

/** The script of an order whose answer is its result: no delays, unless it holds the answer. */
export const withoutDelays = scriptChange(({ steps, holdsAnswer }) =>
  holdsAnswer ? steps : steps.filter((step) => !takesTime(step)),
)

/** The script, held before its first step until the payer acts. */
export const waitingForPayer = scriptChange(({ steps }) => [{ do: 'hold' }, ...steps])

/** The script, held after an answer that the client does not get, until the client queries. */
export const waitingForQuery = scriptChange(({ steps }) =>
  steps.flatMap((step): Step[] =>
    step.do === 'lose_answer' || step.do === 'status' ? [step, { do: 'hold' }] : [step],
  ),
)

/** Whether a step waits. */
export function takesTime(step: Step): step is Step & { do: 'delay' | 'soon' } {
  return step.do === 'delay' || step.do === 'soon'
}

/** Whether a step only says what requests about the order are answered. */
export function isStanding(step: Step): step is Step & { do: 'hide' | 'decline_repeats' } {
  return standingSteps.has(step.do)
}
