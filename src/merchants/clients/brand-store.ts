import type { Db, Tx } from '#data/db/db.ts'
import { type Country, countries } from '#merchants/catalog/countries.ts'
import type { Logo } from './logo.ts'

/** How a merchant's payment pages look; null: as they are made. */
export interface Brand {
  /** As `#0b6b4f`. */
  colour: string | null
  logo: Pick<Logo, 'hash' | 'width' | 'height'> | null
  /** Where the merchant is, by their time zone; null: not where we have services. */
  country: Country | null
}

export const noBrand: Brand = { colour: null, logo: null, country: null }

export async function findBrand(run: Db | Tx, clientId: number): Promise<Brand> {
  const [row] = await run<BrandRow>`
    select time_zone as "timeZone", colour, hash, width, height
    from clients left join client_logos on client_id = id
    where id = ${clientId}`
  if (row === undefined) return noBrand
  const { timeZone, colour, hash, width, height } = row
  const country = countryCodes.find((code) => countries[code].timeZone === timeZone) ?? null
  return { colour, country, logo: hash === null ? null : { hash, width, height } }
}

const countryCodes = Object.keys(countries) as Country[]

type BrandRow = { colour: string | null; timeZone: string } & (
  | { hash: string; width: number; height: number }
  | { hash: null; width: null; height: null }
)

/** A logo by its hash, of whichever client. */
export async function findLogo(
  db: Db,
  hash: string,
): Promise<Pick<Logo, 'mediaType' | 'bytes'> | undefined> {
  const [row] = await db<Pick<Logo, 'mediaType' | 'bytes'>>`
    select media_type as "mediaType", bytes from client_logos where hash = ${hash} limit 1`
  return row
}

/** What stands at the head of a client's papers. */
export interface PaperHead {
  name: string
  address: string | null
  taxNumber: string | null
  mediaType: string | null
  bytes: Buffer | null
}

export async function findPaperHead(run: Db | Tx, id: number): Promise<PaperHead | undefined> {
  const [row] = await run<PaperHead>`
    select name, address, tax_number as "taxNumber", media_type as "mediaType", bytes
    from clients left join client_logos on client_id = id
    where id = ${id}`
  return row
}

/** Sets a client's logo in place of the one before. */
export async function upsertLogo(tx: Tx, clientId: number, logo: Logo): Promise<void> {
  await tx`
    insert into client_logos (client_id, hash, media_type, width, height, bytes)
    values (${clientId}, ${logo.hash}, ${logo.mediaType}, ${logo.width}, ${logo.height},
      ${logo.bytes})
    on conflict (client_id) do update set
      hash = excluded.hash, media_type = excluded.media_type, width = excluded.width,
      height = excluded.height, bytes = excluded.bytes`
}

export async function deleteLogo(tx: Tx, clientId: number): Promise<void> {
  await tx`delete from client_logos where client_id = ${clientId}`
}
