import { columns, type Db, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { SubMerchant } from './sub-merchant.ts'

interface Id {
  clientId: number
  id: string
}

const subMerchantColumns = columns([
  'client_id',
  'id',
  'name',
  'commercial_name',
  'countries',
  'description',
  'legal_name',
  'business_activity',
  'manager_name',
  'website_url',
  'phone_number',
  'city',
  'address',
  'zipcode',
  'is_active',
  'is_default',
  'created_at',
])

/** Inserts a sub-merchant under the client's next number; the client must be locked. */
export async function insertSubMerchant(tx: Tx, one: SubMerchant): Promise<void> {
  await tx`
    insert into sub_merchants (client_id, id, number, name, commercial_name, countries,
      description, legal_name, business_activity, manager_name, website_url, phone_number, city,
      address, zipcode, is_active, is_default, created_at)
    select ${one.clientId}::integer, ${one.id},
      coalesce((select max(number) from sub_merchants where client_id = ${one.clientId}), 0) + 1,
      ${one.name}, ${one.commercialName}, ${one.countries}, ${one.description}, ${one.legalName},
      ${one.businessActivity}, ${one.managerName}, ${one.websiteUrl}, ${one.phoneNumber},
      ${one.city}, ${one.address}, ${one.zipcode}, ${one.isActive}::boolean,
      ${one.isDefault}::boolean, ${one.createdAt}::timestamptz`
}

/** Writes the columns of a sub-merchant that may change. */
export async function updateSubMerchant(tx: Tx, one: SubMerchant): Promise<void> {
  await tx`
    update sub_merchants set name = ${one.name}, commercial_name = ${one.commercialName},
      countries = ${one.countries}, description = ${one.description},
      legal_name = ${one.legalName}, business_activity = ${one.businessActivity},
      manager_name = ${one.managerName}, website_url = ${one.websiteUrl},
      phone_number = ${one.phoneNumber}, city = ${one.city}, address = ${one.address},
      zipcode = ${one.zipcode}, is_active = ${one.isActive}, is_default = ${one.isDefault}
    where client_id = ${one.clientId} and id = ${one.id}`
}

/** Leaves the client without a default. */
export async function clearDefault(tx: Tx, clientId: number): Promise<void> {
  await tx`
    update sub_merchants set is_default = false where client_id = ${clientId} and is_default`
}

export async function hasActive(tx: Tx, clientId: number): Promise<boolean> {
  const rows = await tx`
    select from sub_merchants where client_id = ${clientId} and is_active limit 1`
  return rows.length > 0
}

export async function findSubMerchant(run: Db | Tx, id: Id): Promise<SubMerchant | undefined> {
  const [found] = await run<SubMerchant>`
    select ${subMerchantColumns} from sub_merchants
    where client_id = ${id.clientId} and id = ${id.id}`
  return found
}

const subMerchantIds = rowsOf({ clientId: 'integer', id: 'text' })

export function findSubMerchants(db: Db, ids: Id[]): Promise<SubMerchant[]> {
  return db<SubMerchant>`
    select ${subMerchantColumns} from sub_merchants
    where (client_id, id) in (
      select "clientId", id from ${subMerchantIds(ids)} as i
    )`
}

export function findDefaults(db: Db, clientIds: number[]): Promise<SubMerchant[]> {
  return db<SubMerchant>`
    select ${subMerchantColumns} from sub_merchants
    where client_id = any(${clientIds}::integer[]) and is_default`
}

/** How many sub-merchants a client has: the highest number, since none is ever deleted. */
export async function countSubMerchants(db: Db, clientId: number): Promise<number> {
  const [row] = await db<{ last: number | null }>`
    select max(number) as last from sub_merchants where client_id = ${clientId}`
  return row?.last ?? 0
}

/** A range of a client's sub-merchants by number, oldest first. */
export function readSubMerchants(
  db: Db,
  clientId: number,
  { after, upTo }: { after: number; upTo: number },
): Promise<SubMerchant[]> {
  return db<SubMerchant>`
    select ${subMerchantColumns} from sub_merchants
    where client_id = ${clientId} and number > ${after} and number <= ${upTo}
    order by number`
}
