import { Refusal } from '#base/kit/refusal.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import type { DashboardContext } from '../context.ts'

/** The contract of a client that may begin something new; refuses as the interface does. */
export async function merchantContract(
  { catalog, clients }: Pick<DashboardContext, 'catalog' | 'clients'>,
  clientId: number,
): Promise<Contract> {
  const { isClosed } = await catalog.maintenance()
  if (isClosed) throw new Refusal('under_maintenance', 'API under maintenance')
  await clients.refuseInactive(clientId, null)
  return clients.contractOf(clientId)
}
