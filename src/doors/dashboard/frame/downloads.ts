import type { FastifyReply } from 'fastify'
import { Refusal } from '#base/kit/refusal.ts'
import type { DashboardContext } from '../context.ts'
import { auditedFields } from './audited-fields.ts'
import type { AnyVisit } from './visit.ts'

// A file that is sent keeps some megabytes, and reads beside payments; a slow reader takes long.
const [ownMax, inAllMax] = [3, 20]
const underWay = new Map<FastifyReply['raw'], number>()

/** Takes a place for a file of any length until it is sent; refuses while too many are. */
export function takePlace({ raw }: FastifyReply, clientId: number): void {
  const own = [...underWay.values()].filter((one) => one === clientId).length
  if (own >= ownMax || underWay.size >= inAllMax)
    throw new Refusal('conflict', 'Other files are being downloaded: wait for one to finish')
  if (raw.closed) return
  underWay.set(raw, clientId)
  raw.once('close', () => underWay.delete(raw))
}

/** The same for a visitor, which is recorded: what is downloaded leaves our hands. */
export async function beginDownload(
  { audit }: Pick<DashboardContext, 'audit'>,
  { client, actor, path, query }: AnyVisit,
  reply: FastifyReply,
  action: 'transaction.export' | 'statement.export' | 'audit.export',
): Promise<void> {
  takePlace(reply, client?.id ?? 0)
  const details = { path, fields: auditedFields(query) }
  await audit.record({ actor, action, clientId: client?.id ?? null, details })
}
