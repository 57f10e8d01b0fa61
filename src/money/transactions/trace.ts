import { monotonicMs } from '#base/kit/clock.ts'
import type { Traces } from '#base/traces/open.ts'
import type { Connector, Evidence } from '#money/providers/contract.ts'
import type { Applied } from './apply.ts'
import type { Bound } from './binding.ts'
import type { OutcomeReport } from './decide.ts'
import type { openRecorder } from './recorder.ts'
import { stepAttributes, type Transaction } from './transaction.ts'

type Recorder = ReturnType<typeof openRecorder>

/** The recorder, with a span for each intent and each group of reports that it commits. */
export function tracedRecorder(recorder: Recorder, traces: Traces): Recorder {
  const recordAll = async (reports: [OutcomeReport, ...OutcomeReport[]]) => {
    const startedMs = monotonicMs()
    const applied = await recorder.recordAll(reports)
    stepOfReport(traces, startedMs, reports[0], applied.at(-1))
    return applied
  }
  return {
    ...recorder,
    recordAll,
    record: async (report) => {
      const startedMs = monotonicMs()
      const applied = await recorder.record(report)
      stepOfReport(traces, startedMs, report, applied)
      return applied
    },
    recordIntent: async (draft) => {
      const startedMs = monotonicMs()
      const recorded = await recorder.recordIntent(draft)
      if (recorded.kind === 'recorded') {
        const attributes = stepAttributes(recorded.transaction)
        traces.step(recorded.transaction, startedMs, { name: 'record', kind, attributes })
      }
      return recorded
    },
  }
}

const kind = 'internal'

interface Told {
  kind: string
  /** With the status of the last answer, where there was one: a call may be several requests. */
  evidence?: Evidence
}

/** What the answer of a provider adds to the span of the call. */
function told({ kind: outcome, evidence }: Told) {
  const hasFailed = outcome === 'unknown' || outcome === 'not_sent'
  return {
    attributes: {
      'passerelle.outcome': outcome,
      'http.response.status_code': evidence?.status,
    },
    error: hasFailed ? outcome : undefined,
  }
}

function stepOfReport(
  traces: Traces,
  startedMs: number,
  { source, outcome }: OutcomeReport,
  applied: Applied | undefined,
): void {
  if (applied === undefined) return
  const { transaction } = applied
  const attributes = {
    ...stepAttributes(transaction),
    'passerelle.source': source,
    'passerelle.outcome': outcome.kind,
    'passerelle.status': transaction.status,
  }
  traces.step(transaction, startedMs, { name: 'record outcome', kind, attributes })
}

/** The connector of a transaction, with a span for each call to the provider. */
export function tracedBinding(bound: Bound, transaction: Transaction, traces: Traces): Bound {
  const { connector } = bound
  const attributes = {
    ...stepAttributes(transaction),
    'passerelle.connector': connector.name,
  }
  const during = <Answer extends Told>(call: string, work: () => Promise<Answer>) =>
    traces.during(transaction, { name: `provider ${call}`, kind: 'client', attributes }, work, told)
  const { prepare, cancel, confirm } = connector
  const traced: Connector = {
    ...connector,
    submit: (attempt) => during('submit', () => connector.submit(attempt)),
    query: (attempt, claimed) => during('query', () => connector.query(attempt, claimed)),
    ...(prepare && { prepare: (attempt) => during('prepare', () => prepare(attempt)) }),
    ...(cancel && { cancel: (attempt) => during('cancel', () => cancel(attempt)) }),
    ...(confirm && { confirm: (attempt, code) => during('confirm', () => confirm(attempt, code)) }),
  }
  return { ...bound, connector: traced }
}
