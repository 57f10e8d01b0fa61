import { Gauge, type Registry } from '@prometheus-io/client'
import { isOver } from '#merchants/catalog/maintenance.ts'
import { readClosures } from '#merchants/catalog/store.ts'
import { type HealthParts, readOldStatements } from '#operations/health/overview.ts'
import { countOpenApprovals, readQueues } from '#operations/health/queues-store.ts'
import { findLastProof } from '#operations/verify/proof-store.ts'
import { ageOf, countedGauge, secondsSince } from './gauges.ts'

/** Gauges of what the page of health judges and no other gauge shows, for alarms. */
export function healthFigures(
  parts: Pick<HealthParts, 'db' | 'mode' | 'hasSmtp' | 'providers'>,
  registry: Registry,
): (now: Date) => Promise<void> {
  const { db, mode, hasSmtp } = parts
  const gauge = (name: string, help: string) => countedGauge(registry, name, help)
  const overdue = new Gauge({
    name: 'passerelle_overdue_seconds',
    help: 'By how much the most overdue work is late',
    labelNames: ['queue'],
    registers: [registry],
  })
  const approvals = gauge('approvals_waiting', 'Proposals that wait for a second person')
  const statements = gauge(
    'statements_old',
    'Providers with payments of days ago that no statement tells of',
  )
  const mailServer = gauge('mail_server', '0 while a live installation has no mail server')
  const proofAge = gauge('proof_age_seconds', 'Age of the last proof of all that is stored')
  const proofBreaks = gauge('proof_breaks', 'What the last proof found; must be 0')
  const closed = new Gauge({
    name: 'passerelle_maintenance_closed',
    help: 'What is closed for maintenance; 1 while it is',
    labelNames: ['scope'],
    registers: [registry],
  })
  const forgotten = gauge(
    'maintenance_overdue',
    'Closed beyond the end that was planned; must be 0',
  )
  return async (now) => {
    const closures = await readClosures(db)
    closed.reset()
    for (const { scope } of closures) closed.set({ scope }, 1)
    forgotten(closures.filter((one) => isOver(one, now)).length)
    const { ordersDueAt, webhooksDueAt, mailsDueAt } = await readQueues(db)
    overdue.set({ queue: 'orders' }, secondsSince(ordersDueAt, now))
    overdue.set({ queue: 'webhooks' }, secondsSince(webhooksDueAt, now))
    overdue.set({ queue: 'mails' }, secondsSince(mailsDueAt, now))
    approvals(await countOpenApprovals(db, now))
    statements((await readOldStatements(parts, now)).length)
    mailServer(mode === 'live' && !hasSmtp ? 0 : 1)
    const proof = await findLastProof(db)
    proofAge(ageOf(proof?.endedAt, now))
    proofBreaks(proof?.breaks.length ?? null)
  }
}
