/** What a person can be in a client, from all rights to reading alone. */
export const roles = ['owner', 'admin', 'finance', 'developer', 'support', 'viewer'] as const

export type Role = (typeof roles)[number]

/** An operator of the gateway, who looks at a client and changes nothing of it. */
export type AnyRole = Role | 'operator'

const everybody: AnyRole[] = [...roles, 'operator']

/** Who may do what in a client. Rows are actions; pages and forms ask for one of them. */
const rights = {
  'home.read': everybody,
  'transaction.read': everybody,
  'transaction.export': ['owner', 'admin', 'finance', 'developer', 'viewer', 'operator'],
  'transaction.refund': ['owner', 'admin', 'finance'],
  'transaction.requery': ['owner', 'admin', 'finance', 'developer', 'support'],
  'number.read': ['owner', 'admin', 'finance', 'developer', 'viewer', 'operator'],
  'token.read': ['owner', 'admin', 'finance', 'developer', 'support'],
  'link.read': everybody,
  'link.create': ['owner', 'admin', 'finance', 'developer', 'support'],
  'link.expire': ['owner', 'admin', 'finance'],
  'payment.make': ['owner', 'admin', 'finance'],
  'batch.read': ['owner', 'admin', 'finance', 'viewer', 'operator'],
  'payout.propose': ['owner', 'admin', 'finance'],
  'payout.approve': ['owner', 'admin', 'finance'],
  'balance.read': ['owner', 'admin', 'finance', 'viewer', 'operator'],
  'statement.export': ['owner', 'admin', 'finance', 'viewer', 'operator'],
  'sub-merchant.read': everybody,
  'sub-merchant.change': ['owner', 'admin'],
  'developer.read': ['owner', 'admin', 'developer', 'support', 'operator'],
  'key.change': ['owner', 'admin', 'developer'],
  'secret.rotate': ['owner', 'admin', 'developer'],
  'callback.change': ['owner', 'admin', 'developer'],
  'event.resend': ['owner', 'admin', 'developer', 'support'],
  'team.read': everybody,
  'team.change': ['owner', 'admin'],
  'owner.change': ['owner'],
  'audit.read': ['owner', 'admin', 'operator'],
  'settings.read': everybody,
  'settings.change': ['owner', 'admin'],
  'account.change': everybody,
} satisfies Record<string, AnyRole[]>

export type Action = keyof typeof rights

export const actions = Object.keys(rights) as Action[]

/** Whether a role may do something. Every page and form of the dashboard asks here. */
export function may(role: AnyRole, action: Action): boolean {
  const allowed: AnyRole[] = rights[action]
  return allowed.includes(role)
}
