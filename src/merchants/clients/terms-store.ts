import { type Db, fragment, type Tx } from '#data/db/db.ts'

/** What a client pays for a service, and which amounts it may move. */
export interface ServiceTerms {
  serviceCode: string
  isEnabled: boolean
  fixed: number
  basisPoints: number
  min: number
  max: number | null
  amountMin: number | null
  amountMax: number | null
}

const termsColumns = fragment`
  service_code as "serviceCode", is_enabled as "isEnabled", fee_fixed as fixed,
  fee_basis_points as "basisPoints", fee_min as min, fee_max as max,
  amount_min as "amountMin", amount_max as "amountMax"`

/** A client's terms, one row for each service that it has any for. */
export function readTerms(run: Db | Tx, clientId: number): Promise<ServiceTerms[]> {
  return run<ServiceTerms>`
    select ${termsColumns}
    from client_services where client_id = ${clientId} order by service_code`
}

/** The same for several clients. */
export function readTermsOf(
  run: Db | Tx,
  clientIds: number[],
): Promise<(ServiceTerms & { clientId: number })[]> {
  return run<ServiceTerms & { clientId: number }>`
    select client_id as "clientId", ${termsColumns}
    from client_services where client_id = any(${clientIds}::integer[])`
}

export async function upsertTerms(tx: Tx, clientId: number, terms: ServiceTerms): Promise<void> {
  await tx`
    insert into client_services (client_id, service_code, is_enabled, fee_fixed,
      fee_basis_points, fee_min, fee_max, amount_min, amount_max)
    values (${clientId}, ${terms.serviceCode}, ${terms.isEnabled}, ${terms.fixed},
      ${terms.basisPoints}, ${terms.min}, ${terms.max}, ${terms.amountMin}, ${terms.amountMax})
    on conflict (client_id, service_code) do update set
      is_enabled = excluded.is_enabled, fee_fixed = excluded.fee_fixed,
      fee_basis_points = excluded.fee_basis_points, fee_min = excluded.fee_min,
      fee_max = excluded.fee_max, amount_min = excluded.amount_min,
      amount_max = excluded.amount_max`
}
