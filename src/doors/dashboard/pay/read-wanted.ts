import type { Language } from '#base/kit/language.ts'
import { billerAccountPattern } from '#edge/wire/patterns.ts'
import { enabledTerms } from '#edge/wire/service.ts'
import { readPhone } from '#merchants/catalog/phone.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { limitsOf } from '#merchants/clients/contract.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'
import type { DashboardContext } from '../context.ts'
import { merchantContract } from '../frame/interface-rules.ts'
import { readFields } from '../frame/read-fields.ts'
import type { Visit } from '../frame/visit.ts'
import { isToPhone, offerOf, type PayKind } from './kinds.ts'
import { kindWords, payWords } from './words.ts'

/** What a person wants to pay, as it was typed and checked. */
export interface Wanted {
  kind: PayKind
  service: Service
  terms: ServiceTerms
  /** The name that the recipient is shown, unless a sub-merchant has its own. */
  clientName: string
  /** Nine digits of a phone, or the number of a customer or meter. */
  to: string
  /** Null: a bill, which has an amount of its own. */
  amount: number | null
}

const accountForm = new RegExp(billerAccountPattern, 'u')

/** Reads the fields of a form. */
export async function readWanted(
  context: DashboardContext,
  { language, client }: Visit,
  kind: PayKind,
  get: (name: string) => string,
): Promise<Wanted> {
  const contract = await merchantContract(context, client.id)
  const { closedServices } = await context.catalog.maintenance()
  const say = payWords[language]
  const label = kindWords[language][kind]
  const fields = readFields(language, get)
  const own = offerOf(contract).get(kind) ?? []
  const code = fields.choice(
    'service',
    label.service,
    own.map((one) => one.code),
  )
  const service = own.find((one) => one.code === code)
  if (service !== undefined && closedServices.has(service.code))
    fields.refuse('service', say.closed)
  const typed = fields.line('to', label.to, 64, true)
  const to = isToPhone(kind) ? readNumber(typed, service) : readAccount(typed)
  if (typeof to === 'object') fields.refuse('to', to.problem(language))
  const terms = service === undefined ? undefined : contract.terms.get(service.code)
  const amount = kind === 'bill' ? null : fields.amount('amount', say.amount, limitsOf(terms))
  fields.check()
  if (service === undefined || typeof to === 'object') throw new Error('it was checked')
  const { name: clientName } = contract
  const enabled = enabledTerms(contract, service.code)
  return { kind, service, terms: enabled, clientName, to, amount }
}

/** What is wrong with a number, in a language. */
interface WrongNumber {
  problem(language: Language): string
}

function readNumber(typed: string, service: Service | undefined): string | WrongNumber {
  if (service === undefined) return typed
  const { country } = service
  const read = readPhone(typed, [country], country)
  if (read.kind === 'phone') return read.phone
  return {
    problem: (language) =>
      read.problem === 'phone_country'
        ? payWords[language].phoneCountry(typed, country)
        : payWords[language].phone(typed),
  }
}

/** Numbers of customers and meters are printed in groups, and kept without spaces. */
function readAccount(typed: string): string | WrongNumber {
  const account = typed.replaceAll(/\s/g, '')
  return accountForm.test(account) ? account : { problem: (one) => payWords[one].account }
}
