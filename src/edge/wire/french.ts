import { frenchOfFiles } from './french-files.ts'
import { frenchOfOperators } from './french-operators.ts'
import { frenchOfStatements } from './french-statements.ts'

/** A sentence in French, with the line of a file before it where it has one; else as it is. */
export function inFrench(text: string): string {
  const [, bare] = /^Line \{line\}: (.+)$/s.exec(text) ?? []
  return french[text] ?? (bare === undefined ? text : `Ligne {line} : ${inFrench(bare)}`)
}

/** The French of every sentence that the API answers with, by its English text. */
export const french: Record<string, string> = {
  'Invalid API KEY': 'Clé API invalide',
  'This belongs to the cell {cell}, which is not this one':
    "Ceci appartient à la cellule {cell}, qui n'est pas celle-ci",
  'The Authorization header must be: Bearer <API_KEY>':
    "L'en-tête Authorization doit être : Bearer <API_KEY>",
  'This key cannot be used from {address}': 'Cette clé ne peut pas être utilisée depuis {address}',
  'This key lacks the right {right}': 'Il manque à cette clé le droit {right}',
  'Too many requests: at most {max} a minute, try again in {seconds} s':
    'Trop de requêtes : {max} par minute au plus, réessayez dans {seconds} s',
  'Nobody waits for this file any more': "Plus personne n'attend ce fichier",
  'The address has more than {max} parameters': "L'adresse a plus de {max} paramètres",
  'API under maintenance': 'API en maintenance',
  'The service {code} is under maintenance': 'Le service {code} est en maintenance',
  'The service is busy, please try again shortly':
    'Le service est très sollicité, réessayez dans un instant',
  'It is not known whether this took effect: look it up, or send it again under the same id':
    'On ne sait pas si cela a été fait : consultez-le, ou renvoyez-le sous le même identifiant',
  'The service cannot answer right now, please try again shortly':
    'Le service ne peut pas répondre pour le moment, réessayez dans un instant',
  'Something went wrong on our side': 'Une erreur est survenue de notre côté',
  'There is nothing at {method} {path}': "Il n'y a rien à {method} {path}",
  '{method} is not allowed here, only {allowed}':
    "{method} n'est pas permis ici, seulement {allowed}",
  'The request could not be understood': "La requête n'a pas pu être comprise",
  'The request took too long to arrive': 'La requête a mis trop de temps à arriver',
  'The headers are too large': 'Les en-têtes sont trop longs',
  'The body is not valid JSON': "Le corps n'est pas du JSON valide",
  'The body is not valid UTF-8': "Le corps n'est pas de l'UTF-8 valide",
  'The body is nested deeper than {levels} levels':
    'Le corps est imbriqué sur plus de {levels} niveaux',
  'The body must be a JSON object': 'Le corps doit être un objet JSON',
  'The body must be JSON (Content-Type: application/json)':
    'Le corps doit être du JSON (Content-Type: application/json)',
  'The body is larger than {bytes} bytes': 'Le corps dépasse {bytes} octets',
  'There is no WebSocket at this address': "Il n'y a pas de WebSocket à cette adresse",
  'The form is larger than {bytes} bytes': 'Le formulaire dépasse {bytes} octets',
  'The form has more than {most} fields': 'Le formulaire a plus de {most} champs',
  'The body must not be compressed': 'Le corps ne doit pas être compressé',
  'The request must name its host once': 'La requête doit nommer son hôte, une seule fois',
  'The request must not contain control or broken characters':
    'La requête ne doit contenir ni caractère de contrôle ni caractère invalide',
  '{field} must not contain control or broken characters':
    '{field} ne doit contenir ni caractère de contrôle ni caractère invalide',
  'The logo must be a PNG, JPEG or WebP image': 'Le logo doit être une image PNG, JPEG ou WebP',
  'A logo in SVG is not accepted, since it can hold programs: save it as PNG or WebP':
    "Un logo en SVG n'est pas accepté, car il peut contenir des programmes : enregistrez-le en " +
    'PNG ou WebP',
  'The image is damaged: it ends too early or was changed on its way':
    "L'image est endommagée : elle est incomplète ou a été modifiée en route",
  'The logo is {width} × {height} pixels large: at most {sideMax} × {sideMax}':
    'Le logo fait {width} × {height} pixels : {sideMax} × {sideMax} au plus',
  'The logo has {size} KB: at most {sizeMax} KB': 'Le logo fait {size} Ko : {sizeMax} Ko au plus',
  '{colour} is not a colour: write # and six of 0 to 9 and a to f, such as #0b6b4f':
    "{colour} n'est pas une couleur : écrivez # puis six signes de 0 à 9 et de a à f, comme " +
    '#0b6b4f',
  '{field} is required': '{field} est obligatoire',
  '{field} is required: you sent {sent}, did you mean {field}?':
    '{field} est obligatoire : vous avez envoyé {sent}, vouliez-vous dire {field} ?',
  '{field} was sent as a number: send it as text, in quotes':
    '{field} a été envoyé comme un nombre : envoyez-le comme texte, entre guillemets',
  '{field} must be a whole number from {min} to {max}':
    '{field} doit être un nombre entier de {min} à {max}',
  '{field} must be a whole number of at least {min}':
    '{field} doit être un nombre entier supérieur ou égal à {min}',
  '{field} must be a whole number': '{field} doit être un nombre entier',
  '{field} was sent as text: send it as a number, without quotes':
    '{field} a été envoyé comme un texte : envoyez un nombre, sans guillemets',
  '{field} must be a number': '{field} doit être un nombre',
  '{field} must be exactly 9 digits, without country code':
    '{field} doit comporter exactement 9 chiffres, sans indicatif',
  '{field} has the code {dialCode} of {country}: send its 9 digits with a service of {country}':
    "{field} porte l'indicatif {dialCode} de {country} : envoyez ses 9 chiffres avec un " +
    'service de {country}',
  '{field} must be a string': '{field} doit être un texte',
  '{field} must be a string of {min} to {max} characters':
    '{field} doit être un texte de {min} à {max} caractères',
  '{field} must be one of {choices}': "{field} doit être l'une des valeurs {choices}",
  '{field} must be an array': '{field} doit être une liste',
  '{field} must be true or false': '{field} doit être true ou false',
  '{field} must be the next of an earlier page': "{field} doit être le next d'une page précédente",
  '{field} must be a day or a time, as {day} or {time}':
    '{field} doit être un jour ou une heure, comme {day} ou {time}',
  'A block needs a reason of at most 500 characters': 'Donnez un motif de 500 caractères au plus',
  'The end of a block must be in the future': 'La fin doit être dans le futur',
  'A number is needed': 'Il faut un numéro',
  'This number belongs to none of the countries served here':
    "Ce numéro n'appartient à aucun des pays desservis",
  'The country of this number is not clear: name it, or write + and its code':
    "Le pays de ce numéro n'est pas clair : choisissez-le, ou écrivez + et l'indicatif",
  'There is no limit of {scope}': "Il n'y a pas de limite de {scope}",
  '{number} is not blocked': "{number} n'est pas bloqué",
  'There is no client {id}': "Il n'y a pas de marchand {id}",
  'Attempts must be a whole number from 1 to 1000': 'Entre 1 et 1000 tentatives, nombre entier',
  'A limit on numbers takes attempts only': 'Pour un numéro, seules les tentatives se limitent',
  'Only numbers have a limit on attempts': 'Les tentatives ne se limitent que pour un même numéro',
  'A limit needs an amount, a count or both': 'Il faut un montant, un nombre, ou les deux',
  'The alarm must not be above the warning': "L'alerte ne doit pas dépasser l'avertissement",
  'There is no time zone {zone}': "Il n'y a pas de fuseau horaire {zone}",
  'A client needs a name': 'Le nom du marchand est obligatoire',
  'An address is one line of at most {max} characters':
    'Une adresse est une seule ligne de {max} caractères au plus',
  'A tax number is one line of at most {max} characters':
    'Un identifiant fiscal est une seule ligne de {max} caractères au plus',
  'There is already a client named {name}': 'Il y a déjà un marchand nommé {name}',
  'There is already a person with the address {email}':
    'Il y a déjà une personne avec l’adresse {email}',
  '{email} is not an email address': '{email} n’est pas une adresse e-mail',
  'An email address is needed, such as awa@example.com':
    'Il faut une adresse e-mail, comme awa@example.com',
  '{email} is not allowed to do this for this client, or the password is wrong':
    '{email} n’est pas autorisé à le faire pour ce marchand, ou mot de passe incorrect',
  '{email} is in the team already': '{email} est déjà dans l’équipe',
  'A password must have {min} to {max} characters':
    'Un mot de passe doit avoir de {min} à {max} caractères',
  'This password is too easy to guess': 'Ce mot de passe est trop facile à deviner',
  'A password must not contain the email address':
    'Le mot de passe ne doit pas contenir l’adresse e-mail',
  'This link is no longer valid: ask for a new one':
    'Ce lien n’est plus valable : demandez-en un autre',
  'Too many invitations today, try again tomorrow':
    'Trop d’invitations aujourd’hui, réessayez demain',
  'The gateway must keep at least one operator': 'La passerelle doit garder au moins un opérateur',
  'A client must keep at least one owner': 'Un marchand doit garder au moins un propriétaire',
  'Only an owner can add or remove owners':
    'Seul un propriétaire peut nommer ou retirer un propriétaire',
  'The passkey could not be verified': 'La clé d’accès n’a pas pu être vérifiée',
  'Give the passkey a name': 'Donnez un nom à la clé d’accès',
  'You already have {max} passkeys': 'Vous avez déjà {max} clés d’accès',
  'This passkey is already registered': 'Cette clé d’accès est déjà enregistrée',
  'Incorrect code': 'Code incorrect',
  'Two-step verification is already on': 'La validation en deux étapes est déjà activée',
  'Two-step verification is off': 'La validation en deux étapes est désactivée',
  "The customer's balance is too low": 'Le solde du client ne suffit pas',
  'The customer refused the payment': 'Le client a refusé le paiement',
  'The customer did not confirm in time': "Le client n'a pas confirmé à temps",
  "A limit of the customer's wallet is reached": 'Un plafond du portefeuille du client est atteint',
  'The number has no wallet at this provider':
    "Ce numéro n'a pas de portefeuille chez ce prestataire",
  "The customer's wallet cannot take part in this payment":
    'Le portefeuille du client ne permet pas ce paiement',
  'The customer entered wrong codes only': "Le client n'a saisi que des codes erronés",
  'The customer entered no code in time': "Le client n'a pas saisi de code à temps",
  'The provider declined the payment': 'Le prestataire a refusé le paiement',
  'The provider could not be reached: nothing was ordered':
    "Le prestataire n'a pas pu être joint : rien n'a été demandé",
  'The biller refused to top this meter up': 'Le facturier a refusé la recharge de ce compteur',
  'Closed by support after checking with the provider':
    'Clos par notre équipe après vérification auprès du prestataire',
  'The payment link expired before it was paid': "Le lien de paiement a expiré avant d'être payé",
  'The customer abandoned the payment link': 'Le client a abandonné le lien de paiement',
  'It failed without a known reason': 'Échec sans raison connue',
  '{field} is not valid': "{field} n'est pas valide",
  'No transaction found': 'Aucune transaction trouvée',
  'Somebody else has changed it in the meantime: check it again':
    "Quelqu'un d'autre l'a modifié entre-temps : vérifiez à nouveau",
  '{id} is an external id: name its client too, or one of these: {choices}':
    "{id} est un identifiant externe : nommez aussi son marchand, ou l'une d'elles : {choices}",
  'Insufficient balance': 'Solde insuffisant',
  'This number is blocked': 'Ce numéro est bloqué',
  'This number was tried {max} times in ten minutes':
    'Ce numéro a été sollicité {max} fois en dix minutes',
  'The daily limit of {scope} is {max} FCFA: {left} FCFA are left until {until} UTC':
    "La limite du jour de {scope} est de {max} FCFA : il en reste {left} jusqu'à {until} UTC",
  'The daily limit of {scope} is {max} transactions: none is left until {until} UTC':
    'La limite du jour de {scope} est de {max} transactions : plus aucune avant {until} UTC',
  'externalTransactionId already used': 'externalTransactionId déjà utilisé',
  'Another key of your account created the record':
    "L'enregistrement a été créé avec une autre clé de votre compte",
  'The service {code} is not available right now':
    "Le service {code} n'est pas disponible pour le moment",
  'The service {code} cannot pay this amount right now':
    'Le service {code} ne peut pas payer ce montant pour le moment',
  'The service {code} is not enabled for your account':
    "Le service {code} n'est pas activé pour votre compte",
  '{field} is not an existing service': "{field} n'est pas un service existant",
  '{field} is not an existing service: did you mean {code}?':
    "{field} n'est pas un service existant : vouliez-vous dire {code} ?",
  '{field} must be a wallet or airtime service':
    '{field} doit être un service de portefeuille ou de crédit téléphonique',
  'Your merchant account is not active': "Votre compte marchand n'est pas actif",
  'No sub-merchant found': 'Aucun point de vente trouvé',
  '{field} is not a sub-merchant of yours': "{field} n'est pas un de vos points de vente",
  '{field} is a sub-merchant that is not active':
    "{field} est un point de vente qui n'est pas actif",
  '{field} is a sub-merchant that does not serve {country}':
    '{field} est un point de vente qui ne sert pas {country}',
  '{field} must name at least one country': '{field} doit nommer au moins un pays',
  '{field} can only be true for an active sub-merchant':
    '{field} ne peut être true que pour un point de vente actif',
  '{field} must be a full http or https address':
    '{field} doit être une adresse http ou https complète',
  '{field} must not contain a user name or password':
    "{field} ne doit contenir ni nom d'utilisateur ni mot de passe",
  '{field} must begin with https://': '{field} doit commencer par https://',
  '{field} must be an address on the public internet':
    '{field} doit être une adresse publique sur internet',
  'This transaction does not wait for a one-time code':
    "Cette transaction n'attend pas de code à usage unique",
  'The one-time code has expired': 'Le code à usage unique a expiré',
  'The one-time code is wrong': 'Le code à usage unique est incorrect',
  'No attempts are left for this one-time code':
    'Il ne reste plus de tentative pour ce code à usage unique',
  '{field} must not be empty': '{field} ne doit pas être vide',
  '{field} must not be {id}: it could not be looked up':
    '{field} ne doit pas être {id} : la consultation en serait impossible',
  '{field} must be JSON text': '{field} doit être un texte JSON',
  '{field} must be an email address': '{field} doit être une adresse e-mail',
  '{field} must be 1 to 64 letters and digits':
    '{field} doit comporter de 1 à 64 lettres et chiffres',
  'No bill found for this reference': 'Aucune facture trouvée pour cette référence',
  'This customer has no bill of that reference': "Ce client n'a pas de facture de cette référence",
  'No bill is left to pay': 'Il ne reste aucune facture à payer',
  'This bill is already paid': 'Cette facture est déjà payée',
  'This bill is already paid, or is being paid':
    'Cette facture est déjà payée, ou son paiement est en cours',
  'The bill is {amount} FCFA now': 'La facture est maintenant de {amount} FCFA',
  '{amount} FCFA is less than your account may pay at once: at least {min} FCFA':
    '{amount} FCFA est moins que ce que votre compte peut payer en une fois : au moins {min} FCFA',
  '{amount} FCFA is more than your account may pay at once: at most {max} FCFA':
    '{amount} FCFA est plus que ce que votre compte peut payer en une fois : au plus {max} FCFA',
  '{code} costs 1 % for every client: no other fee can be set':
    "{code} coûte 1 % à tous les clients : d'autres frais ne peuvent être fixés",
  'The biller refused the payment': 'Le facturier a refusé le paiement',
  'The payment is being processed: its outcome follows by webhook and lookup':
    'Le paiement est en cours de traitement : son issue suit par webhook et par consultation',
  'The top-up is paid: the token follows by webhook and lookup':
    'La recharge est payée : le code suit par webhook et par consultation',
  'The top-up is being processed: the token follows by webhook and lookup':
    'La recharge est en cours de traitement : le code suit par webhook et par consultation',
  'This number has been erased': 'Ce numéro a été effacé',
  'Only a successful collection can be refunded': 'Seul un encaissement réussi peut être remboursé',
  "The payer's number has been erased: the payment is too old to be sent back":
    'Le numéro du payeur a été effacé : le paiement est trop ancien pour être renvoyé',
  'At most {left} FCFA of it can still be refunded':
    'Il ne peut plus en être remboursé que {left} FCFA au plus',
  'Idempotency-Key must be 1 to 255 visible characters':
    'Idempotency-Key doit comporter de 1 à 255 caractères visibles',
  'This Idempotency-Key was used with another request':
    'Cette Idempotency-Key a servi à une autre requête',
  'The first request with this Idempotency-Key is still running':
    'La première requête avec cette Idempotency-Key est encore en cours',
  'Ask the customer to confirm the payment on their phone':
    'Demandez au client de confirmer le paiement sur son téléphone',
  'Send the customer to cashout_url to approve the payment':
    'Envoyez le client à cashout_url pour approuver le paiement',
  'Ask the customer for the one-time code and send it to /transaction/confirm/walletd':
    'Demandez au client le code à usage unique et envoyez-le à /transaction/confirm/walletd',
  'The wallet could not be reached yet: the request is sent again by itself':
    "Le portefeuille est injoignable pour l'instant : la demande sera renvoyée",
  'cashout_url is not known yet: look the transaction up again in a moment':
    "cashout_url n'est pas encore connue : consultez de nouveau la transaction dans un instant",
  'No one-time code is accepted any more: the wallet is asked for the outcome':
    "Plus aucun code n'est accepté : l'issue est demandée au portefeuille",
  '{field} must be the cursor of an event, or start':
    "{field} doit être le cursor d'un événement, ou start",
  '{field} must be 4 to 8 digits': '{field} doit comporter de 4 à 8 chiffres',
  'The identifier must be 1 to 128 characters, without control characters':
    "L'identifiant doit comporter de 1 à 128 caractères, sans caractère de contrôle",
  'No event found': 'Aucun événement trouvé',
  'This event has no address to be sent to': "Cet événement n'a pas d'adresse de destination",
  'Too many streams are open': 'Trop de flux sont ouverts',
  ...frenchOfFiles,
  ...frenchOfOperators,
  ...frenchOfStatements,
}
