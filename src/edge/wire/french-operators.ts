/** The French of sentences that operators read: approvals, resolutions, money by hand. */
export const frenchOfOperators: Record<string, string> = {
  'It is planned until {until}': "C'est prévu jusqu'à {until}",
  '{scope} is not in maintenance': "{scope} n'est pas en maintenance",
  'There is no service {code}': "Il n'y a pas de service {code}",
  'There is no client {id}': "Il n'y a pas de marchand {id}",
  'There is no key {id}': "Il n'y a pas de clé {id}",
  'The key {id} is revoked': 'La clé {id} est révoquée',
  'Ask a person who has the rights of this key that your role lacks: {rights}':
    "Demandez à une personne qui a les droits de cette clé que votre rôle n'a pas : {rights}",
  'The key {id} is reserved for the dashboard and cannot be changed':
    'La clé {id} est réservée au tableau de bord et ne peut pas être modifiée',
  'Only the enterprise tier has a limit of its own':
    'Seule la formule entreprise a sa propre limite',
  'The enterprise tier needs its requests per minute':
    'La formule entreprise demande un nombre de requêtes par minute',
  'Fees must be whole numbers, not below zero': 'Les frais sont des nombres entiers, zéro ou plus',
  'Amounts must be whole numbers above zero': 'Les montants sont des nombres entiers, un ou plus',
  'The highest fee must not be below the lowest':
    'Les frais les plus hauts ne peuvent pas être sous les plus bas',
  'The highest amount must not be below the lowest':
    'Le plus grand montant ne peut pas être sous le plus petit',
  'A fee cannot be more than 10000 basis points':
    'Des frais ne peuvent pas dépasser 10000 points de base',
  'There is no provider {provider} in {country}':
    "Il n'y a pas de prestataire {provider} {country}",
  '{provider} {country} is not paused': "{provider} {country} n'est pas en pause",
  'The planned end must be in the future': 'La fin prévue doit être dans le futur',
  'No approval found': 'Aucune demande trouvée',
  'No client found': 'Aucun marchand trouvé',
  'Already {state} by {person}': '{person} a déjà décidé ({state})',
  'It has expired: propose it again': 'Le délai est dépassé : proposez-le de nouveau',
  'Done: it needed only one person': 'C’est fait : une seule personne suffisait',
  'Already in progress': 'Déjà en cours',
  'Only an operator who may approve can do this': 'Réservé aux opérateurs qui peuvent approuver',
  'One of you invited or promoted the other: a third person must approve it':
    'L’un de vous a invité ou promu l’autre : une troisième personne doit approuver',
  'You may approve {days} days after you were given that right':
    'Vous pouvez approuver {days} jours après en avoir reçu le droit',
  'The right to approve must be proposed first': 'Le droit d’approuver doit d’abord être proposé',
  'This person already has this right': 'Cette personne a déjà ce droit',
  'The reference {ref} was used before': 'La référence {ref} a déjà servi',
  '{account} cannot be adjusted': '{account} ne peut pas être corrigé',
  'The transaction is final: {status}': 'La transaction est définitive : {status}',
  'No provider is bound to its service': "Aucun prestataire n'est relié à son service",
  'The provider reported a different amount, now in suspense: it can only end as failed':
    "Le prestataire a annoncé un autre montant, en compte d'attente : seul l'échec est possible",
  'Only a successful top-up of a meter has a recharge code':
    'Seule une recharge réussie a un code de recharge',
  'Only a collection that failed can be sent back':
    "Seul un encaissement qui n'a pas abouti peut être renvoyé",
  'It is already being sent back': 'Le renvoi est déjà en cours',
  'Nothing is left to send back': 'Il ne reste rien à renvoyer',
  'More was received than requested: it must be sent back by hand':
    'Le montant reçu dépasse le montant demandé : le renvoi se fait à la main',
  'This has changed since you saw it: check it again':
    "Ceci a changé depuis que vous l'avez vu : vérifiez à nouveau",
  'Its order is being sent right now: try again in half a minute':
    "Son ordre est en cours d'envoi : réessayez dans une demi-minute",
  'The payment to send back is no longer the one you saw':
    "Le paiement à renvoyer n'est plus celui que vous avez vu",
  'Nothing can be forgotten for this number': "Il n'y a rien à oublier pour ce numéro",
  '{open} records of this number are still open: forget it once they have ended':
    'Des opérations de ce numéro sont en cours ({open}) : oubliez-le quand elles seront finies',
  'A reason is needed': 'Un motif est nécessaire',
  'No statement found': 'Aucun relevé trouvé',
  'Another statement of this provider is being imported':
    "Un autre relevé de ce prestataire est en cours d'import",
  'Its import was interrupted: what was stored is removed automatically':
    'Son import a été interrompu : ce qui était enregistré est supprimé automatiquement',
  'Only money known to the provider alone can be put in suspense':
    "Seul l'argent connu du seul prestataire peut passer en compte d'attente",
  'The statement was withdrawn already': 'Le relevé est déjà retiré',
  'A proposal about its lines or differences must be decided first':
    "Une proposition sur ses lignes ou ses écarts doit d'abord être décidée",
  'Its lines ended or booked payments ({payments}): it cannot be withdrawn':
    'Ses lignes ont terminé ou fait inscrire des paiements ({payments}) : il ne peut être retiré',
  'Differences were resolved by it ({mended}): it cannot be withdrawn':
    "Des écarts ont été résolus d'après lui ({mended}) : il ne peut être retiré",
  'There is no open conflict {id}': "Il n'y a pas de contradiction ouverte {id}",
  'A note has 1 to {max} characters': 'Une note a de 1 à {max} caractères',
  'Line {line} is of {at}, which is outside of the time given':
    'La ligne {line} est du {at}, en dehors de la période donnée',
  'The period must end after it begins': 'La période doit se terminer après son début',
  'The fee of {kind} must be whole basis points up to 10000 and whole francs':
    'Les frais de {kind} sont des points de base entiers, 10000 au plus, et des francs entiers',
  'The difference is open': "L'écart est ouvert",
  'The difference waits for approval': "L'écart attend une approbation",
  'The difference is closed': "L'écart est fermé",
  'No difference found': 'Aucun écart trouvé',
  'No transaction of ours belongs to this difference':
    "Aucune de nos transactions n'est liée à cet écart",
  'The statement is still being read': 'Le relevé est encore en cours de lecture',
  'Two people may approve already: propose it with --by EMAIL':
    'Deux personnes peuvent déjà approuver : proposez-le avec --by EMAIL',
  '{email} is not in this team': "{email} n'est pas dans cette équipe",
  'There is no person {email}': "Il n'y a personne sous l'adresse {email}",
  'The code of two-step verification is missing or wrong':
    'Le code de validation en deux étapes manque ou est incorrect',
  'This operator is not allowed to do this, or the password is wrong':
    "Cet opérateur n'est pas autorisé à le faire, ou mot de passe incorrect",
  'There is no country {country} here': "Il n'y a pas de pays {country} ici",
  'The amount must be a whole number above zero':
    'Le montant doit être un nombre entier, plus grand que zéro',
  'The count must be a whole number above zero':
    'Le nombre doit être entier et plus grand que zéro',
  'Amounts must be whole numbers, not below zero':
    'Les montants sont des nombres entiers, jamais sous zéro',
  'This provider tells its balance by itself': 'Ce prestataire donne lui-même son solde',
  'This form takes no files': 'Ce formulaire ne prend pas de fichier',
  '{address} is not an address or network': "{address} n'est ni une adresse ni un réseau",
  'The fee is 0 for {codes}: set one with set-fee first, or mean it with --free':
    "Les frais sont à 0 pour {codes} : fixez-les d'abord (set-fee), ou confirmez avec --free",
}
