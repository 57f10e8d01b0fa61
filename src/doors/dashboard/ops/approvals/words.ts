import type { Approval, ApprovalKind, ApprovalState } from '#backoffice/approvals/approval.ts'
import { kindWords } from '#backoffice/approvals/kind-words.ts'
import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { type Badge, label } from '#doors/dashboard/frame/components.ts'
import { providerWord } from '#doors/dashboard/frame/kinds.ts'

/** What is done, as a title. */
export function kindTitle(language: Language, kind: ApprovalKind): string {
  return kindWords[language][kind]
}

const states = inBoth<Record<ApprovalState, string>>({
  fr: {
    open: fr`À décider`,
    approved: fr`Approuvé`,
    refused: fr`Refusé`,
    expired: fr`Expiré`,
    alone: fr`Fait par une personne`,
  },
  en: {
    open: 'To decide',
    approved: 'Approved',
    refused: 'Refused',
    expired: 'Expired',
    alone: 'Done by one person',
  },
})

const shapes: Record<ApprovalState, Badge> = {
  open: ['calm', 'clock'],
  approved: ['good', 'check'],
  refused: ['bad', 'cross'],
  expired: ['quiet', 'dash'],
  alone: ['quiet', 'check'],
}

/** The state at this moment, with its shape: one whose time is over can no longer be decided. */
export function approvalState(
  language: Language,
  { state, expiresAt }: Pick<Approval, 'state' | 'expiresAt'>,
  now: Date,
): Html {
  const shown = state === 'open' && expiresAt <= now ? 'expired' : state
  return label(shapes[shown], states[language][shown])
}

const accounts = inBoth<Record<string, string>>({
  fr: {
    available: fr`Marchand, disponible`,
    held: fr`Marchand, en attente`,
    settlement: 'Banque',
    fees: 'Nos frais',
    provider_fees: fr`Frais des prestataires`,
    suspense: fr`Compte d'attente`,
  },
  en: {
    available: 'Merchant, available',
    held: 'Merchant, held',
    settlement: 'Bank',
    fees: 'Our fees',
    provider_fees: 'Provider fees',
    suspense: 'Suspense',
  },
})

/** An account of the ledger in words. */
export function accountWord(language: Language, account: string): string {
  const [kind, provider = '', country = ''] = account.split(':')
  if (kind === 'provider') return providerWord(language, `${provider}_${country}`)
  return accounts[language][account] ?? account
}
