import type { ListedKey } from '../../../clients/key-store.ts'
import type { Html } from '../../../kit/html.ts'
import { fr } from '../../../pages/typography.ts'
import { label } from '../../frame/components.ts'
import type { AnyVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'

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
    readOnly: 'lire seulement',
    readWrite: fr`lire et écrire`,
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
    readOnly: 'read only',
    readWrite: 'read and write',
    seesKey: 'what it created itself',
    seesClient: 'everything of the merchant',
    active: 'Active',
    revoked: 'Revoked',
    rotated: 'The key has a new secret:',
    ended: 'The key is revoked.',
    ownOfDashboard: 'That of this dashboard: without a secret',
  },
})

export function keyState({ language }: Pick<AnyVisit, 'language'>, { revokedAt }: ListedKey): Html {
  const { active, revoked } = keyWords[language]
  return revokedAt === null
    ? label('good', active, 'm5 12.5 4.5 4.5L19 7.5')
    : label('quiet', revoked, 'M5 12h14')
}

/** The end of the secret, by which people tell keys apart. */
export function secretEnd(
  { language }: Pick<AnyVisit, 'language'>,
  { prefix, lastFour }: ListedKey,
): string {
  return prefix === null ? keyWords[language].ownOfDashboard : `${prefix}…${lastFour}`
}
