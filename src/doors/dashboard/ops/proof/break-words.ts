import type { Language } from '#base/kit/language.ts'
import { type Notes, noteIn } from '#doors/dashboard/frame/technical-words.ts'
import type { Break } from '#operations/verify/break.ts'

const places: Notes = [
  [/^anchor (\S+)$/, 'ancre $1'],
  [/^approval (\S+)$/, 'approbation $1'],
  [/^record (\S+)$/, 'ligne $1 du journal'],
  [/^link (\S+) of the chain$/, 'maillon $1 de la chaîne'],
  [/^the chain$/, 'la chaîne'],
  [/^line (\S+) of batch (\S+)$/, 'ligne $1 du paiement groupé $2'],
  [/^batch (\S+)$/, 'paiement groupé $1'],
  [/^transaction (\S+)$/, 'transaction $1'],
  [/^attempt (\S+)$/, 'ordre $1'],
  [/^bill (.+)$/, 'facture $1'],
  [/^events$/, 'événements'],
  [/^(.+) version (\S+) \(posting (\S+)\)$/, '$1 version $2 (écriture $3)'],
  [/^posting (\S+)(| \(.+\))$/, 'écriture $1$2'],
  [/^account hour (.+)$/, 'heure $1 du compte'],
  [/^account (.+)$/, 'compte $1'],
  [/^limit of (\S+) on (\S+)$/, 'limite $1 du $2'],
  [/^link (\S+)$/, 'lien $1'],
  [/^line (\S+) of statement (\S+)$/, 'ligne $1 du relevé $2'],
  [/^statement (\S+)$/, 'relevé $1'],
  [/^difference (\S+)$/, 'écart $1'],
  [/^hour (.+)$/, 'heure $1'],
]

