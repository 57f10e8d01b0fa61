import type { Reason, Step } from './script.ts'

const soon: Step = { do: 'soon' }
const callback: Step = { do: 'callback' }
const succeed: Step = { do: 'succeed' }
const unavailable: Step = { do: 'status', code: 503 }
const delay = (ms: number): Step => ({ do: 'delay', ms })
const decline = (reason: Reason): Step => ({ do: 'decline', reason })

/** The steps of an order whose number is not in the table. */
export const ordinary: Step[] = [soon, succeed, callback]

/** The steps of each demo number and each demo reference, in every protocol. */
export const scenarios: Record<string, Step[]> = {
  // Customers
  '770000001': [soon, decline('insufficient_funds'), callback],
  '770000002': [soon, decline('refused'), callback],
  '770000003': [delay(3000), decline('expired'), callback],
  '770000004': [],
  '770000005': [delay(10_000), succeed],
  '770000006': [{ do: 'lose_answer' }, ...ordinary],
  '770000007': [...ordinary, { do: 'duplicate', times: 4 }],
  '770000008': [...ordinary, { do: 'contradict' }],
  '770000009': [unavailable, unavailable, unavailable, ...ordinary],
  '770000010': [soon, { do: 'succeed', off: -50 }, callback],
  '770000011': [succeed, callback, { do: 'answer' }],
  '770000012': [...ordinary, delay(14_000), { do: 'answer' }],
  '770000013': [soon, { do: 'forge' }, delay(4000), decline('failed'), callback],
  '770000014': [
    { do: 'hide', times: 1 },
    { do: 'decline_repeats', reason: 'insufficient_funds' },
    succeed,
    { do: 'lose_answer' },
  ],
  // Water and electricity
  '100000001': [succeed],
  '100000002': [succeed],
  '100000003': [succeed],
  '100000005': [decline('payee_refused')],
  '100000006': [{ do: 'lose_answer' }, succeed],
  '100000007': [succeed],
  // Prepaid electricity
  '200000001': [succeed],
  '200000002': [delay(2000), succeed],
  '200000003': [delay(2000), decline('failed')],
  '200000005': [decline('payee_refused')],
  '200000006': [{ do: 'lose_answer' }, soon, succeed],
  '200000007': [succeed],
}

/** The steps of an ordinary order that meets a random fault. */
export const faults = {
  lost_answer: [{ do: 'lose_answer' }, ...ordinary],
  error_before: [unavailable, ...ordinary],
  error_after: [delay(0), { do: 'status', code: 500 }, ...ordinary],
  late_answer: [...ordinary, delay(8000), { do: 'answer' }],
  duplicate_callback: [...ordinary, { do: 'duplicate', times: 2 }],
} satisfies Record<string, Step[]>
/** The name of a random fault. */
export type Fault = keyof typeof faults
