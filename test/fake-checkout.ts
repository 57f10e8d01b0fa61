import { noBrand } from '#merchants/clients/brand-store.ts'
import type {
  AttemptView,
  Checkout,
  ConfirmResult,
  PayerState,
  PayerView,
  PayResult,
  WalletChoice,
} from '#money/links/checkout.ts'
import { shortOf } from '#money/links/link.ts'
import { pngOf } from './pictures.ts'

/** A checkout in memory: a test adds links, sets answers and reads the calls. */
export interface FakeCheckout extends Checkout {
  /** Adds a link and returns its id. */
  put(change?: Partial<PayerView>): string
  /** Changes a link and wakes those who follow it. */
  change(id: string, change: Partial<PayerView>): void
  calls: string[]
  /** The results of the next calls; what is left out succeeds. */
  answers: {
    pay?: PayResult
    confirm?: ConfirmResult
    newCode?: 'started' | 'unavailable' | 'too_late'
    changeWallet?: 'changed' | 'too_late'
    giveUp?: 'given_up' | 'too_late'
  }
  followers(): number
  /** Clears calls and answers. */
  reset(): void
}

export const wallets: WalletChoice[] = [
  wallet('WALLETA', 'SN', 'push'),
  wallet('WALLETB', 'SN', 'redirect'),
  { ...wallet('WALLETC', 'SN', 'push'), isAvailable: false },
  wallet('WALLETD', 'SN', 'otp'),
]

export const manyWallets: WalletChoice[] = [
  ...wallets,
  wallet('WALLETA', 'CI', 'push'),
  wallet('WALLETE', 'CI', 'push'),
  wallet('WALLETG', 'CI', 'redirect'),
  wallet('WALLETA', 'CM', 'push'),
  wallet('WALLETF', 'CM', 'push'),
  wallet('WALLETE', 'ML', 'push'),
]

export const attempt: AttemptView = {
  serviceCode: 'WALLETA_SN_CASHOUT',
  walletName: 'Wallet A',
  country: 'SN',
  phone: '771234567',
  amount: 5000,
  startedAt: new Date('2026-01-15T10:02:00Z'),
}

const { amount: _amount, startedAt: _startedAt, ...failed } = attempt
const lastFailure = { ...failed, cause: 'declined' } as const
const redirect = { ...attempt, serviceCode: 'WALLETB_SN_CASHOUT', walletName: 'Wallet B' }
const otp = { ...attempt, serviceCode: 'WALLETD_SN_CASHOUT', walletName: 'Wallet D' }

const endedAt = new Date('2026-01-15T10:03:12Z')

/** Every state of a link, by name. */
export const states: Record<string, PayerState> = {
  choose: { kind: 'choose', lastFailure: null },
  'choose-declined': { kind: 'choose', lastFailure },
  'choose-refused': { kind: 'choose', lastFailure: { ...lastFailure, cause: 'payer_refused' } },
  'choose-timeout': { kind: 'choose', lastFailure: { ...lastFailure, cause: 'payer_timeout' } },
  sending: { kind: 'waiting', attempt, step: 'sending' },
  push: { kind: 'waiting', attempt, step: 'push' },
  redirect: {
    kind: 'waiting',
    attempt: redirect,
    step: 'redirect',
    url: 'https://pay.walletb.example/c/cos-18qq25rgr100a?a=1&b=2',
  },
  preparing: { kind: 'waiting', attempt: redirect, step: 'redirect', url: null },
  otp: { kind: 'waiting', attempt: otp, step: 'otp', triesLeft: 5 },
  'otp-spent': { kind: 'waiting', attempt: otp, step: 'otp', triesLeft: 0 },
  checking: { kind: 'checking', attempt },
  paid: {
    kind: 'paid',
    receipt: {
      ...attempt,
      paidAt: endedAt,
      providerReference: 'MP260115.1003.A48213',
    },
  },
  'gave-up': { kind: 'failed', because: 'gave_up', lastFailure: null, endedAt },
  exhausted: { kind: 'failed', because: 'attempts_exhausted', lastFailure, endedAt },
  expired: { kind: 'expired' },
}

