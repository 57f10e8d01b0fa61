import type { Reason } from '#base/kit/refusal.ts'

// What sentences name as a state: of batches, of what is to be approved and of differences.
const states: Record<string, string> = {
  draft: 'brouillon',
  proposed: 'à approuver',
  approved: 'approuvé',
  running: 'en cours',
  paused: 'en pause',
  finished: 'terminé',
  refused: 'refusé',
  cancelled: 'annulé',
  expired: 'expiré',
  open: 'à traiter',
  waiting: 'en attente',
  closed: 'clos',
}

/** The values of a sentence with the French of the states that it names, one or several. */
export function withStatesInFrench(values: Reason['values']): Reason['values'] {
  const named = Object.entries(values).filter(([name]) => name === 'state' || name === 'states')
  const french = named.map(([name, value]) => [name, statesInFrench(String(value))])
  return { ...values, ...Object.fromEntries(french) }
}

function statesInFrench(named: string): string {
  return named.replaceAll(/\w+/g, (state) => states[state] ?? state)
}
