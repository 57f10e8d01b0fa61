import type { Action } from '../../people/rights.ts'
import type { Section } from './words.ts'

/** The navigation: its entries in order, where each leads, and who sees it. */
export const sections: { name: Section; href: string; action: Action; icon: string }[] = [
  { name: 'home', href: '/dashboard', action: 'home.read', icon: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z' },
  {
    name: 'transactions',
    href: '/dashboard/transactions',
    action: 'transaction.read',
    icon: 'M7 4 3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7',
  },
]
