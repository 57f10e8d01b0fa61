import { Fragment } from './statement.ts'

type Row = readonly [from: string, trigger: string, to: string]

/**
 * Every change there is of a table's column `state`. SQL takes a new state from here and nowhere
 * else: one that the rows do not lead to is null, which the column refuses.
 */
export function transitions<const Rows extends readonly Row[]>(rows: Rows) {
  type State = Exclude<Rows[number][0 | 2], '(new)'>
  type Trigger = Exclude<Rows[number], readonly ['(new)', ...unknown[]]>[1]

  const of = (...triggers: string[]) =>
    rows.filter(([from, trigger]) => from !== '(new)' && triggers.includes(trigger))
  const before = (trigger: Trigger) => of(trigger).map(([from]) => from as State)
  const can = (trigger: Trigger, row: string) => `${row}.state in (${listed(before(trigger))})`
  const all = rows.map(([, trigger]) => trigger)
  const canBe = (row: string, given: string, triggers: readonly string[] = all) => {
    const steps = of(...triggers).map(([from, , to]) => `(${listed([from, to])})`)
    return `(${row}.state, ${given}.state) in (${steps.join(', ')})`
  }

  return {
    states: [...new Set(rows.flatMap(([from, , to]) => [from, to]))].filter(
      (one): one is State => one !== '(new)',
    ),
    /** The state that a trigger leads to; undefined: there is no such row. */
    next: (from: State, trigger: Trigger) =>
      of(trigger).find(([state]) => state === from)?.[2] as State | undefined,
    /** The states that a trigger is possible in. */
    before,
    /** For `set`: what a trigger makes of a row. */
    set: (trigger: Trigger, row: string) =>
      written(`state = case when ${can(trigger, row)} then '${of(trigger)[0]?.[2]}' end`),
    /** For `where`: the rows that a trigger is possible for. */
    can: (trigger: Trigger, row: string) => written(can(trigger, row)),
    /** For `set`: the state of another row, to which one of these triggers, or any, leads. */
    setAs: (row: string, given: string, triggers?: readonly Trigger[]) =>
      written(`state = case when ${canBe(row, given, triggers)} then ${given}.state end`),
    /** For `where`: the rows that may be in that state. */
    canBe: (row: string, given: string, triggers?: readonly Trigger[]) =>
      written(canBe(row, given, triggers)),
  }
}

export type StateOf<T extends { states: string[] }> = T['states'][number]
export type TriggerOf<T extends { before(trigger: never): unknown }> = Parameters<T['before']>[0]

function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

const fragments = new Map<string, Fragment>()

/** The same object for the same text: by it a prepared statement is found. */
function written(text: string): Fragment {
  const known = fragments.get(text) ?? new Fragment(text)
  fragments.set(text, known)
  return known
}
