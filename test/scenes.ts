import type { Page } from 'playwright-core'
import type { PayerView } from '../src/links/checkout.ts'
import { manyWallets, states } from './fake-checkout.ts'
import type { PayServer } from './pay-server.ts'

/** Brings a page to one of the screens that a payer can see. */
export interface Scene {
  name: string
  /** The status of its document. */
  status: number
  play(page: Page, lang: string): Promise<void>
}

// Texts that no layout was made for.
const stressful: Partial<PayerView> = {
  shop: `متجر السلام 🛍️ ${'Établissements Ndiaye & Fils, quincaillerie '.repeat(3)}`.slice(0, 100),
  item: `${'Supercalifragilistic'.repeat(4)} 🎁 ${'sac en cuir tressé '.repeat(10)}`.slice(0, 200),
  amount: 1_000_000,
  reference: 'X'.repeat(128),
  customerName: 'عائشة Aïssatou',
}

/** Every screen: each state, what forms answer, and what there is besides. */
export function scenesOf({ checkout, pageOf }: PayServer): Scene[] {
  const open = async (page: Page, id: string, lang: string) => {
    await page.goto(`${pageOf(id)}?lang=${lang}`)
  }
  const state = (name: string, more: Partial<PayerView> = {}): Scene => ({
    name: more === stressful ? `stress-${name}` : name,
    status: 200,
    play: (page, lang) =>
      open(page, checkout.put({ state: states[name] ?? { kind: 'expired' }, ...more }), lang),
  })
  const form = (name: string, status: number, act: (page: Page) => Promise<void>): Scene => ({
    name,
    status,
    play: async (page, lang) => {
      const isCode = name.startsWith('otp')
      const change = isCode && states.otp !== undefined ? { state: states.otp } : {}
      await open(page, checkout.put({ wallets: manyWallets, ...change }), lang)
      await act(page)
    },
  })
  return [
    ...Object.keys(states).map((name) => state(name)),
    ...['choose', 'push', 'paid', 'exhausted'].map((name) => state(name, stressful)),
    form('countries', 200, async () => {}),
    form('errors', 422, (page) => page.click('.button')),
    form('review', 200, async (page) => {
      await page.click('text=Wallet A')
      await page.fill('#phone', '77 123 45 67')
      await page.click('.button')
    }),
    form('give-up', 200, (page) => page.click('form[action*=give-up] button')),
    form('otp-wrong', 422, async (page) => {
      await page.fill('#code', '12')
      await page.click('.button')
    }),
    {
      name: 'none-available',
      status: 200,
      play: (page, lang) => {
        const wallets = manyWallets.map((wallet) => ({ ...wallet, isAvailable: false }))
        return open(page, checkout.put({ wallets }), lang)
      },
    },
    { name: 'unknown', status: 404, play: (page, lang) => open(page, 'nothing', lang) },
  ]
}
