import { Refusal } from '../../catalog/refusal.ts'
import type { Contract } from '../../clients/contract.ts'
import type { Language } from '../../kit/language.ts'
import type { DashboardContext } from '../context.ts'
import type { Problems } from './fields.ts'
import { sentenceOf } from './words.ts'

type Rules = Pick<DashboardContext, 'catalog' | 'clients'>

/** The contract of a client; refuses while all is closed for maintenance, as the interface does. */
export async function openContract(
  { catalog, clients }: Rules,
  clientId: number,
): Promise<Contract> {
  const [{ isClosed }, contract] = await Promise.all([
    catalog.maintenance(),
    clients.contractOf(clientId),
  ])
  if (isClosed) throw new Refusal('under_maintenance', 'API under maintenance')
  return contract
}

/** The same for what needs an active merchant account: links and sub-merchants. */
export async function merchantContract(rules: Rules, clientId: number): Promise<Contract> {
  const contract = await openContract(rules, clientId)
  if (contract.merchantStatus !== 'active')
    throw new Refusal('merchant_not_active', 'Your merchant account is not active')
  return contract
}

/** Runs a step; a refusal becomes what is wrong with the form as a whole. */
export async function refusedAs<T>(
  language: Language,
  step: () => Promise<T>,
): Promise<{ done: T } | { problems: Problems }> {
  try {
    return { done: await step() }
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem
    const sentences = problem.reasons.map((one) => sentenceOf(one, language))
    return { problems: { '': sentences.join(' · ') } }
  }
}
