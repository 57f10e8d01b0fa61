import type { ColumnField, Mapping } from './mapping.ts'
import type { LineStatus } from './statement.ts'

/** Whether a text is a word of the list, or begins with it. */
function beginning(...words: string[]): RegExp {
  return new RegExp(`^(${words.join('|')})`)
}

/**
 * How titles of columns begin, in French and English, without accents, capitals and signs. The
 * first that fits in the order of this list is taken.
 */
export const titleWords: [field: ColumnField, titles: RegExp][] = [
  [
    'ourReference',
    beginning(
      '(our|your|notre|votre) ref',
      'merchant (ref|tr|order)',
      '(partner|client|external|order) (ref|id|tr)',
      '(ref|reference|id|numero)( de)? (marchand|partenaire|client|externe|commande|external)',
      'end ?to ?end',
    ),
  ],
  ['fees', beginning('frais', 'fees?\\b', 'commission', 'tva', 'taxe?s?\\b', 'vat', 'charges?\\b')],
  ['balance', beginning('solde', 'balance', '(nouveau|new|running|post) (solde|balance)')],
  ['debit', beginning('debits?\\b(?! credit)', 'montant debit', 'paid out', 'sorties?\\b')],
  ['credit', beginning('credits?\\b(?! debit)', 'montant credit', 'paid in', 'entrees?\\b')],
  [
    'sign',
    beginning('sens', 'direction', '(dr|d|debit) ?(cr|c|credit)', '(cr|c|credit) ?d', 'signe'),
  ],
  ['currency', beginning('devise', 'currency', 'ccy', 'monnaie')],
  ['status', beginning('statut', 'status', 'etat', 'state', 'resultat', 'result')],
  ['time', beginning('heure', 'time$')],
  [
    'at',
    beginning('date', 'moment', 'horodat', 'timestamp', 'jour', '(completion|transaction) (d|ti)'),
  ],
  ['kind', beginning('type', 'nature', 'operation', 'transaction type', 'kind', 'service')],
  ['phone', beginning('numero', 'number', 'tel', 'phone', 'mobile', 'msisdn', 'payeur', 'payer')],
  ['phone', beginning('client', 'customer', 'beneficiaire', 'wallet', 'opposite party')],
  ['reference', beginning('ref', 'id', 'transaction', 'receipt', 'recu', 'txn', 'financial tr')],
  ['reference', beginning('(code|n|no|n°) transaction')],
  ['amount', beginning('montant', 'amount', 'somme', 'valeur', 'value')],
]

/** Words for what became of a line. */
export const statusWords: [status: LineStatus, words: RegExp][] = [
  ['reversed', beginning('rembours', 'revers', 'extourn', 'refund')],
  ['failed', beginning('echec', 'echou', 'fail', 'rejet', 'reject', 'refus', 'declin', 'ko$')],
  ['failed', beginning('annul', 'cancel', 'expir', 'err')],
  ['pending', beginning('en cours', 'en attente', 'pending', 'processing', 'init')],
  [
    'succeeded',
    beginning('reuss', 'succes', 'complet', 'valid', 'effectu', 'ok$', 'termin', 'pa[iy]'),
  ],
]

/** Words for what a line is; more special ones come first. */
export const kindWords: [kind: NonNullable<Mapping['kinds']>[string], words: RegExp][] = [
  ['reverse-', /annulation|revers|rembours|refund|extourne/],
  ['fee', /frais|commission|fee|charge|tva|agio/],
  ['top_up', /airtime|recharge|credit tele|top ?up|forfait/],
  ['bill', /facture|bill|prepaye/],
  ['transfer', /approvision|virement|banque|bank|reglement|settlement|compensation|float/],
  ['collect', /paiement|payment|encaiss|collect|c2b|cash ?out|marchand|achat|purchase/],
  ['disburse', /transfert|transfer|envoi|disburs|decaiss|payout|cash ?in|b2c|versement|salaire/],
]

/** Words for the direction of a line. */
export const signWords: [sign: '+' | '-', words: RegExp][] = [
  ['+', /^(c|cr|credit|in|entree|\+)$/],
  ['-', /^(d|dr|debit|out|sortie|-)$/],
]

/** What begins lines that tell balances, and lines that add others up. */
export const labelWords = {
  opening: beginning("solde (initial|d['’]ouv|precedent|de depart)", 'opening bal', 'ancien solde'),
  closing: beginning('solde (final|de cloture|de fin|actuel)', 'closing bal', 'nouveau solde'),
  total: beginning('sous-?total', 'grand total', 'totaux', 'total'),
}
