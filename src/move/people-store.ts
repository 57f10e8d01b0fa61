import type { Db, Tx } from '../db/db.ts'

/**
 * The people of a client, as JSON texts: who they are, how they sign in and what they have saved.
 * Recovery codes are hashes under a key of the cell and stay behind.
 */
export interface PeopleCargo {
  people: string[]
  factors: string[]
  passkeys: string[]
  memberships: string[]
  views: string[]
}

const list = (texts: string[]) => `[${texts.join(',')}]`

export async function readPeople(run: Db | Tx, clientId: number): Promise<PeopleCargo> {
  const [cargo] = await run<PeopleCargo>`
    with members as materialized (
      select person_id as id from memberships where client_id = ${clientId}
    )
    select array(select (to_jsonb(p) - 'operator_role')::text from people p join members using (id))
        as people,
      array(select to_jsonb(f)::text from second_factors f join members m on m.id = f.person_id)
        as factors,
      array(select to_jsonb(k)::text from passkeys k join members m on m.id = k.person_id)
        as passkeys,
      array(select to_jsonb(s)::text from memberships s where client_id = ${clientId})
        as memberships,
      array(select to_jsonb(v)::text from saved_views v where client_id = ${clientId}) as views`
  return cargo ?? { people: [], factors: [], passkeys: [], memberships: [], views: [] }
}

/**
 * Writes people, and returns the ids of those who are new here. Somebody whose address is known
 * here keeps what this cell has: name, password, second factor and passkeys. The address is what
 * invitations prove, so both are the same person.
 */
export async function writePeople(tx: Tx, clientId: number, cargo: PeopleCargo): Promise<string[]> {
  // A try before this one may have left somebody who is no longer in the team.
  await tx`delete from saved_views where client_id = ${clientId}`
  await tx`delete from memberships where client_id = ${clientId}`
  const added = await tx<{ id: string }>`
    insert into people
    select p.* from jsonb_populate_recordset(null::people, ${list(cargo.people)}::jsonb) p
    on conflict do nothing
    returning id`
  const ids = added.map(({ id }) => id)
  await tx`
    insert into second_factors
    select f.* from jsonb_populate_recordset(null::second_factors, ${list(cargo.factors)}::jsonb) f
    where f.person_id = any(${ids}::uuid[])
    on conflict do nothing`
  await tx`
    insert into passkeys
    select k.* from jsonb_populate_recordset(null::passkeys, ${list(cargo.passkeys)}::jsonb) k
    where k.person_id = any(${ids}::uuid[])
    on conflict do nothing`
  await tx`
    insert into memberships
    select h.id, s.client_id, s.role, s.created_at
    from jsonb_populate_recordset(null::memberships, ${list(cargo.memberships)}::jsonb) s
    join jsonb_populate_recordset(null::people, ${list(cargo.people)}::jsonb) p
      on p.id = s.person_id
    join people h on lower(h.email) = lower(p.email)
    on conflict (person_id, client_id) do update set role = excluded.role`
  await tx`
    insert into saved_views
    select h.id, v.client_id, v.id, v.name, v.query, v.created_at
    from jsonb_populate_recordset(null::saved_views, ${list(cargo.views)}::jsonb) v
    join jsonb_populate_recordset(null::people, ${list(cargo.people)}::jsonb) p
      on p.id = v.person_id
    join people h on lower(h.email) = lower(p.email)
    on conflict do nothing`
  return ids
}

/** Takes back what `writePeople` did; people who are in another team by now stay. */
export async function removePeople(tx: Tx, clientId: number, added: string[]): Promise<void> {
  await tx`delete from saved_views where client_id = ${clientId}`
  await tx`delete from memberships where client_id = ${clientId}`
  const gone = await tx<{ id: string }>`
    select p.id from people p
    where p.id = any(${added}::uuid[]) and p.operator_role is null
      and not exists (select from memberships m where m.person_id = p.id)
      and not exists (select from sessions s where s.person_id = p.id)`
  const ids = gone.map(({ id }) => id)
  await tx`delete from passkeys where person_id = any(${ids}::uuid[])`
  await tx`delete from second_factors where person_id = any(${ids}::uuid[])`
  await tx`delete from people where id = any(${ids}::uuid[])`
}

/** The audit records of a client, oldest first, as JSON texts. */
export async function readAuditCargo(run: Db | Tx, clientId: number): Promise<string[]> {
  const rows = await run<{ row: string }>`
    select jsonb_build_object('at', at, 'actor', actor, 'action', action, 'address', address,
      'details', details)::text as row
    from audit_log where client_id = ${clientId} order by id`
  return rows.map(({ row }) => row)
}

/**
 * Writes the audit records of the old cell as records of this one, which say where they come from.
 * Each gets its digest and its place in this cell's chain.
 */
export async function writeAudit(
  tx: Tx,
  { clientId, from, rows }: { clientId: number; from: string; rows: string[] },
): Promise<void> {
  await tx`
    insert into audit_log (at, actor, address, action, client_id, details)
    select r.at, r.actor, r.address, r.action, ${clientId},
      r.details || jsonb_build_object('movedFrom', ${from}::text)
    from jsonb_to_recordset(${`[${rows.join(',')}]`}::jsonb) as r (
      at timestamptz, actor text, address text, action text, details jsonb)
    order by r.at`
}
