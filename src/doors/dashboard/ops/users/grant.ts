import type { Requested } from '#backoffice/approvals/propose.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { OperatorRole } from '#merchants/people/rights.ts'

/** Proposes a right to approve, in the name of who looks at the page. */
export function requestGrant(
  { approvals }: Pick<DashboardContext, 'approvals'>,
  { actor: by, session, language }: OpsVisit,
  to: { email: string; role: OperatorRole },
  form: string,
): Promise<Requested> {
  const order = { kind: 'grant' as const, clientId: null, ...to, by }
  const asker = { person: by, actor: by }
  return approvals.request({ ...order, name: session.personName, language }, asker, `dash-${form}`)
}
