import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import type { DashboardContext } from '../context.ts'
import type { Problems } from './fields.ts'
import { sentenceOf } from './words.ts'

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
