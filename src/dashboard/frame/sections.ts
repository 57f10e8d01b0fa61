import type { Action } from '../../people/rights.ts'
import type { Section } from './words.ts'

/** The navigation: its entries in order, where each leads, and who sees it. */
export const sections: { name: Section; href: string; action: Action; icon: string }[] = [
  { name: 'home', href: '/dashboard', action: 'home.read', icon: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z' },
]
