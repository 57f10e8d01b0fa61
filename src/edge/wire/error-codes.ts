import type { Language } from '#base/kit/language.ts'
import type { RefusalKind } from '#base/kit/refusal.ts'

/** Every `code` that an error answer can have. */
export type ErrorCode = Uppercase<RefusalKind> | 'INTERNAL_ERROR'

/** Why callers get each code, and what they do about it. The reference and the guide show these. */
export const errorCodes: Record<ErrorCode, Record<Language, [cause: string, cure: string]>> = {
  MISSING_API_KEY: {
    en: ['The request has no key', 'Send `Authorization: Bearer <API_KEY>`'],
    fr: ["La requête n'a pas de clé", 'Envoyez `Authorization: Bearer <API_KEY>`'],
  },
  INVALID_API_KEY: {
    en: ['The key is unknown, revoked or expired', 'Check that the whole key is sent, or make one'],
    fr: [
      'La clé est inconnue, révoquée ou expirée',
      'Vérifiez que la clé est envoyée en entier, ou créez-en une',
    ],
  },
  RATE_LIMITED: {
    en: ['More requests in a minute than allowed', 'Wait for the seconds in `Retry-After`'],
    fr: ['Plus de requêtes par minute que permis', 'Attendez les secondes de `Retry-After`'],
  },
  UNDER_MAINTENANCE: {
    en: ['The gateway or this service is closed for maintenance', 'Try again later'],
    fr: ['La passerelle ou ce service est en maintenance', 'Réessayez plus tard'],
  },
  ADDRESS_NOT_ALLOWED: {
    en: ['The key may not be used from this address', 'Call from an address on its list'],
    fr: ['La clé ne peut servir depuis cette adresse', 'Appelez depuis une adresse de sa liste'],
  },
  RIGHT_MISSING: {
    en: [
      'The key may not do this; `message` names the right that it lacks',
      'Use a key that has the right',
    ],
    fr: [
      "La clé n'y est pas autorisée ; `message` nomme le droit qui lui manque",
      'Utilisez une clé qui a ce droit',
    ],
  },
  MERCHANT_NOT_ACTIVE: {
    en: ['Your merchant account is not active', 'Ask for its activation'],
    fr: ["Votre compte marchand n'est pas actif", 'Demandez son activation'],
  },
  VALIDATION_FAILED: {
    en: ['Fields are missing or wrong', 'Correct the fields in `params`, as `message` says'],
    fr: [
      'Des champs manquent ou sont incorrects',
      'Corrigez les champs de `params`, comme le dit `message`',
    ],
  },
  INVALID_AMOUNT: {
    en: ['Only the amount is wrong', 'Send a whole number within the limits that `message` names'],
    fr: [
      'Seul le montant est incorrect',
      'Envoyez un nombre entier dans les limites que donne `message`',
    ],
  },
  INVALID_PHONE: {
    en: ['Only the number is wrong', 'Send exactly 9 digits as text, without country code'],
    fr: [
      'Seul le numéro est incorrect',
      "Envoyez exactement 9 chiffres en texte, sans l'indicatif",
    ],
  },
  MALFORMED_REQUEST: {
    en: ['The request or its body cannot be read', 'Send well-formed HTTP and valid JSON in UTF-8'],
    fr: [
      'La requête ou son corps est illisible',
      'Envoyez du HTTP bien formé et du JSON valide en UTF-8',
    ],
  },
  REQUEST_TIMEOUT: {
    en: ['The request took too long to arrive', 'Send it again, in one piece'],
    fr: ['La requête a mis trop de temps à arriver', "Renvoyez-la, d'un seul tenant"],
  },
  BODY_TOO_LARGE: {
    en: ['The body is larger than 64 KiB', 'Send less'],
    fr: ['Le corps dépasse 64 Kio', 'Envoyez moins'],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    en: ['The body is not declared as plain JSON', 'Send `Content-Type: application/json`'],
    fr: ["Le corps n'est pas annoncé comme du JSON", 'Envoyez `Content-Type: application/json`'],
  },
  HEADERS_TOO_LARGE: {
    en: ['The headers are larger than 16 KiB', 'Send fewer or shorter ones'],
    fr: ['Les en-têtes dépassent 16 Kio', 'Envoyez-en moins, ou de plus courts'],
  },
  METHOD_NOT_ALLOWED: {
    en: ['The address exists, but not with this method', 'Use a method that `Allow` names'],
    fr: ["L'adresse existe, mais pas avec cette méthode", 'Utilisez une méthode que nomme `Allow`'],
  },
  SERVICE_NOT_ENABLED: {
    en: ['Your account may not use this service', 'Use one of your services, or ask for this one'],
    fr: ["Votre compte n'a pas ce service", 'Utilisez un de vos services, ou demandez celui-ci'],
  },
  SERVICE_UNAVAILABLE: {
    en: [
      'The provider of the service or the gateway cannot answer now',
      'Send it again unchanged after the seconds in `Retry-After`; the same ' +
        'externalTransactionId never pays twice',
    ],
    fr: [
      'Le prestataire du service ou la passerelle ne peut pas répondre',
      'Renvoyez sans rien changer après les secondes de `Retry-After` ; le même ' +
        'externalTransactionId ne paie jamais deux fois',
    ],
  },
  INSUFFICIENT_FUNDS: {
    en: ['Your balance is below amount plus fee', 'Fund your account, or send less'],
    fr: ['Votre solde est inférieur au montant plus frais', 'Alimentez votre compte, ou réduisez'],
  },
  DAILY_LIMIT_REACHED: {
    en: [
      'Your account may move no more through this service today',
      'Wait until the time that `message` tells, send less, or ask for a higher limit',
    ],
    fr: [
      "Votre compte ne peut plus rien passer par ce service aujourd'hui",
      'Attendez le moment que donne `message`, réduisez, ou demandez une limite plus haute',
    ],
  },
  TOO_MANY_ATTEMPTS: {
    en: ['This payer was asked too often in ten minutes', 'Wait ten minutes, then try again'],
    fr: [
      'Ce payeur a été sollicité trop souvent en dix minutes',
      'Attendez dix minutes, puis réessayez',
    ],
  },
  NUMBER_BLOCKED: {
    en: ['Nothing may be paid by or to this number', 'Use another number, or ask us why'],
    fr: [
      'Rien ne peut être payé par ce numéro ni à ce numéro',
      'Prenez un autre numéro, ou demandez-nous pourquoi',
    ],
  },
  DUPLICATE_TRANSACTION: {
    en: [
      'The externalTransactionId is used',
      '`transaction` is the record that has it: go on with that, or choose a new one. ' +
        'It is left out when another key created the record: look it up with that key',
    ],
    fr: [
      "L'externalTransactionId a déjà servi",
      "`transaction` est l'enregistrement qui l'a : continuez avec lui, ou changez-en. " +
        "Il manque si une autre clé l'a créé : consultez-le avec cette clé",
    ],
  },
  OTP_INVALID: {
    en: [
      'The one-time code is wrong, or no attempts are left',
      'Ask the customer for the code again; after five attempts, initialise a new transaction',
    ],
    fr: [
      'Le code à usage unique est incorrect, ou il ne reste plus de tentative',
      'Redemandez le code au client ; après cinq tentatives, initialisez une nouvelle transaction',
    ],
  },
  OTP_EXPIRED: {
    en: ['The one-time code came too late', 'Initialise a new transaction'],
    fr: ['Le code à usage unique est arrivé trop tard', 'Initialisez une nouvelle transaction'],
  },
  REFUND_NOT_ALLOWED: {
    en: [
      'It is not a successful collection, or less of it is left than requested',
      'Look it up: `Status` and `refundedAmount` tell what can be refunded',
    ],
    fr: [
      "Ce n'est pas un encaissement réussi, ou il en reste moins que demandé",
      'Consultez-la : `Status` et `refundedAmount` disent ce qui est remboursable',
    ],
  },
  BILL_NOT_FOUND: {
    en: ['The biller knows no such customer or bill', 'Check reference_client, reference_facture'],
    fr: [
      'Le facturier ne connaît pas ce client ou cette facture',
      'Vérifiez reference_client et reference_facture',
    ],
  },
  BILL_ALREADY_PAID: {
    en: ['No bill is left to pay, or this one is being paid', 'Nothing: you were not debited'],
    fr: [
      'Il ne reste rien à payer, ou cette facture est en cours de paiement',
      "Rien : vous n'avez pas été débité",
    ],
  },
  BILL_REFUSED: {
    en: ['The biller refused the payment', 'Ask the biller; you were not debited'],
    fr: ['Le facturier a refusé le paiement', "Demandez au facturier ; vous n'avez pas été débité"],
  },
  IDEMPOTENCY_KEY_REUSED: {
    en: ['The Idempotency-Key belongs to another request', 'Use a new key for a new request'],
    fr: [
      "L'Idempotency-Key appartient à une autre requête",
      'Prenez une nouvelle clé pour une nouvelle requête',
    ],
  },
  REQUEST_IN_PROGRESS: {
    en: ['The first request with this Idempotency-Key is still running', 'Send it again shortly'],
    fr: [
      'La première requête avec cette Idempotency-Key est encore en cours',
      'Renvoyez-la dans un instant',
    ],
  },
  NOT_FOUND: {
    en: [
      'There is no such address, or no such record that your key sees',
      'Check address and identifier; a record of another key is not shown',
    ],
    fr: [
      "Cette adresse ou cet enregistrement n'existe pas, ou votre clé ne le voit pas",
      "Vérifiez adresse et identifiant ; ce qu'une autre clé a créé n'est pas montré",
    ],
  },
  WRONG_CELL: {
    en: [
      'The key or address belongs to another cell of the gateway',
      'Nothing was recorded: send it to the public address, and tell us the `requestId`',
    ],
    fr: [
      "La clé ou l'adresse appartient à une autre cellule de la passerelle",
      "Rien n'a été enregistré : envoyez à l'adresse publique, et signalez le `requestId`",
    ],
  },
  CONFLICT: {
    en: [
      'The state of the record does not allow it',
      'Look it up; `message` says what is in the way',
    ],
    fr: [
      "L'état de l'enregistrement ne le permet pas",
      "Consultez-le ; `message` dit ce qui s'y oppose",
    ],
  },
  OVERLOADED: {
    en: ['Too much is under way', 'Send it again unchanged after the seconds in `Retry-After`'],
    fr: [
      'Trop de requêtes sont en cours',
      'Renvoyez sans rien changer après les secondes de `Retry-After`',
    ],
  },
  INTERNAL_ERROR: {
    en: [
      'An error on our side',
      'Look the record up before sending again, and tell us the `requestId`',
    ],
    fr: [
      'Une erreur de notre côté',
      "Consultez l'enregistrement avant de renvoyer, et signalez le `requestId`",
    ],
  },
}
