import { hostname } from 'node:os'
import { after, type Clock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { type Asked, type GivenAlert, type GivenSilence, openAlertmanager } from './alertmanager.ts'

/** An alert that fires now. */
export interface Alert {
  /** Alertmanager's name for its labels. */
  id: string
  name: string
  severity: string
  summary: string
  /** The address of a page of the dashboard; null: it names none of ours. */
  runbook: string | null
  since: Date
  /** Who has taken it on, and until when nobody is told of it again; null: nobody has. */
  acknowledged: { by: string; until: Date } | null
  /** It follows from a worse one, of which somebody is told. */
  isInhibited: boolean
}

/** How long nobody is told again of an alert that somebody has acknowledged. */
export const spans = ['hour', 'morning'] as const
export type Span = (typeof spans)[number]

interface AlertParts {
  /** ALERTMANAGER_URL; null: nobody is told of anything. */
  url: string | null
  clock: Clock
  publicUrl(): string
}

export type Alerts = ReturnType<typeof openAlerts>

const hourMs = 3_600_000
const testMs = 60_000
const morningHour = 7

/**
 * Opens the room: what Alertmanager has been told by Prometheus. Who is told of what, how often and
 * when is Alertmanager's own configuration; nothing of it is kept here.
 */
export function openAlerts({ url, clock, publicUrl }: AlertParts) {
  if (url === null) return null
  const given = openAlertmanager(url)

  async function firing(): Promise<Asked<Alert[]>> {
    const [alerts, silences] = await Promise.all([given.alerts(), given.silences()])
    if (!alerts.isAnswered) return alerts
    if (!silences.isAnswered) return silences
    return { isAnswered: true, value: alerts.value.map((one) => read(one, silences.value)) }
  }

  return {
    /** Every alert that fires, those first of which somebody has to be told. */
    firing,

    /**
     * Nobody is told again of this alert for a while, whatever way Alertmanager would tell. False:
     * it does not fire any more.
     */
    acknowledge: async (order: { id: string; span: Span; by: string }): Promise<Asked<boolean>> => {
      const asked = await given.alerts()
      if (!asked.isAnswered) return asked
      const found = asked.value.find(({ fingerprint }) => fingerprint === order.id)
      if (found === undefined) return { isAnswered: true, value: false }
      const now = clock.now()
      const matchers = Object.entries(found.labels).map(([name, value]) => ({
        name,
        value,
        isRegex: false,
        isEqual: true,
      }))
      const taken = await given.silence({
        matchers,
        startsAt: now,
        endsAt: endOf(order.span, now),
        createdBy: order.by,
        comment: 'acknowledged in the dashboard',
      })
      return taken.isAnswered ? { isAnswered: true, value: true } : taken
    },

    /** Fires an alert that is none, to see whether it arrives; it ends after a minute. */
    sendTest: async (by: string): Promise<Asked<unknown>> => {
      const now = clock.now()
      // Each is another one: it is told of, however short ago the last one was.
      const labels = {
        alertname: 'TestAlert',
        severity: 'critical',
        instance: hostname(),
        test: newId(now),
      }
      const summary = `A test, sent by ${by}: nothing is wrong`
      const annotations = { summary, runbook: '/dashboard/ops/runbooks/alerts' }
      const generatorURL = `${publicUrl()}/dashboard/ops/alerts`
      return given.add([
        { labels, annotations, startsAt: now, endsAt: after(now, testMs), generatorURL },
      ])
    },
  }
}

function read(one: GivenAlert, silences: GivenSilence[]): Alert {
  const { labels, annotations, status } = one
  const silence = silences
    .filter(({ id }) => status.silencedBy.includes(id))
    .toSorted((a, b) => (a.endsAt < b.endsAt ? 1 : -1))[0]
  const { runbook = '' } = annotations
  return {
    id: one.fingerprint,
    name: labels.alertname ?? '',
    severity: labels.severity ?? '',
    summary: annotations.summary ?? '',
    runbook: /^\/dashboard\/ops\/runbooks\/[a-z-]+$/.test(runbook) ? runbook : null,
    since: new Date(one.startsAt),
    acknowledged:
      silence === undefined ? null : { by: silence.createdBy, until: new Date(silence.endsAt) },
    isInhibited: status.inhibitedBy.length > 0,
  }
}

/** When somebody is told again: in an hour, or at the next seven o'clock, UTC. */
function endOf(span: Span, now: Date): Date {
  if (span === 'hour') return after(now, hourMs)
  const morning = new Date(now)
  morning.setUTCHours(morningHour, 0, 0, 0)
  return morning > now ? morning : after(morning, 24 * hourMs)
}
