import type { Db, Tx } from '#data/db/db.ts'

export interface Pause {
  provider: string
  country: string
  reason: string
  since: Date
}

export function readPauses(db: Db): Promise<Pause[]> {
  return db<Pause>`
    select provider, country, reason, since from provider_pauses order by provider, country`
}

export async function insertPause(tx: Tx, pause: Pause): Promise<void> {
  await tx`
    insert into provider_pauses (provider, country, reason, since)
    values (${pause.provider}, ${pause.country}, ${pause.reason}, ${pause.since})
    on conflict (provider, country) do update set reason = excluded.reason`
}

/** Deletes the pause; false when the provider was not paused. */
export async function deletePause(tx: Tx, provider: string, country: string): Promise<boolean> {
  const rows = await tx`
    delete from provider_pauses where provider = ${provider} and country = ${country}
    returning provider`
  return rows.length > 0
}
