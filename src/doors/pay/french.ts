import { fr } from '#base/kit/texts.ts'

/** All texts of the payment page, in French; englishTexts has the same keys. */
export const frenchTexts = {
  sandbox: fr`Aucun argent réel ne bouge.`,
  secure: fr`Paiement sécurisé`,
  otherLanguage: 'English',
  neverPin: fr`Nous ne demandons jamais votre code secret sur cette page.`,
  by: fr`Paiement assuré par Passerelle`,
  offline: fr`Vous êtes hors connexion.`,
  resumes: fr`Cette page reprendra dès que le réseau revient.`,
  held: fr`Votre demande partira dès que le réseau revient : rien d'autre à faire.`,

  payTo: fr`Vous payez à`,
  item: fr`Pour`,
  customer: fr`Client`,
  reference: fr`Référence`,
  validUntil: fr`Payable jusqu'au`,
  amount: fr`Montant`,
  shop: fr`Boutique`,
  wallet: fr`Moyen de paiement`,
  number: fr`Numéro`,
  date: fr`Date`,
  providerReference: fr`Référence de l'opérateur`,
  transaction: fr`Transaction`,

  step: (now: number) => fr`Étape ${now} sur 3`,
  chooseTitle: (amount: string) => fr`Payer ${amount}`,
  payWith: fr`Payer avec`,
  suggested: fr`Proposé pour ce numéro. Vous pouvez en choisir un autre.`,
  country: fr`Pays`,
  steps: {
    push: fr`Sur votre téléphone`,
    redirect: fr`Dans l'application`,
    otp: fr`Code par SMS`,
  },
  down: fr`Indisponible pour le moment`,
  noneAvailable: fr`Aucun moyen de paiement ne répond en ce moment.`,
  noneAvailableWhat: fr`Cela ne vient pas de vous. Réessayez dans quelques minutes : ce lien reste
    valable.`,
  maintenance: fr`Les paiements sont en maintenance.`,
  maintenanceWhat: fr`Rien n'a été débité, et ce lien reste valable.`,
  maintenanceUntil: fr`Fin prévue :`,
  phone: fr`Votre numéro Mobile Money`,
  phoneHints: {
    SN: fr`9 chiffres, par exemple 77 123 45 67`,
    ML: fr`8 chiffres, par exemple 76 12 34 56`,
    CI: fr`10 chiffres, par exemple 07 12 34 56 78`,
    CM: fr`9 chiffres, par exemple 6 71 23 45 67`,
  } as Countries,
  phoneHint: fr`Avec ou sans l'indicatif du pays`,
  accepted: fr`Acceptés ici :`,
  next: fr`Continuer`,
  giveUp: fr`Annuler ce paiement`,

  problemsTitle: fr`Il reste quelque chose à corriger`,
  problems: {
    service: fr`Choisissez un moyen de paiement.`,
    phone_missing: fr`Entrez votre numéro Mobile Money.`,
    phone: fr`Ce numéro est incorrect : il faut 9 chiffres, 10 en Côte d'Ivoire, 8 au
      Mali.`,
    phone_country: fr`Aucun moyen de paiement n'est proposé ici pour le pays de ce numéro.`,
    country: fr`Choisissez le pays de ce numéro.`,
    unavailable: fr`Ce moyen de paiement ne répond pas en ce moment. Choisissez-en un autre.`,
    daily_limit_reached: fr`Ce marchand ne peut plus être payé par ce moyen aujourd'hui.
      Choisissez-en un autre.`,
    too_many_attempts: fr`Ce numéro a été essayé trop souvent. Attendez dix minutes, puis
      réessayez.`,
    number_blocked: fr`Ce numéro ne peut pas payer ici. Prenez-en un autre.`,
    code: fr`Entrez le code reçu : de 4 à 8 chiffres.`,
    wrong_code: fr`Code incorrect. Vérifiez le dernier SMS reçu.`,
    code_expired: fr`Ce code n'est plus valable. Demandez-en un nouveau, ou payez autrement.`,
    code_unavailable: fr`L'opérateur ne répond pas. Attendez un instant, puis envoyez le code
      à nouveau.`,
  },

  reviewTitle: fr`Vérifiez votre numéro`,
  payNow: (amount: string) => fr`Payer ${amount}`,
  change: fr`Modifier le numéro`,

  sendingTitle: (wallet: string) => fr`${wallet} est injoignable pour l'instant`,
  sendingWhat: (wallet: string) =>
    fr`Rien n'est encore parti vers votre téléphone. On réessaie : ${wallet} vous sollicitera
      alors.`,

  pushTitle: fr`Confirmez sur votre téléphone`,
  pushSteps: (wallet: string, amount: string, phone: string) => [
    fr`${wallet} envoie une demande de ${amount} au ${phone}.`,
    fr`Vérifiez le montant, puis tapez votre code secret.`,
  ],
  comeBack: fr`Revenez ici : le résultat s'affiche tout seul.`,
  example: fr`Exemple. La vraie demande s'affiche sur votre téléphone, jamais sur cette page.`,
  promptAsk: (amount: string, shop: string) => fr`Payer ${amount} à ${shop} ?`,
  promptPin: fr`Code secret`,
  promptNo: fr`Annuler`,
  promptYes: fr`Valider`,
  nothingCame: fr`Rien n'est arrivé ?`,
  nothingCameTips: (wallet: string) => [
    fr`Vérifiez que ce téléphone est allumé et qu'il a du réseau.`,
    fr`Ouvrez l'application ou le menu ${wallet} : la demande y attend souvent.`,
    fr`Attendez une minute. Ne payez pas ailleurs tant que cette demande est en cours.`,
    fr`Si vous refusez la demande, vous pourrez choisir un autre moyen de paiement.`,
  ],
  check: fr`Vérifier mon paiement`,
  lookedAt: fr`Dernière vérification à`,
  updates: fr`Cette page se met à jour toute seule.`,

  redirectTitle: (wallet: string) => fr`Payez dans ${wallet}`,
  redirectWhat: (amount: string) => fr`Validez le paiement de ${amount} dans l'application.`,
  redirectOpen: (wallet: string) => fr`Ouvrir ${wallet}`,
  redirectSoon: (wallet: string) => fr`On prépare votre paiement ${wallet}…`,
  redirectSoonWhat: fr`Le bouton apparaît dans quelques secondes.`,
  qrTitle: fr`Sur un ordinateur ?`,
  qrWhat: fr`Scannez ce code avec votre téléphone.`,
  otherWallet: fr`Payer autrement`,

  otpTitle: fr`Entrez le code reçu par SMS`,
  otpWhat: (wallet: string, phone: string) =>
    fr`${wallet} envoie un code à usage unique au ${phone}. Ce n'est pas
      votre code secret. Le SMS peut prendre une minute.`,
  otpLabel: fr`Code reçu`,
  otpTries: (left: number) =>
    left === 1 ? fr`C'est la dernière tentative.` : fr`Il reste ${left} tentatives.`,
  otpSend: fr`Valider le code`,
  otpSpentTitle: fr`Ce code n'est plus valable`,
  otpSpentWhat: fr`Demandez-en un nouveau, ou payez autrement.`,
  noCode: fr`Pas de code reçu ?`,
  newCodeWhat: (left: number) =>
    left === 1
      ? fr`Un nouveau code remplace celui-ci, une dernière fois. Vous n'êtes débité qu'une fois.`
      : fr`Un nouveau code remplace celui-ci, ${left} fois au plus. Vous n'êtes débité
          qu'une fois.`,
  newCode: fr`Recevoir un nouveau code`,

  checkingTitle: fr`Nous vérifions votre paiement`,
  dontPayTwice: fr`Ne payez pas deux fois.`,
  checkingWhat: (wallet: string) =>
    fr`${wallet} n'a pas encore répondu. Cela prend en général quelques minutes. Si vous avez été
      débité, le paiement sera reconnu.`,
  checkingLeave: fr`Vous pouvez fermer cette page : le résultat restera à cette adresse.`,

  paidTitle: fr`Paiement réussi`,
  paidBefore: (when: string) => fr`Déjà payé, le ${when}`,
  paidTo: fr`payés à`,
  receipt: fr`Reçu`,
  share: fr`Partager le reçu`,
  copied: fr`Lien du reçu copié`,
  print: fr`Imprimer le reçu`,
  back: fr`Retour à la boutique`,
  backIn: fr`Retour automatique dans`,
  seconds: fr`s`,
  stay: fr`Rester ici`,

  gaveUpTitle: fr`Paiement annulé`,
  exhaustedTitle: fr`Le paiement n'a pas abouti`,
  notDebited: fr`Vous n'avez pas été débité.`,
  gaveUpWhat: (shop: string) =>
    fr`Ce lien est fermé. Pour payer, demandez un nouveau lien à ${shop}.`,
  exhaustedWhat: (shop: string) =>
    fr`Il ne reste aucune tentative pour ce lien. Demandez un nouveau lien à ${shop}.`,
  failureTitle: (wallet: string) => fr`Le paiement avec ${wallet} n'a pas abouti`,
  failures: {
    declined: fr`L'opérateur l'a refusé.`,
    balance_low: fr`Le solde ne suffit pas.`,
    limit_reached: fr`Un plafond de ce compte est atteint.`,
    payer_not_found: fr`Ce numéro n'a pas de compte chez cet opérateur.`,
    payer_blocked: fr`Ce compte ne permet pas ce paiement : demandez à l'opérateur.`,
    unavailable: fr`L'opérateur n'a pas pu être joint.`,
    wrong_code: fr`Aucun code saisi n'était le bon.`,
    code_expired: fr`Aucun code n'a été saisi à temps.`,
    payer_refused: fr`La demande a été refusée sur le téléphone.`,
    payer_timeout: fr`La demande n'a pas été confirmée à temps.`,
  },
  cancelled: fr`Il a été annulé avant d'être validé.`,
  tryAgain: (left: number) =>
    left === 1
      ? fr`Réessayez, ou payez autrement (dernière tentative).`
      : fr`Réessayez, ou payez autrement (${left} tentatives).`,

  expiredTitle: fr`Ce lien a expiré`,
  expiredWhat: (until: string, shop: string) =>
    fr`Il était payable jusqu'au ${until}. Demandez un nouveau lien à ${shop}.`,

  giveUpTitle: fr`Annuler ce paiement ?`,
  giveUpWhat: (shop: string) => fr`Ce lien ne pourra plus servir. ${shop} en sera informé.`,
  giveUpYes: fr`Oui, annuler`,
  giveUpNo: fr`Non, revenir au paiement`,

  tooLate: fr`Votre paiement est déjà en cours : il ne peut plus être annulé ici.`,

  unknownTitle: fr`Lien introuvable`,
  unknownWhat: fr`Vérifiez que l'adresse est complète, ou demandez le lien à nouveau à la
    boutique.`,
  elsewhereTitle: fr`Page ouverte au mauvais endroit`,
  elsewhereWhat: fr`Ce lien est sur un autre de nos serveurs. Rien n'a été débité ici. Ouvrez le
    lien à nouveau dans un instant.`,
  busyTitle: fr`Un instant`,
  busyWhat: (seconds: number) =>
    fr`Trop de demandes sont arrivées d'un coup. Réessayez dans ${seconds} secondes.`,
  foreignWhat: fr`Cette demande ne vient pas de notre page. Ouvrez le lien de paiement et
    recommencez.`,
  malformedTitle: fr`Demande incomprise`,
  malformedWhat: fr`Cette demande n'a pas pu être lue. Ouvrez le lien de paiement et recommencez.`,
  internalErrorTitle: fr`Un problème de notre côté`,
  internalErrorWhat: fr`Ne payez pas deux fois : si un paiement est en cours, il suit son chemin.
    Réessayez dans un instant.`,
  open: fr`Ouvrir le paiement`,
  retry: fr`Réessayer`,
}

type Countries = Record<string, string>

/** All texts of the payment page, in one language. */
export type PageTexts = typeof frenchTexts
