import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { checkbox, field } from '#doors/dashboard/frame/fields.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { lineKinds, lineStatuses } from '#formats/statements/statement.ts'
import { columnFields, fieldWord, type Typed } from '../mapping-fields.ts'
import { reconWords } from '../words.ts'

const words = inBoth({
  fr: {
    columns: fr`Dans quelle colonne se trouve quoi`,
    columnsHint: fr`Le titre tel qu'il est dans le fichier, ou la lettre de la colonne s'il n'a pas
      de titres. Laissez vide ce que le fichier n'a pas. Sans aucune colonne, le fichier doit se
      comprendre de lui-même (camt.053, ou nos propres titres).`,
    feesHint: fr`Plusieurs colonnes : une par ligne.`,
    untitled: fr`Le fichier n'a pas de titres`,
    separator: fr`Séparateur (CSV)`,
    tab: 'Tabulation',
    itself: fr`Reconnu de lui-même`,
    values: fr`Comment les valeurs sont écrites`,
    dates: 'Forme des dates',
    datesHint: fr`Une par ligne, comme dd/MM/yyyy HH:mm:ss ; aussi iso, excel.`,
    timeZone: fr`Fuseau horaire (sinon celui du pays)`,
    decimal: fr`Avant les centimes`,
    sign: fr`D'où vient le sens`,
    signKind: fr`De l'opération`,
    signAmount: fr`Du signe du montant`,
    feeSign: 'Signe des frais',
    debitSign: fr`Signe des débits`,
    isNet: fr`Les montants sont déjà sans les frais`,
    order: 'Ordre des lignes',
    oldest: fr`La plus ancienne d'abord`,
    newest: fr`La plus récente d'abord`,
    wordsTitle: 'Ce que disent les mots du fichier',
    wordsHint: fr`Une ligne par mot : le mot du fichier = son sens.`,
    kinds: fr`Opérations`,
    kindsHint: (known: string) => fr`Sens : ${known}. Avec + ou − pour un autre sens que d'habitude,
      comme reverse-.`,
    statuses: fr`Résultats`,
    statusesHint: (known: string) => fr`Sens : ${known}.`,
    signs: 'Sens',
    signsHint: fr`Sens : + (l'argent entre) ou - (il sort).`,
    always: fr`Quand aucune colonne ne le dit`,
    alwaysIn: 'Ce qui entre est',
    alwaysOut: 'Ce qui sort est',
    alwaysStatus: fr`Le résultat est`,
    others: 'Autres lignes',
    opening: fr`Début de la ligne du solde d'ouverture`,
    closing: fr`Début de la ligne du solde de clôture`,
    skip: fr`Lignes à laisser de côté`,
    skipHint: '[{"column": "Type", "is": ["TOTAL"]}]',
    mayBeEmpty: fr`Peut être vide :`,
    fees: fr`Frais convenus avec le prestataire`,
    feesHow: fr`Une ligne par opération : opération = points de base + francs, comme
      collect = 100 + 0 pour 1 %. Sans eux, les frais ne sont pas comparés.`,
  },
  en: {
    columns: 'Which column has what',
    columnsHint:
      'The title as it is in the file, or the letter of the column if it has no titles. Leave ' +
      'empty what the file does not have. Without any column a file has to be understood by ' +
      'itself (camt.053, or our own titles).',
    feesHint: 'Several columns: one on each line.',
    untitled: 'The file has no titles',
    separator: 'Separator (CSV)',
    tab: 'Tab',
    itself: 'Found by itself',
    values: 'How values are written',
    dates: 'Form of dates',
    datesHint: 'One on each line, such as dd/MM/yyyy HH:mm:ss; also iso, excel.',
    timeZone: 'Time zone (else that of the country)',
    decimal: 'Before cents stands',
    sign: 'Where the direction comes from',
    signKind: 'From the operation',
    signAmount: 'From the sign of the amount',
    feeSign: 'Sign of fees',
    debitSign: 'Sign of debits',
    isNet: 'Amounts are without the fees already',
    order: 'Order of lines',
    oldest: 'Oldest first',
    newest: 'Newest first',
    wordsTitle: 'What the words of the file say',
    wordsHint: 'A line for each word: the word of the file = its meaning.',
    kinds: 'Operations',
    kindsHint: (known: string) =>
      `Meanings: ${known}. With + or - for another direction than usual, such as reverse-.`,
    statuses: 'Results',
    statusesHint: (known: string) => `Meanings: ${known}.`,
    signs: 'Directions',
    signsHint: 'Meanings: + (money comes in) or - (it goes out).',
    always: 'Where no column tells it',
    alwaysIn: 'What comes in is',
    alwaysOut: 'What goes out is',
    alwaysStatus: 'The result is',
    others: 'Other lines',
    opening: 'Beginning of the line with the opening balance',
    closing: 'Beginning of the line with the closing balance',
    skip: 'Lines to skip',
    skipHint: '[{"column": "Type", "is": ["TOTAL"]}]',
    mayBeEmpty: 'May be empty:',
    fees: 'Fees agreed with the provider',
    feesHow:
      'A line for each operation: operation = basis points + francs, such as collect = 100 + 0 ' +
      'for 1%. Without them fees are not compared.',
  },
})

