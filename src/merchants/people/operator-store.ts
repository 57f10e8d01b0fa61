import type { Language } from '#base/kit/language.ts'
import type { Db, Tx } from '#data/db/db.ts'
import type { OperatorRole } from './rights.ts'

/** The operators, locked until the transaction ends. */
export function lockOperators(
  tx: Tx,
): Promise<{ personId: string; role: OperatorRole; email: string }[]> {
  return tx`
    select id as "personId", operator_role as role, email
    from people where operator_role is not null
    order by id
    for no key update`
}

export async function updateOperatorRole(
  tx: Tx,
  personId: string,
  role: OperatorRole | null,
): Promise<void> {
  await tx`update people set operator_role = ${role} where id = ${personId}`
}

/** Since when somebody may approve, and who gave them that right. */
export async function writeApprover(
  tx: Tx,
  personId: string,
  { since, by }: { since: Date | null; by: string | null },
): Promise<void> {
  await tx`
    update people set approver_since = ${since}, approver_by = ${by} where id = ${personId}`
}

export interface Operator {
  personId: string
  email: string
  name: string
  language: Language
  role: OperatorRole
  /** Has chosen a password. */
  hasJoined: boolean
  hasSecondFactor: boolean
  lastSeenAt: Date | null
}

/** The operators, by mail address. */
export function readOperators(run: Db | Tx): Promise<Operator[]> {
  return run<Operator>`
    select p.id as "personId", p.email, p.name, p.language, p.operator_role as role,
      p.password_hash is not null as "hasJoined",
      exists (select from second_factors f where f.person_id = p.id and f.confirmed_at is not null)
        or exists (select from passkeys k where k.person_id = p.id) as "hasSecondFactor",
      (select max(s.last_seen_at) from sessions s where s.person_id = p.id) as "lastSeenAt"
    from people p
    where p.operator_role is not null
    order by lower(p.email)`
}
