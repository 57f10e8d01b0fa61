import type { Html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { label } from '#doors/dashboard/frame/components.ts'
import type { AnyVisit } from '#doors/dashboard/frame/visit.ts'
import { type KeyRight, keyRights } from '#merchants/clients/key-rights.ts'
import type { ListedKey } from '#merchants/clients/key-store.ts'

/** What lists, forms and details of keys say. */
export const keyWords = inBoth({
  fr: {
    label: 'Nom',
    secret: 'Secret',
    may: 'Droits',
    sees: fr`Ce qu'elle voit`,
    from: fr`Adresses autorisées`,
    rate: fr`Requêtes par minute`,
    created: fr`Créée`,
    used: fr`Dernière utilisation`,
    state: fr`État`,
    never: 'jamais',
    anywhere: 'toutes',
    asClient: (rate: number) => fr`${rate}, comme le marchand`,
    allRights: 'tous',
    rights: {
      read: 'lire',
      balance: 'lire le solde',
      collect: 'encaisser',
      links: fr`créer des liens de paiement`,
      pay: fr`payer (paiements sortants, crédit téléphonique, factures)`,
      refund: 'rembourser',
      prepare: fr`préparer, sans argent`,
    },
    seesKey: fr`ce qu'elle a créé elle-même`,
    seesClient: fr`tout ce qui est au marchand`,
    active: 'Active',
    revoked: fr`Révoquée`,
    rotated: fr`La clé a un nouveau secret :`,
    ended: fr`La clé est révoquée.`,
    ownOfDashboard: fr`Celle de ce tableau de bord : sans secret`,
  },
  en: {
    label: 'Name',
    secret: 'Secret',
    may: 'Rights',
    sees: 'What it sees',
    from: 'Allowed addresses',
    rate: 'Requests a minute',
    created: 'Created',
    used: 'Last use',
    state: 'State',
    never: 'never',
    anywhere: 'all',
    asClient: (rate: number) => `${rate}, as the merchant`,
    allRights: 'all',
    rights: {
      read: 'read',
      balance: 'read the balance',
      collect: 'collect',
      links: 'create payment links',
      pay: 'pay (payouts, airtime, bills)',
      refund: 'refund',
      prepare: 'prepare, without money',
    },
    seesKey: 'what it created itself',
    seesClient: 'everything of the merchant',
    active: 'Active',
    revoked: 'Revoked',
    rotated: 'The key has a new secret:',
    ended: 'The key is revoked.',
    ownOfDashboard: 'Used by this dashboard (no secret)',
  },
})

/** Rights of a key in words. */
export function rightsText({ language }: Pick<AnyVisit, 'language'>, rights: KeyRight[]): string {
  const { allRights, rights: names } = keyWords[language]
  if (rights.length === keyRights.length) return allRights
  return rights.map((right) => names[right]).join(', ')
}

export function keyState({ language }: Pick<AnyVisit, 'language'>, { revokedAt }: ListedKey): Html {
  const { active, revoked } = keyWords[language]
  return revokedAt === null ? label(['good', 'check'], active) : label(['quiet', 'dash'], revoked)
}

/** The end of the secret, by which people tell keys apart. */
export function secretEnd(
  { language }: Pick<AnyVisit, 'language'>,
  { prefix, lastFour }: ListedKey,
): string {
  return prefix === null ? keyWords[language].ownOfDashboard : `${prefix}…${lastFour}`
}