/** Every field of a mapping, filled in. */
export function mappingFields({ language }: OpsVisit, typed: Typed): Html {
  const say = words[language]
  const { lineKinds: kinds, results } = reconWords[language]
  const value = (name: string) => typed[name] ?? ''
  const text = (name: string, label: string, more: { hint?: string; rows?: number } = {}) =>
    field({ name, label, value: value(name), autocomplete: 'off', ...more })
  const select = (name: string, label: string, options: [string, string][]) =>
    field({ name, label, value: value(name), options: [['', say.itself], ...options] })
  const signs: [string, string][] = [
    ['+', '+'],
    ['-', '−'],
  ]
  const kindOptions = lineKinds.map((one): [string, string] => [one, kinds[one]])
  const resultOptions = lineStatuses.map((one): [string, string] => [one, results[one]])
  const tick = (name: string, label: string) => checkbox(name, label, value(name) === 'yes')
  return html`<fieldset><legend>${say.columns}</legend><p class="hint">${say.columnsHint}</p>
<div class="filters">${columnFields.map((name) =>
    text(
      `columns.${name}`,
      fieldWord(language, name),
      name === 'fees' ? { hint: say.feesHint, rows: 2 } : {},
    ),
  )}</div>
${tick('untitled', say.untitled)}
${select('separator', say.separator, [
  [';', ';'],
  [',', ','],
  ['tab', say.tab],
  ['|', '|'],
])}</fieldset>
<fieldset><legend>${say.values}</legend>
${text('dates', say.dates, { hint: say.datesHint, rows: 2 })}
${text('timeZone', say.timeZone)}
${select('decimal', say.decimal, [
  ['.', '.'],
  [',', ','],
])}
${select('sign', say.sign, [
  ['kind', say.signKind],
  ['amount', say.signAmount],
])}
${select('feeSign', say.feeSign, signs)}
${select('debitSign', say.debitSign, signs)}
${tick('isNet', say.isNet)}
${select('order', say.order, [
  ['oldest_first', say.oldest],
  ['newest_first', say.newest],
])}</fieldset>
<fieldset><legend>${say.wordsTitle}</legend><p class="hint">${say.wordsHint}</p>
${text('kinds', say.kinds, { hint: say.kindsHint(lineKinds.join(', ')), rows: 5 })}
${text('statuses', say.statuses, { hint: say.statusesHint(lineStatuses.join(', ')), rows: 4 })}
${text('signs', say.signs, { hint: say.signsHint, rows: 2 })}</fieldset>
<fieldset><legend>${say.always}</legend>
${select('always.in', say.alwaysIn, kindOptions)}
${select('always.out', say.alwaysOut, kindOptions)}
${select('always.status', say.alwaysStatus, resultOptions)}</fieldset>
<fieldset><legend>${say.others}</legend>
${text('balances.opening', say.opening)}
${text('balances.closing', say.closing)}
${text('skip', say.skip, { hint: say.skipHint, rows: 3 })}
<p>${say.mayBeEmpty}</p>
${(['reference', 'ourReference', 'fees'] as const).map((name) =>
  tick(`empty.${name}`, fieldWord(language, name)),
)}</fieldset>
<fieldset><legend>${say.fees}</legend>
${text('fees', say.fees, { hint: say.feesHow, rows: 3 })}</fieldset>`
}
