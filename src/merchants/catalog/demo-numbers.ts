/** A number of a sandbox that decides what happens; the lab's scenario of it does this. */
export interface DemoNumber {
  number: string
  fr: string
  en: string
}

function listed(rows: [number: string, en: string, fr: string][]): DemoNumber[] {
  return rows.map(([number, en, fr]) => ({ number, en, fr }))
}

/** Customers of wallets and airtime. */
export const demoPhones: DemoNumber[] = listed([
  ['770000001', 'Not enough money: it fails', 'Pas assez d’argent : échec'],
  ['770000002', 'The customer refuses', 'Le client refuse'],
  ['770000003', 'The prompt expires after 3 s', 'La demande expire après 3 s'],
  ['770000004', 'Accepted, then silence: it stays open', 'Accepté, puis silence : reste en cours'],
  ['770000005', 'Success after 10 s, without a callback', 'Réussi après 10 s, sans notification'],
  ['770000006', 'The answer is lost; success, one order', 'La réponse se perd ; réussi, un ordre'],
  [
    '770000007',
    'Success; the callback comes five times',
    'Réussi ; la notification arrive cinq fois',
  ],
  ['770000008', 'Success, then a callback says failure', 'Réussi, puis une notification dit échec'],
  ['770000009', 'Down three times, then success', 'En panne trois fois, puis réussi'],
  ['770000010', 'The customer pays 50 francs less', 'Le client paie 50 francs de moins'],
  ['770000011', 'The callback comes before the answer', 'La notification arrive avant la réponse'],
  ['770000012', 'The answer takes 15 s; success', 'La réponse prend 15 s ; réussi'],
  ['770000013', 'A forged callback; it fails later', 'Une fausse notification ; échec plus tard'],
  ['770000014', 'Paid, but a repetition is declined', 'Payé, mais une répétition est refusée'],
])

/** Customers of water and electricity. */
export const demoBills: DemoNumber[] = listed([
  ['100000001', 'One unpaid bill', 'Une facture à payer'],
  ['100000002', 'Three unpaid bills', 'Trois factures à payer'],
  ['100000003', 'All bills are paid', 'Toutes les factures sont payées'],
  ['100000005', 'Refused at payment', 'Refusé au paiement'],
  ['100000006', 'The answer is lost, but it is paid', 'La réponse se perd, mais c’est payé'],
  ['100000007', 'One bill, with a fee of the biller', 'Une facture, avec des frais du facturier'],
])

/** Prepaid meters. */
export const demoMeters: DemoNumber[] = listed([
  ['200000001', 'The recharge code comes at once', 'Le code de recharge arrive tout de suite'],
  ['200000002', 'The code comes after 2 s', 'Le code arrive après 2 s'],
  ['200000003', 'Accepted, then it fails after 2 s', 'Accepté, puis échec après 2 s'],
  ['200000005', 'The meter is refused', 'Le compteur est refusé'],
  ['200000006', 'The answer is lost, the code comes later', 'La réponse se perd, le code suit'],
  ['200000007', 'Three recharge codes', 'Trois codes de recharge'],
])
