/** Why an order is declined; each protocol has its own words for these. */
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
 * An order's life, step by step, from the moment it is taken. Unless a step below says when the
 * answer goes out (`answer`, `lose_answer`, a later `status`), it is written at once.
 */
export type Step =
  /** Lets this much time pass. */
  | { do: 'delay'; ms: number }
  /** Lets a payer's or a network's own time pass: 0.8 to 1.2 s; 3 s on a checkout page. */
  | { do: 'soon' }
  /** Money moves: the amount asked for, another `amount`, or the amount asked for plus `off`. */
  | { do: 'succeed'; amount?: number; off?: number }
  /** The order ends without money moving. */
  | { do: 'decline'; reason: Reason }
  /** Tells the outcome, if there is one by now, to the callback address, if there is one. */
  | { do: 'callback' }
  /** Sends the last callback again, byte for byte. */
  | { do: 'duplicate'; times: number }
  /** Sends a callback that says the opposite of the truth; queries go on telling the truth. */
  | { do: 'contradict' }
  /** Sends a success that does not come from us: wrong address code, or wrong signature. */
  | { do: 'forge' }
  /** Writes the answer now, after the callbacks before it were delivered. */
  | { do: 'answer' }
  /** Closes the socket instead of answering. */
  | { do: 'lose_answer' }
  /** Nothing more happens before the payer acts; only the protocols themselves add this. */
  | { do: 'hold' }
  /**
   * First in a sequence: one request with this order's key gets this HTTP status and no order is
   * taken. Later: the order is taken, and this status is its answer.
   */
  | { do: 'status'; code: number }

const soon: Step = { do: 'soon' }
const tell: Step = { do: 'callback' }
const succeed: Step = { do: 'succeed' }
const unavailable: Step = { do: 'status', code: 503 }
const wait = (ms: number): Step => ({ do: 'delay', ms })
const decline = (reason: Reason): Step => ({ do: 'decline', reason })

/** What happens to any number that the table does not name. */
export const ordinary: Step[] = [soon, succeed, tell]

/** The behaviour of each demo number and each demo reference, on every protocol. */
export const scenarios: Record<string, Step[]> = {
  // Customers
  '770000001': [soon, decline('insufficient_funds'), tell],
  '770000002': [soon, decline('refused'), tell],
  '770000003': [wait(3000), decline('expired'), tell],
  '770000004': [],
  '770000005': [wait(10_000), succeed],
  '770000006': [{ do: 'lose_answer' }, ...ordinary],
  '770000007': [...ordinary, { do: 'duplicate', times: 4 }],
  '770000008': [...ordinary, { do: 'contradict' }],
  '770000009': [unavailable, unavailable, unavailable, ...ordinary],
  '770000010': [soon, { do: 'succeed', off: -50 }, tell],
  '770000011': [succeed, tell, { do: 'answer' }],
  '770000012': [...ordinary, wait(14_000), { do: 'answer' }],
  '770000013': [soon, { do: 'forge' }, wait(4000), decline('failed'), tell],
  // Water and electricity
  '100000001': [succeed],
  '100000002': [succeed],
  '100000003': [succeed],
  '100000005': [decline('payee_refused')],
  '100000006': [{ do: 'lose_answer' }, succeed],
  // Prepaid electricity
  '200000001': [succeed],
  '200000002': [wait(2000), succeed],
  '200000003': [wait(2000), decline('failed')],
  '200000005': [decline('payee_refused')],
  '200000006': [{ do: 'lose_answer' }, soon, succeed],
  '200000007': [succeed],
}

/** What a random fault makes of an ordinary order. */
export const faults = {
  lost_answer: [{ do: 'lose_answer' }, ...ordinary],
  error_before: [unavailable, ...ordinary],
  error_after: [wait(0), { do: 'status', code: 500 }, ...ordinary],
  late_answer: [...ordinary, wait(8000), { do: 'answer' }],
  duplicate_callback: [...ordinary, { do: 'duplicate', times: 2 }],
} satisfies Record<string, Step[]>
/** The name of a random fault. */
export type Fault = keyof typeof faults

/** A sequence of steps, ready to be played. */
export interface Script {
  /** Statuses of the requests that are turned away before the order is taken. */
  refusals: number[]
  steps: Step[]
  /** Whether a step decides when, and whether, the answer goes out. */
  holdsAnswer: boolean
  /** How many steps there are up to the last one that somebody outside can see without asking. */
  visibleUntil: number
}

const quiet = new Set(['delay', 'soon', 'succeed', 'decline', 'hold'])
const answering = new Set(['answer', 'lose_answer', 'status'])

/** Makes a script of steps; the same list always gives the same script. */
export function scriptOf(steps: Step[]): Script {
  const known = scripts.get(steps)
  if (known !== undefined) return known
  const first = steps.findIndex((step) => step.do !== 'status')
  const [head, rest] = first === -1 ? [steps, []] : [steps.slice(0, first), steps.slice(first)]
  const script = {
    refusals: head.flatMap((step) => (step.do === 'status' ? [step.code] : [])),
    steps: rest,
    holdsAnswer: rest.some((step) => answering.has(step.do)),
    visibleUntil: rest.findLastIndex((step) => !quiet.has(step.do)) + 1,
  }
  scripts.set(steps, script)
  return script
}
const scripts = new WeakMap<Step[], Script>()

/** Makes scripts out of scripts, each only once. */
function changed(change: (script: Script) => Step[]): (script: Script) => Script {
  const known = new WeakMap<Script, Script>()
  return (script) => {
    const made = known.get(script) ?? { ...scriptOf(change(script)), refusals: script.refusals }
    known.set(script, made)
    return made
  }
}

/** The same script where the answer is the outcome: only an answer that is held takes time. */
export const withoutDelays = changed(({ steps, holdsAnswer }) =>
  holdsAnswer ? steps : steps.filter((step) => !takesTime(step)),
)

/** The same script, lived only once the payer acts. */
export const onceThePayerActs = changed(({ steps }) => [{ do: 'hold' }, ...steps])

/** The same script where, after an answer that got lost, nobody can act before somebody asks. */
export const onceSomebodyAsks = changed(({ steps }) =>
  steps.flatMap((step): Step[] =>
    step.do === 'lose_answer' || step.do === 'status' ? [step, { do: 'hold' }] : [step],
  ),
)

/** Whether a step lets time pass. */
export function takesTime(step: Step): step is Step & { do: 'delay' | 'soon' } {
  return step.do === 'delay' || step.do === 'soon'
}
