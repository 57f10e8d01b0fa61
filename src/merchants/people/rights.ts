import { fr, inBoth } from '#base/kit/texts.ts'

/** What a person can be in a client, from all rights to reading alone. */
export const roles = ['owner', 'admin', 'finance', 'developer', 'support', 'viewer'] as const

export type Role = (typeof roles)[number]

/** What a person can be for the gateway itself. None of them has a right in a client. */
export const operatorRoles = [
  'operator',
  'finance-operator',
  'support-operator',
  'auditor',
] as const

export type OperatorRole = (typeof operatorRoles)[number]

export type AnyRole = Role | OperatorRole

/** The names of roles, as people read them. */
export const roleNames = inBoth<Record<AnyRole, string>>({
  fr: {
    owner: 'propriétaire',
    admin: 'administrateur',
    finance: 'finances',
    developer: 'développeur',
    support: 'assistance',
    viewer: 'lecture seule',
    operator: 'opérateur',
    'finance-operator': 'opérateur financier',
    'support-operator': fr`opérateur d'assistance`,
    auditor: 'auditeur',
  },
  en: {
    owner: 'owner',
    admin: 'administrator',
    finance: 'finance',
    developer: 'developer',
    support: 'support',
    viewer: 'viewer',
    operator: 'operator',
    'finance-operator': 'finance operator',
    'support-operator': 'support operator',
    auditor: 'auditor',
  },
})

const everybody: Role[] = [...roles]
const operators: OperatorRole[] = [...operatorRoles]

/**
 * Who may do what: in a client, and for the gateway (`ops.…`). Rows are actions; pages and forms
 * ask for one of them.
 */
const rights = {
  'home.read': everybody,
  'transaction.read': everybody,
  'transaction.export': ['owner', 'admin', 'finance', 'developer', 'viewer'],
  'transaction.refund': ['owner', 'admin', 'finance'],
  'transaction.requery': ['owner', 'admin', 'finance', 'developer', 'support'],
  'link.read': everybody,
  'link.create': ['owner', 'admin', 'finance', 'developer', 'support'],
  'link.expire': ['owner', 'admin', 'finance'],
  'payment.make': ['owner', 'admin', 'finance'],
  'batch.read': ['owner', 'admin', 'finance', 'viewer'],
  'payout.propose': ['owner', 'admin', 'finance'],
  'payout.approve': ['owner', 'admin', 'finance'],
  'balance.read': ['owner', 'admin', 'finance', 'viewer'],
  'statement.export': ['owner', 'admin', 'finance', 'viewer'],
  'sub-merchant.read': everybody,
  'sub-merchant.change': ['owner', 'admin'],
  'developer.read': ['owner', 'admin', 'developer', 'support'],
  'key.change': ['owner', 'admin', 'developer'],
  'secret.rotate': ['owner', 'admin', 'developer'],
  'callback.change': ['owner', 'admin', 'developer'],
  'event.resend': ['owner', 'admin', 'developer', 'support'],
  'token.read': ['owner', 'admin', 'finance', 'developer', 'support'],
  'team.read': everybody,
  'team.change': ['owner', 'admin'],
  'owner.change': ['owner'],
  'audit.read': ['owner', 'admin'],
  'settings.read': everybody,
  'settings.change': ['owner', 'admin'],
  // Both: each in the screens that they may see.
  'account.change': [...everybody, ...operators],
  'number.read': [
    'owner',
    'admin',
    'finance',
    'developer',
    'viewer',
    'operator',
    'finance-operator',
    'auditor',
  ],
  'ops.read': operators,
  'ops.alerts.change': ['operator', 'finance-operator', 'support-operator'],
  'ops.clients.change': ['operator'],
  'ops.money.propose': ['operator', 'finance-operator'],
  'ops.money.approve': ['operator', 'finance-operator'],
  'ops.providers.change': ['operator'],
  'ops.transactions.requery': ['operator', 'finance-operator', 'support-operator'],
  'ops.transactions.resolve': ['operator', 'finance-operator'],
  'ops.webhooks.resend': ['operator', 'support-operator'],
  'ops.limits.change': ['operator', 'finance-operator'],
  'ops.maintenance.change': ['operator'],
  'ops.mails.resend': ['operator', 'support-operator'],
  'ops.users.change': ['operator'],
  'ops.recon.read': ['operator', 'finance-operator', 'auditor'],
  'ops.recon.import': ['operator', 'finance-operator'],
  'ops.recon.mend': ['operator', 'finance-operator'],
  'ops.audit.read': ['operator', 'finance-operator', 'auditor'],
  'ops.number.export': ['operator', 'finance-operator', 'auditor'],
  'ops.number.forget': ['operator', 'finance-operator'],
} satisfies Record<string, AnyRole[]>

export type Action = keyof typeof rights

/** An action for the gateway itself, which only operators can have a right to. */
export type OpsAction = Extract<Action, `ops.${string}`>

export const actions = Object.keys(rights) as Action[]

export function isOpsAction(action: Action): action is OpsAction {
  return action.startsWith('ops.')
}

// Operators, by how much they may do with money: the last ones also make operators.
const ranks: OperatorRole[] = ['finance-operator', 'operator']

/** Whether a role gives a right to approve, or a greater one than the role before. */
export function raises(before: OperatorRole | null, role: OperatorRole): boolean {
  return ranks.indexOf(role) > (before === null ? -1 : ranks.indexOf(before))
}

/** Whether a role may do something. Every page and form of the dashboard asks here. */
export function may(role: AnyRole, action: Action): boolean {
  const allowed: AnyRole[] = rights[action]
  return allowed.includes(role)
}
