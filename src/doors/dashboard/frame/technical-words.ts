import type { Language } from '#base/kit/language.ts'
import { setFrench } from '#base/kit/texts.ts'

/** Notes in English, and their French; what stands for `$1` and `$2` may be a note as well. */
export type Notes = [english: RegExp, french: string][]

/** What our own programs note of an exchange. */
const exchangeNotes: Notes = [
  [/^a callback says so$/, 'une notification du prestataire le dit'],
  [/^a callback says (.+)$/, 'la notification du prestataire dit « $1 »'],
  [/^could not ask: (.+)$/, 'la question est restée sans réponse : $1'],
  [/^no token: (.+)$/, "le prestataire n'a pas donné d'accès : $1"],
  [/^no invoice: (.+)$/, "le prestataire n'a pas fait de facture : $1"],
  [/^there is no invoice$/, "il n'y a pas de facture chez le prestataire"],
  [/^unlisted(?: answer)?: (.+)$/, 'réponse que nous ne connaissons pas : $1'],
  [
    /^the reference of the original is not known$/,
    "la référence du paiement d'origine n'est pas connue",
  ],
  [/^the transaction is not known$/, "la transaction n'est pas connue"],
  [/^the session to refund is not known$/, "le paiement à rembourser n'est pas connu"],
  [/^refunds cannot be looked up$/, 'les remboursements ne peuvent pas être vérifiés'],
  [
    /^success without a readable amount, currency or reference$/,
    'réussite sans montant, devise ou référence lisible',
  ],
  [/^success without a recharge code$/, 'réussite sans code de recharge'],
  [/^more than one order of this id$/, 'plusieurs ordres portent cet identifiant'],
  [
    /^the provider does not know the order it took$/,
    "le prestataire ne connaît plus l'ordre qu'il a pris",
  ],
  [/^the answer has no readable balance$/, "la réponse n'a pas de solde lisible"],
  [/^the payer chose another wallet$/, 'le client a choisi un autre portefeuille'],
  [
    /^its provider cannot be asked about it: it is sent again$/,
    'le prestataire ne peut pas être interrogé : elle est envoyée de nouveau',
  ],
  [/^no provider is bound to this service$/, "aucun prestataire n'est relié à ce service"],
  [/^no biller is bound to this service$/, "aucun facturier n'est relié à ce service"],
  [
    /^no code is accepted any more, and the provider has not taken the payment$/,
    "plus aucun code n'est accepté, et le prestataire n'a pas pris le paiement",
  ],
  [/^the provider's statement says (.+)$/, 'le relevé du prestataire dit « $1 »'],
  [/^sent back by (.+)$/, 'renvoyé par $1'],
  [/^paused by an operator$/, 'mis en pause par un opérateur'],
  [/^down$/, 'en panne'],
  [/^down, being tested$/, 'en panne, test en cours'],
  [/^too many requests in progress$/, 'trop de demandes en cours'],
  [/^no (?:whole )?answer(?: within .+)?$/, 'pas de réponse à temps'],
  [/^no answer from a DNS server$/, "aucun serveur DNS n'a répondu"],
  [/^no connection within .+$/, 'pas de connexion à temps'],
  [/^no connection was free within .+$/, 'aucune connexion libre à temps'],
  [/^no free place in .+$/, 'aucune place libre à temps'],
  [/^the connection was lost$/, 'la connexion a été coupée'],
  [/^the other side closed the connection$/, 'la connexion a été fermée par le serveur distant'],
  [/^the connections are closed$/, 'les connexions sont fermées'],
  [/^host name without an address$/, 'nom de domaine sans adresse'],
  [/^(.+) is not on the public internet$/, "$1 n'est pas sur l'internet public"],
  [/^only plain https addresses are called$/, 'seules des adresses https simples sont appelées'],
  [/^answer larger than (\d+) bytes$/, 'réponse de plus de $1 octets'],
  [/^unexpected status (\d+)$/, 'statut $1 inattendu'],
  [/^unexpected bytes$/, 'octets inattendus'],
  [/^not an HTTP\/1 response$/, "ce n'est pas une réponse HTTP/1"],
  [/^(?:headers|line) too long$/, 'en-têtes trop longs'],
  [/^trailers too long$/, 'trailers trop longs'],
  [/^body of unknown length$/, 'corps de longueur inconnue'],
  [/^invalid length$/, 'longueur invalide'],
  [/^malformed line ending$/, 'fin de ligne incorrecte'],
  [/^chunk longer than announced$/, "bloc plus long qu'annoncé"],
  [/^invalid chunk size$/, 'taille de bloc invalide'],
  [/^(ECONNREFUSED)$/, 'connexion refusée ($1)'],
  [/^(ECONNRESET|EPIPE)$/, 'connexion coupée ($1)'],
  [/^(ETIMEDOUT|ETIMEOUT)$/, 'pas de réponse à temps ($1)'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'nom introuvable ($1)'],
  [/^(?:connect|read|write|getaddrinfo) (E[A-Z_]+)/, '$1'],
  [/^not an? (?:e-?)?mail address$/, "ce n'est pas une adresse e-mail"],
  [/^no end within (.+)$/, "l'envoi n'était pas terminé après $1"],
  [/^(?:Connection timeout|Timeout|Greeting never received)$/, 'pas de réponse à temps'],
  [/^(?:Connection closed.*|Server closed the connection)$/, 'la connexion a été fermée en face'],
  [/^Invalid login: (.+)$/s, "le serveur d'e-mail a refusé l'identifiant : $1"],
  [/^Message failed: (.+)$/s, "le serveur d'e-mail a refusé le message : $1"],
  [
    /^Can't send mail - all recipients were rejected: (.+)$/s,
    "le serveur d'e-mail a refusé le destinataire : $1",
  ],
]

/** What was noted, in a language; the words of others stay as they are. */
export function noteIn(language: Language, note: string, notes = exchangeNotes): string {
  if (language === 'en') return note
  for (const [english, french] of notes) {
    const found = english.exec(note)
    if (found === null) continue
    const told = (group: string) => (group === note ? group : noteIn(language, group, notes))
    return setFrench(french.replaceAll(/\$(\d)/g, (_, place) => told(found[Number(place)] ?? '')))
  }
  return note
}

interface Note {
  source: string
  outcome: string
  reason: string | null
}

// What these say was heard: an answer came, which tells no outcome.
const heard = /^(unlisted|success without|more than one order|the provider does not|a callback)/

/** Whether a provider left us without an answer, rather than with one that tells no outcome. */
export function isLost({ source, outcome, reason }: Note): boolean {
  return outcome === 'unknown' && source !== 'callback' && !heard.test(reason ?? '')
}