const wrongs: Notes = [
  [/^follows version (\S+)$/, 'suit la version $1'],
  [/^follows (\S+)$/, 'suit $1'],
  [/^its hash does not follow(?: the chain)?$/, "son empreinte ne suit pas celle d'avant"],
  [
    /^record (\S+) of the audit log is not what it was$/,
    "la ligne $1 du journal n'est plus ce qu'elle était",
  ],
  [
    /^client (\S+) (\S+) version (\S+) is not what it was$/,
    "la version $3 du compte $2 du marchand $1 n'est plus ce qu'elle était",
  ],
  [/^differs from the one kept elsewhere$/, 'diffère de celle qui est gardée ailleurs'],
  [/^is missing$/, 'manque'],
  [/^is of a line that is not there$/, "vient d'une ligne qui n'existe pas"],
  [
    /^is of a success that a line tells of, or that is none$/,
    "vient d'un succès dont parle une ligne, ou qui n'en est pas un",
  ],
  [
    /^differs by (\S+) F, and by what is told and booked it is (\S+) F$/,
    'est de $1 F ; selon les relevés et les écritures il est de $2 F',
  ],
  [/^waits for what is decided$/, 'attend une proposition déjà décidée'],
  [/^is closed, and says not by whom or why$/, 'est clos sans dire par qui ou pourquoi'],
  [/^was approved by who proposed it$/, "a été approuvée par la personne qui l'a proposée"],
  [
    /^of (\S+) F was approved, and (\S+) F were posted$/,
    'a été approuvée pour $1 F, et $2 F ont été inscrits',
  ],
  [
    /^was approved, and its transaction was not ended by hand$/,
    "a été approuvée, et sa transaction n'a pas été terminée à la main",
  ],
  [/^was approved, and its refund is missing$/, 'a été approuvée, et son remboursement manque'],
  [
    /^is (\S+), and the audit log says otherwise$/,
    "est dans l'état $1, le journal dit autre chose",
  ],
  [/^its content differs from its digest$/, 'son contenu diffère de son empreinte'],
  [/^record (\S+) is gone$/, 'la ligne $1 du journal a disparu'],
  [/^is gone, and was not linked yet$/, 'a disparu sans avoir été mise dans la chaîne'],
  [/^is in no chain$/, "n'est dans aucune chaîne"],
  [/^is in the chain, and waits for it$/, "est dans la chaîne et attend d'y être mise"],
  [/^ends at (\S+), its head says (\S+)$/, 'finit à $1, sa tête dit $2'],
  [/^end at (\S+), counted (\S+)$/, 'finissent à $1, comptés : $2'],
  [/^was paid (\S+) times$/, 'a été payée $1 fois'],
  [/^is (\S+) and was paid$/, "est dans l'état $1 et a été payée"],
  [/^is paid by a transaction that is (.+)$/, 'est payée par une transaction ($1)'],
  [/^failed by a transaction that is (.+)$/, 'a échoué par une transaction ($1)'],
  [/^not there$/, 'absente'],
  [/^has the transaction of another payout$/, "a la transaction d'un autre versement"],
  [/^is (\S+), its history says (\S+)$/, "est dans l'état $1, son historique dit $2"],
  [/^has other lines than were approved$/, "a d'autres lignes que celles approuvées"],
  [/^is finished with (\S+) lines open$/, 'est terminé avec des lignes en cours : $1'],
  [/^counts (\S+) paid lines of (\S+)$/, 'compte $1 lignes payées, il y en a $2'],
  [/^runs without an approval$/, 'est en cours sans approbation'],
  [/^is claimed by a payment that does not exist$/, "est prise par un paiement qui n'existe pas"],
  [/^is (\S+) and has no claim on its bill$/, "est dans l'état $1 et n'a pas pris sa facture"],
  [/^is FAILED and still claims its bill$/, 'est FAILED et tient encore sa facture'],
  [/^claims another bill than it pays$/, "tient une autre facture que celle qu'elle paie"],
  [
    /^goes from (\S+) by (\S+) to (\S+) after a balance of (\S+)$/,
    'va de $1 à $3 par $2, après un solde de $4',
  ],
  [/^ended without an event$/, 'est terminé sans événement'],
  [/^has an event and no end$/, 'a un événement et pas de fin'],
  [/^has an event of another key$/, "a un événement d'une autre clé"],
  [/^ends a hold in part or again$/, 'lève une retenue en partie ou une seconde fois'],
  [/^is gone, but not its lines$/, 'a disparu, mais pas ses lignes'],
  [/^has no lines$/, "n'a pas de lignes"],
  [/^sums to (\S+) (\S+)$/, 'fait une somme de $1 $2'],
  [/^stores (\S+), its entries end at (\S+)$/, 'porte $1, ses lignes finissent à $2'],
  [
    /^stands at version (\S+), its entries at (\S+)$/,
    'est à la version $1, ses lignes à la version $2',
  ],
  [/^has entries and no balance$/, 'a des lignes et pas de solde'],
  [
    /^is (\S+) and was (paid|settled|released) (\S+) times$/,
    "est dans l'état $1 et a été $2 $3 fois",
  ],
  [/^paid$/, 'payé'],
  [/^settled$/, 'réglé'],
  [/^released$/, 'libéré'],
  [/^was paid by another payment than it says$/, "a été payé par un autre paiement qu'il ne dit"],
  [/^has (\S+) payments under way$/, 'a $1 paiements en cours'],
  [
    /^has another payment under way than it says$/,
    "a un autre paiement en cours que celui qu'il dit",
  ],
  [/^counts (\S+) payments of (\S+)$/, 'compte $1 paiements, il y en a $2'],
  [/^has (\S+) payments of something else$/, "a $1 paiements d'autre chose"],
  [/^is (\S+) and (.+)$/, "est dans l'état $1 et $2"],
  [/^has no end$/, "n'a pas de fin"],
  [/^ended (.+)$/, 'terminé le $1'],
  [
    /^counts (\S+) lines, and there are (\S+), or others of a kind$/,
    "compte $1 lignes, il y en a $2, ou d'autres par type",
  ],
  [
    /^shows (\S+) F of fees and (\S+) F of transfers, booked are (.+) F and (.+) F$/,
    'montre $1 F de frais et $2 F de virements, inscrits : $3 F et $4 F',
  ],
  [
    /^tells of (\S+) F of fees and (\S+) F of transfers, booked are (.+) F and (.+) F$/,
    'parle de $1 F de frais et de $2 F de virements, inscrits : $3 F et $4 F',
  ],
  [/^of (\S+) belongs to no statement$/, "de type $1 n'est d'aucun relevé"],
  [/^claims money that another line claims$/, "prend de l'argent qu'une autre ligne prend aussi"],
  [
    /^claims (\S+) F that the ledger does not have so$/,
    'prend $1 F que le grand livre ne connaît pas ainsi',
  ],
  [
    /^has (\S+) F of strangers in suspense, and lines claim (\S+) F$/,
    "a $1 F d'inconnus en attente, les lignes en prennent $2 F",
  ],
  [
    /^counts (\S+) of (\S+) F; there are (\S+) of (\S+) F$/,
    'compte $1 pour $2 F ; il y en a $3 pour $4 F',
  ],
  [
    /^sums up (\S+) of (\S+) F, fees (\S+); there are (\S+) of (\S+) F, fees (\S+)$/,
    'compte $1 pour $2 F, frais $3 ; il y en a $4 pour $5 F, frais $6',
  ],
  [/^sums up to (\S+) F, the balance is (\S+) F$/, 'fait $1 F, le solde est de $2 F'],
  [/^counts (\S+) refunded of (\S+)$/, 'compte $1 remboursés sur $2'],
  [/^has (\S+) refunded of at most (\S+)$/, 'a $1 remboursés sur $2 au plus'],
  [
    /^was reported as paid (\S+) times, and the ledger has (\S+) of them$/,
    'a été annoncé payé $1 fois, le grand livre en a $2',
  ],
  [/^was explained, and leaves (\S+) in suspense$/, 'a été expliqué et laisse $1 en attente'],
]

/** What a proof has found wrong, and where. */
export function breakText(language: Language, { where, what }: Pick<Break, 'where' | 'what'>) {
  return `${noteIn(language, where, places)} ${noteIn(language, what, wrongs)}`
}
