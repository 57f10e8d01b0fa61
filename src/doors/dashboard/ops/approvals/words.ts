import type { Approval, ApprovalKind, ApprovalState } from '#backoffice/approvals/approval.ts'
import { kindWords } from '#backoffice/approvals/kind-words.ts'
import type { Html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { label } from '#doors/dashboard/frame/components.ts'
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

const shapes: Record<ApprovalState, [tone: string, path: string]> = {
  open: ['calm', 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2'],
  approved: ['good', 'm5 12.5 4.5 4.5L19 7.5'],
  refused: ['bad', 'm7 7 10 10M17 7 7 17'],
  expired: ['quiet', 'M5 12h14'],
  alone: ['quiet', 'm5 12.5 4.5 4.5L19 7.5'],
}

/** The state at this moment, with its shape: one whose time is over can no longer be decided. */
export function approvalState(
  language: Language,
  { state, expiresAt }: Pick<Approval, 'state' | 'expiresAt'>,
  now: Date,
): Html {
  const shown = state === 'open' && expiresAt <= now ? 'expired' : state
  const [tone, path] = shapes[shown]
  return label(tone, states[language][shown], path)
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
