import type { Page } from 'playwright-core'
import type { PayerView } from '#money/links/checkout.ts'
import { branded, manyWallets, states } from './fake-checkout.ts'
import type { PayServer } from './pay-server.ts'

/** A screen of the payment page, and how to reach it. */
export interface Scene {
  name: string
  /** The HTTP status of the screen. */
  status: number
  open(page: Page, lang: string): Promise<void>
}

// Texts of the greatest length, without spaces, with emoji and from right to left.
const extremeTexts: Partial<PayerView> = {
  shop: `متجر السلام 🛍️ ${'Établissements Ndiaye & Fils, quincaillerie '.repeat(3)}`.slice(0, 100),
  item: `${'Supercalifragilistic'.repeat(4)} 🎁 ${'sac en cuir tressé '.repeat(10)}`.slice(0, 200),
  amount: 1_000_000,
  reference: 'X'.repeat(128),
  customerName: 'عائشة Aïssatou',
}

const prefixes = new Map<object, string>([
  [extremeTexts, 'stress-'],
  [branded, 'branded-'],
])

/** Every screen: each state, the answers of forms, and an unknown link. */
export function scenesOf({ checkout, pageOf }: PayServer): Scene[] {
  const goTo = async (page: Page, id: string, lang: string) => {
    await page.goto(`${pageOf(id)}?lang=${lang}`)
  }
  const state = (name: string, more: Partial<PayerView> = {}): Scene => ({
    name: `${prefixes.get(more) ?? ''}${name}`,
    status: 200,
    open: (page, lang) =>
      goTo(page, checkout.put({ state: states[name] ?? { kind: 'expired' }, ...more }), lang),
  })
  const form = (name: string, status: number, act: (page: Page) => Promise<void>): Scene => ({
    name,
    status,
    open: async (page, lang) => {
      const isCode = name.startsWith('otp')
      const change = isCode && states.otp !== undefined ? { state: states.otp } : {}
      await goTo(page, checkout.put({ wallets: manyWallets, ...change }), lang)
      await act(page)
    },
  })
  return [
    ...Object.keys(states).map((name) => state(name)),
    ...['choose', 'push', 'paid', 'exhausted'].map((name) => state(name, extremeTexts)),
    ...['choose', 'push', 'paid'].map((name) => state(name, branded)),
    {
      name: 'paid-now',
      status: 200,
      open: (page, lang) => {
        const id = checkout.put({ state: states.paid ?? { kind: 'expired' }, ...branded })
        return goTo(page, id, `${lang}&payer=1`)
      },
    },
    form('countries', 200, async () => {}),
    form('errors', 200, (page) => submit(page)),
    form('which-country', 200, async (page) => {
      await page.fill('#phone', '33 12 34 56')
      await submit(page)
    }),
    form('review', 200, async (page) => {
      await page.fill('#phone', '77 123 45 67')
      await submit(page)
    }),
    form('no-wallet', 200, async (page) => {
      await page.fill('#phone', '75 123 45 67')
      await submit(page)
      await page.waitForSelector('.echo')
      await submit(page)
    }),
    form('give-up', 200, (page) => submit(page, 'a[href*=give-up]')),
    form('otp-wrong', 200, async (page) => {
      await page.fill('#code', '12')
      await submit(page)
    }),
    {
      name: 'none-available',
      status: 200,
      open: (page, lang) => {
        const wallets = manyWallets.map((wallet) => ({ ...wallet, isAvailable: false }))
        return goTo(page, checkout.put({ wallets }), lang)
      },
    },
    { name: 'unknown', status: 404, open: (page, lang) => goTo(page, 'nothing', lang) },
  ]
}

/** Sends a form, and waits for the page that answers it: a click does not. */
async function submit(page: Page, button = '.button'): Promise<void> {
  const answered = page.waitForEvent('domcontentloaded')
  await page.click(button)
  await answered
}
