import type { Requested } from '../../../approvals/propose.ts'
import type { OperatorRole } from '../../../people/rights.ts'
import type { DashboardContext } from '../../context.ts'
import type { OpsVisit } from '../../frame/visit.ts'

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
