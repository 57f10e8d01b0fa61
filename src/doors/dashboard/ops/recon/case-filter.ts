import {
  type Age,
  ageNames,
  type CaseFilter,
  caseKinds,
  caseStates,
} from '#backoffice/recon/cases/case.ts'
import { after } from '#base/kit/clock.ts'
import { isUuid } from '#base/kit/ids.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { partyOf } from './parties.ts'

/** The states that can be asked for: `unclosed` are the open and the waiting ones. */
export const askedStates = ['unclosed', ...caseStates, 'all'] as const

/** What the address asks for; what it says wrongly is left out. */
export interface AskedCases {
  state: (typeof askedStates)[number]
  age: Age['age'] | undefined
  filter: CaseFilter
}

/** Reads the filter of differences from the address of a page. */
export function readCaseFilter({ query, now }: Pick<OpsVisit, 'query' | 'now'>): AskedCases {
  const state = askedStates.find((one) => one === query.state) ?? 'unclosed'
  const kind = caseKinds.find((one) => one === query.kind)
  const age = ageNames.find((one) => one === query.age)
  const { statement = '', person = '', q = '' } = query
  const filter: CaseFilter = {
    ...(state === 'unclosed' ? { isUnclosed: true } : {}),
    ...(state === 'unclosed' || state === 'all' ? {} : { state }),
    kind,
    ...partyOf(query.provider ?? ''),
    statementId: isUuid(statement) ? statement : undefined,
    person: person.trim() === '' ? undefined : person.trim(),
    text: q.trim() === '' ? undefined : q.trim(),
    ...(age === undefined ? {} : openedOf(age, now)),
  }
  return { state, age, filter }
}

const dayMs = 86_400_000
const daysOf: Record<Age['age'], [over: number, upTo: number]> = {
  day: [0, 1],
  three_days: [1, 3],
  week: [3, 7],
  month: [7, 30],
  older: [30, Number.POSITIVE_INFINITY],
}

function openedOf(age: Age['age'], now: Date): Pick<CaseFilter, 'openedFrom' | 'openedBefore'> {
  const [over, upTo] = daysOf[age]
  return {
    openedFrom: Number.isFinite(upTo) ? after(now, -upTo * dayMs) : undefined,
    openedBefore: over === 0 ? undefined : after(now, -over * dayMs),
  }
}