const fakeLogo = {
  hash: 'ab'.repeat(32),
  width: 120,
  height: 40,
  mediaType: 'image/png' as const,
  bytes: pngOf(120, 40),
}

/** A merchant's own look; white cannot be read on its colour, nor the colour on white. */
export const branded: Pick<PayerView, 'brand'> = {
  brand: { ...noBrand, colour: '#ffb300', logo: { hash: fakeLogo.hash, width: 120, height: 40 } },
}

/** Opens a fake checkout without any link; no payment is behind it. */
export function fakeCheckout(): FakeCheckout {
  const views = new Map<string, PayerView>()
  const waiting = new Map<string, Set<() => void>>()
  const calls: string[] = []
  const answers: FakeCheckout['answers'] = {}

  function change(id: string, changed: Partial<PayerView>): void {
    const view = views.get(id)
    if (view === undefined) throw new Error(`no link ${id}`)
    views.set(id, { ...view, version: `${Number(view.version) + 1}`, ...changed })
    for (const wake of waiting.get(id) ?? []) wake()
  }

  function follow(id: string, signal: AbortSignal): AsyncIterable<void> {
    const wakes = waiting.get(id) ?? new Set()
    waiting.set(id, wakes)
    return eachWake(wakes, signal)
  }

  return {
    calls,
    answers,
    change,
    follow,
    reset: () => {
      calls.length = 0
      for (const name of Object.keys(answers) as (keyof typeof answers)[]) delete answers[name]
    },
    followers: () => [...waiting.values()].reduce((sum, { size }) => sum + size, 0),
    put: (changed = {}) => {
      const id = `00000000-0000-4000-8000-${String(views.size + 1).padStart(12, '0')}`
      views.set(id, { ...plainView, id, ...changed })
      return id
    },
    look: async (id) => {
      if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error(`asked for ${id}`)
      return views.get(id)
    },
    idOfShort: async (short) => [...views.keys()].find((id) => shortOf(id) === short),
    logoOf: async (hash) => (hash === fakeLogo.hash ? fakeLogo : undefined),
    pay: async (id, { serviceCode, phone }) => {
      calls.push(`pay ${serviceCode} ${phone}`)
      const { pay: result = { kind: 'started' } } = answers
      if (result.kind === 'started')
        change(id, { state: { kind: 'waiting', attempt: { ...attempt, phone }, step: 'push' } })
      return result
    },
    confirm: async (_id, code) => {
      calls.push(`confirm ${code}`)
      return answers.confirm ?? 'accepted'
    },
    newCode: async (_id, triesLeft) => {
      calls.push(`newCode ${triesLeft}`)
      return answers.newCode ?? 'started'
    },
    changeWallet: async () => {
      calls.push('changeWallet')
      return answers.changeWallet ?? 'changed'
    },
    giveUp: async (id) => {
      calls.push('giveUp')
      const { giveUp: result = 'given_up' } = answers
      if (result === 'given_up')
        change(id, { state: { kind: 'failed', because: 'gave_up', lastFailure: null, endedAt } })
      return result
    },
  }
}

/** Yields each time one of `wakes` is called; it adds its own while it waits. */
async function* eachWake(wakes: Set<() => void>, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    wakes.add(wake)
    signal.addEventListener('abort', wake)
    await promise
    wakes.delete(wake)
    signal.removeEventListener('abort', wake)
    if (!signal.aborted) yield
  }
}

const plainView: PayerView = {
  id: '',
  version: '1',
  shop: 'Boutique Démo',
  brand: noBrand,
  item: 'Sac à main en cuir',
  amount: 5000,
  reference: 'CMD-2026-0042',
  customerName: null,
  customerPhone: null,
  country: null,
  language: null,
  expiresAt: new Date('2026-01-16T10:00:00Z'),
  attemptsLeft: 4,
  successUrl: 'https://shop.example/thanks?cart=42',
  failureUrl: 'https://shop.example/sorry',
  wallets,
  maintenance: null,
  state: { kind: 'choose', lastFailure: null },
}

function wallet(provider: string, country: string, step: WalletChoice['step']): WalletChoice {
  const name = provider.replace('WALLET', 'Wallet ')
  return { serviceCode: `${provider}_${country}_CASHOUT`, name, country, step, isAvailable: true }
}
