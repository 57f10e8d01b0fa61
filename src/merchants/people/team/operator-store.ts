import type { Language } from '#base/kit/language.ts'
import { type Db, fragment, type Tx } from '#data/db/db.ts'
import type { OperatorRole } from '../rights.ts'
import type { Approver } from './approver.ts'

const approverColumns = fragment`
  email, operator_role as role, approver_since as since,
  array_remove(approver_by || invited_by, null) as "givenBy"`

/** The operators, locked until the transaction ends. */
export function lockOperators(tx: Tx): Promise<(Approver & { personId: string })[]> {
  return tx`
    select id as "personId", ${approverColumns}
    from people where operator_role is not null
    order by id
    for no key update`
}

/** An operator, as long as this database transaction lasts; undefined: they are none. */
export async function lockApprover(tx: Tx, email: string): Promise<Approver | undefined> {
  const [found] = await tx<Approver>`
    select ${approverColumns} from people
    where lower(email) = lower(${email}) and operator_role is not null
    for share`
  return found
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

export interface Operator extends Approver {
  personId: string
  name: string
  language: Language
  /** Has chosen a password. */
  hasJoined: boolean
  hasSecondFactor: boolean
  lastSeenAt: Date | null
}

/** The operators, by mail address. */
export function readOperators(run: Db | Tx): Promise<Operator[]> {
  return run<Operator>`
    select ${approverColumns}, p.id as "personId", p.name, p.language,
      p.password_hash is not null as "hasJoined",
      exists (select from second_factors f where f.person_id = p.id and f.confirmed_at is not null)
        or exists (select from passkeys k where k.person_id = p.id) as "hasSecondFactor",
      (select max(s.last_seen_at) from sessions s where s.person_id = p.id) as "lastSeenAt"
    from people p
    where p.operator_role is not null
    order by lower(p.email)`
}
