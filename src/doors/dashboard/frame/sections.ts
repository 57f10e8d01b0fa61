import type { Action } from '#merchants/people/rights.ts'
import type { OpsSection, Section } from './words.ts'

/** An entry of the navigation: where it leads, and who sees it. */
export interface Entry<Name extends string = string> {
  name: Name
  href: string
  action: Action
  icon: string
}

/** The navigation of a client, in order. */
export const sections: Entry<Section>[] = [
  { name: 'home', href: '/dashboard', action: 'home.read', icon: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z' },
  {
    name: 'transactions',
    href: '/dashboard/transactions',
    action: 'transaction.read',
    icon: 'M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7',
  },
  {
    name: 'links',
    href: '/dashboard/links',
    action: 'link.read',
    icon: 'M9 15a4 4 0 0 0 5.7 0l4-4A4 4 0 0 0 13 5.3M15 9a4 4 0 0 0-5.7 0l-4 4A4 4 0 0 0 11 18.7',
  },
  {
    name: 'pay',
    href: '/dashboard/pay',
    action: 'payment.make',
    icon: 'm21 3-9 18-3-8-6-4zM9 13l5-4',
  },
  {
    name: 'balance',
    href: '/dashboard/balance',
    action: 'balance.read',
    icon: 'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h10M16 13.5v.1',
  },
  {
    name: 'batches',
    href: '/dashboard/batches',
    action: 'batch.read',
    icon: 'M4 6h16M4 11h16M4 16h8M15 18l2 2 4-5',
  },
  {
    name: 'statements',
    href: '/dashboard/statements',
    action: 'balance.read',
    icon: 'M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5',
  },
  {
    name: 'sub-merchants',
    href: '/dashboard/sub-merchants',
    action: 'sub-merchant.read',
    icon: 'M4 10h16M5 10l1-5h12l1 5M6 10v9h12v-9M10 19v-5h4v5',
  },
  {
    name: 'developers',
    href: '/dashboard/developers',
    action: 'developer.read',
    icon: 'm8 7-5 5 5 5M16 7l5 5-5 5M14 4l-4 16',
  },
  {
    name: 'team',
    href: '/dashboard/team',
    action: 'team.read',
    icon: 'M9 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM3 19a6 6 0 0 1 12 0M16 5a3.5 3.5 0 0 1 0 7',
  },
  {
    name: 'audit',
    href: '/dashboard/audit',
    action: 'audit.read',
    icon: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7',
  },
  {
    name: 'settings',
    href: '/dashboard/settings',
    action: 'settings.read',
    icon: 'M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4',
  },
]

/** The navigation of operators, in order. */
export const opsSections: Entry<OpsSection>[] = [
  {
    name: 'health',
    href: '/dashboard/ops',
    action: 'ops.read',
    icon: 'M3 12h4l3-7 4 14 3-7h4',
  },
  {
    name: 'clients',
    href: '/dashboard/ops/clients',
    action: 'ops.read',
    icon: 'M4 10h16M5 10l1-5h12l1 5M6 10v9h12v-9M10 19v-5h4v5',
  },
  {
    name: 'providers',
    href: '/dashboard/ops/providers',
    action: 'ops.read',
    icon: 'M8 4v5M16 4v5M6 9h12v3a6 6 0 0 1-12 0zM12 18v3',
  },
  {
    name: 'approvals',
    href: '/dashboard/ops/approvals',
    action: 'ops.read',
    icon: 'M4 12a8 8 0 1 1 16 0 8 8 0 0 1-16 0zM8.5 12.5l2.5 2.5 4.5-5.5',
  },
  {
    name: 'transactions',
    href: '/dashboard/ops/transactions',
    action: 'ops.read',
    icon: 'M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7',
  },
  {
    name: 'parked',
    href: '/dashboard/ops/parked',
    action: 'ops.read',
    icon: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3l-1 2M12 17v.1',
  },
  {
    name: 'suspense',
    href: '/dashboard/ops/suspense',
    action: 'ops.read',
    icon: 'M7 4h10M7 20h10M8 4c0 5 8 5 8 8s-8 3-8 8M16 4c0 5-8 5-8 8s8 3 8 8',
  },
  {
    name: 'ledger',
    href: '/dashboard/ops/ledger',
    action: 'ops.read',
    icon: 'M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12M9 8h6',
  },
  {
    name: 'recon',
    href: '/dashboard/ops/recon',
    action: 'ops.recon.read',
    icon: 'M4 8h11M11 4l4 4-4 4M20 16H9M13 12l-4 4 4 4',
  },
  {
    name: 'webhooks',
    href: '/dashboard/ops/webhooks',
    action: 'ops.read',
    icon: 'M4 12h11M11 8l4 4-4 4M19 5v14',
  },
  {
    name: 'limits',
    href: '/dashboard/ops/limits',
    action: 'ops.read',
    icon: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  },
  {
    name: 'float',
    href: '/dashboard/ops/float',
    action: 'ops.read',
    icon: 'M4 9c3-3 5 3 8 0s5 3 8 0M4 15c3-3 5 3 8 0s5 3 8 0',
  },
  {
    name: 'maintenance',
    href: '/dashboard/ops/maintenance',
    action: 'ops.read',
    icon: 'M14 6a4 4 0 0 0 5 5l-9 9-3-3 9-9a4 4 0 0 0-2-2zM5 5l4 4',
  },
  {
    name: 'mails',
    href: '/dashboard/ops/mails',
    action: 'ops.read',
    icon: 'M4 6h16v12H4zM4 7l8 6 8-6',
  },
  {
    name: 'retention',
    href: '/dashboard/ops/retention',
    action: 'ops.read',
    icon: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5',
  },
  {
    name: 'users',
    href: '/dashboard/ops/users',
    action: 'ops.read',
    icon: 'M9 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM3 19a6 6 0 0 1 12 0M16 5a3.5 3.5 0 0 1 0 7',
  },
  {
    name: 'audit',
    href: '/dashboard/ops/audit',
    action: 'ops.audit.read',
    icon: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7',
  },
]
