import type { DashboardContext } from '../context.ts'
import type { ShopNames } from './rows.ts'

/** The names of a client's first hundred sub-merchants; others are shown by their ids. */
export async function shopNames(
  { subMerchants }: Pick<DashboardContext, 'subMerchants'>,
  clientId: number,
): Promise<ShopNames> {
  const { found } = await subMerchants.list(clientId, { page: 1, limit: 100 })
  return new Map(found.map(({ id, name }) => [id, name]))
}
