import { type Static, Type } from 'typebox'
import { breaksLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import {
  type SubMerchant,
  type SubMerchantFacts,
  servableCountries,
} from '#merchants/sub-merchants/sub-merchant.ts'
import type { SubMerchantChange } from '#merchants/sub-merchants/sub-merchants.ts'
import type { Page } from './pagination.ts'
import { lengthMax, urlProblem } from './urls.ts'
import { hasVisibleCharacter } from './visible-text.ts'

const nameMax = 100
// Counts code points, as `maxLength` of a schema does.
const nameLength = new RegExp(`^.{1,${nameMax}}$`, 'su')
const textMax = 500

const Name = (description: string) =>
  Type.String({ description: `${description}: 1 to ${nameMax} characters` })
const Text = (description: string) =>
  Type.Optional(Type.String({ maxLength: textMax, description }))
const Countries = Type.Array(Type.Enum([...servableCountries]), {
  minItems: 1,
  description: 'Where it sells',
})

const details = {
  description: Text('What it sells'),
  legalName: Text('Legal name of the company'),
  businessActivity: Text('Line of business'),
  managerName: Text('Who runs it'),
  websiteURL: Type.Optional(
    Type.String({ description: `A full http or https address, ${lengthMax} characters at most` }),
  ),
  phoneNumber: Text('How to reach it'),
  city: Text('City'),
  address: Text('Street address'),
  zipcode: Text('Postal code'),
}

export const SubMerchantBody = Type.Object(
  {
    name: Name('For your own eyes'),
    commercialName: Name('What payers are shown'),
    countries: Countries,
    ...details,
  },
  {
    title: 'Sub-merchant request',
    examples: [
      {
        name: 'Dakar shop',
        commercialName: "L'Échoppe d'Awa",
        countries: ['SN', 'CI'],
        websiteURL: 'https://awa.example',
        city: 'Dakar',
      },
    ],
  },
)

export const SubMerchantPatch = Type.Object(
  {
    name: Type.Optional(SubMerchantBody.properties.name),
    commercialName: Type.Optional(SubMerchantBody.properties.commercialName),
    countries: Type.Optional(Countries),
    ...details,
    isActive: Type.Optional(Type.Boolean({ description: 'Whether payments may name it' })),
    isDefault: Type.Optional(
      Type.Boolean({ description: 'Whether payers see it when a payment names none' }),
    ),
  },
  {
    title: 'Sub-merchant change',
    examples: [{ commercialName: "L'Échoppe d'Awa", isDefault: true }],
  },
)

export const SubMerchantWire = Type.Object(
  {
    subMerchantId: Type.String({ description: 'What payments call sub_merchant_id' }),
    name: Type.String(),
    commercialName: Type.String(),
    countries: Countries,
    isActive: Type.Boolean(),
    isDefault: Type.Boolean(),
    CREATED_AT: Type.String({ format: 'date-time' }),
  },
  { title: 'Sub-merchant' },
)

export const SubMerchantAnswer = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    data: Type.Object(
      { ...SubMerchantWire.properties, ...details },
      { title: 'Sub-merchant detail' },
    ),
  },
  { title: 'Sub-merchant answer' },
)

export const SubMerchantsAnswer = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(SubMerchantWire),
    total: Type.Integer({ description: 'On all pages' }),
    page: Type.Integer(),
    totalPages: Type.Integer(),
  },
  { title: 'Sub-merchant list' },
)

type Body = Static<typeof SubMerchantBody>
type Patch = Static<typeof SubMerchantPatch>

/** Violations of a new or changed sub-merchant that the schema cannot express. */
export function checkSubMerchant(body: Patch): Reason[] {
  const { name, commercialName, countries, websiteURL: url } = body
  const problems = [
    nameProblem('name', name),
    nameProblem('commercialName', commercialName),
    Array.isArray(countries) && countries.length === 0
      ? reason('{field} must name at least one country', {}, 'countries')
      : undefined,
    // The gateway never sends a request to it, so the stricter rules of live mode do not apply.
    typeof url === 'string' && !isBlank(url) ? urlProblem('websiteURL', url, 'sandbox') : undefined,
  ]
  return problems.filter((problem) => problem !== undefined)
}

/** Refuses names that are invisible, on several lines, or shown in another order than stored. */
function nameProblem(field: string, name: unknown): Reason | undefined {
  if (typeof name !== 'string') return undefined
  if (breaksLine(name))
    return reason('{field} must not contain control or broken characters', {}, field)
  return hasVisibleCharacter(name) && nameLength.test(name.trim())
    ? undefined
    : reason(
        '{field} must be a string of {min} to {max} characters',
        { min: 1, max: nameMax },
        field,
      )
}

/** A checked body as a new sub-merchant; details that are left out or blank become null. */
export function readSubMerchant(body: Body): SubMerchantFacts {
  return {
    name: body.name.trim(),
    commercialName: body.commercialName.trim(),
    countries: [...new Set(body.countries)],
    description: null,
    legalName: null,
    businessActivity: null,
    managerName: null,
    websiteUrl: null,
    phoneNumber: null,
    city: null,
    address: null,
    zipcode: null,
    ...readDetails(body),
  }
}

/** A checked body as a change of the fields in it; blank details become null. */
export function readSubMerchantChange(body: Patch): SubMerchantChange {
  const { name, commercialName, countries, isActive, isDefault } = body
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(commercialName === undefined ? {} : { commercialName: commercialName.trim() }),
    ...(countries === undefined ? {} : { countries: [...new Set(countries)] }),
    ...readDetails(body),
    ...(isActive === undefined ? {} : { isActive }),
    ...(isDefault === undefined ? {} : { isDefault }),
  }
}

type Details = Partial<Record<(typeof ownNames)[keyof typeof details], string | null>>

const ownNames = {
  description: 'description',
  legalName: 'legalName',
  businessActivity: 'businessActivity',
  managerName: 'managerName',
  websiteURL: 'websiteUrl',
  phoneNumber: 'phoneNumber',
  city: 'city',
  address: 'address',
  zipcode: 'zipcode',
} as const

const detailNames = Object.keys(details) as (keyof typeof details)[]

function readDetails(body: Patch): Details {
  const known: Details = {}
  for (const name of detailNames) {
    const text = body[name]
    if (text !== undefined) known[ownNames[name]] = isBlank(text) ? null : text.trim()
  }
  return known
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

export function writeSubMerchantAnswer(message: string, one: SubMerchant) {
  const known = detailNames.flatMap((name) => {
    const text = one[ownNames[name]]
    return text === null ? [] : [[name, text]]
  })
  return { success: true, message, data: { ...write(one), ...Object.fromEntries(known) } }
}

export function writeSubMerchants(
  { found, total }: { found: SubMerchant[]; total: number },
  { page, limit }: Page,
) {
  const totalPages = Math.ceil(total / limit)
  return { success: true, data: found.map(write), total, page, totalPages }
}

function write(one: SubMerchant) {
  return {
    subMerchantId: one.id,
    name: one.name,
    commercialName: one.commercialName,
    countries: one.countries,
    isActive: one.isActive,
    isDefault: one.isDefault,
    CREATED_AT: one.createdAt.toISOString(),
  }
}
