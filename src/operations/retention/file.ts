import type { Language } from '#base/kit/language.ts'
import { fr } from '#base/kit/texts.ts'
import type { OutputColumn, OutputTable, Value } from '#formats/tables/output.ts'
import type { Found } from './numbers.ts'
import type { Trace, TraceState } from './trace.ts'

/** What a number took part in, as people read it. */
export const traceWords: Record<
  Language,
  { tables: Record<Trace['table'], string>; states: Record<TraceState, string> }
> = {
  fr: {
    tables: {
      transactions: 'Transaction',
      events: fr`Événement`,
      links: fr`Lien de paiement`,
      mails: 'E-mail',
      delivery_attempts: fr`Réponse à un webhook`,
      batch_lines: fr`Ligne d'un paiement groupé`,
      statement_lines: fr`Ligne d'un relevé`,
      recon_cases: fr`Écart`,
      blocked_numbers: 'Blocage',
    },
    states: {
      plain: fr`peut être oublié`,
      open: fr`encore en cours`,
      forgotten: fr`déjà oublié`,
      kept: fr`gardé`,
    },
  },
  en: {
    tables: {
      transactions: 'Transaction',
      events: 'Event',
      links: 'Payment link',
      mails: 'Email',
      delivery_attempts: 'Answer to a webhook',
      batch_lines: 'Line of a batch',
      statement_lines: 'Line of a statement',
      recon_cases: 'Difference',
      blocked_numbers: 'Block',
    },
    states: {
      plain: 'can be forgotten',
      open: 'still open',
      forgotten: 'forgotten already',
      kept: 'kept',
    },
  },
}

const words = {
  fr: {
    title: fr`Opérations d'un numéro`,
    columns: [
      'Quoi',
      'Identifiant',
      'Marchand',
      'Service',
      'Montant',
      'Statut',
      'Moment (UTC)',
      fr`Numéro`,
    ],
    end: (rows: number) => fr`Nombre de lignes : ${rows}`,
  },
  en: {
    title: 'What a number took part in',
    columns: ['What', 'Id', 'Merchant', 'Service', 'Amount', 'Status', 'Moment (UTC)', 'Number'],
    end: (rows: number) => `Number of rows: ${rows}`,
  },
}

const kinds: OutputColumn['kind'][] = [
  'text',
  'text',
  'text',
  'text',
  'money',
  'text',
  'moment',
  'text',
]

/** A file of what a number took part in; the last row tells how many there are. */
export function fileOf({ traces }: Found, language: Language): OutputTable {
  const { title, columns, end } = words[language]
  const { tables, states } = traceWords[language]
  const rows = traces.map(
    ({ table, id, merchant, serviceCode, amount, status, at, state }): Value[] => [
      tables[table],
      id,
      merchant,
      serviceCode,
      amount,
      status,
      at,
      states[state],
    ],
  )
  return {
    title,
    columns: columns.map((name, index) => ({
      title: name,
      kind: kinds[index] ?? 'text',
      width: 20,
    })),
    rows: [...rows, [end(rows.length)]],
  }
}
