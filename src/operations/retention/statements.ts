import type { Case, Side } from '#backoffice/recon/cases/case.ts'
import {
  lockCases,
  lockLines,
  readNextCases,
  readNextLines,
  replaceDetails,
  replaceLineNumbers,
} from '#backoffice/recon/import/forget-store.ts'
import { identityWith, pseudonymIn } from '#backoffice/recon/import/identities.ts'
import { firstIdAt } from '#base/kit/ids.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Walk } from './rule.ts'

const firstId = '00000000-0000-0000-0000-000000000000'
// Statements and their differences are those of the gateway, whoever's payments they are about.
const noClient = 0

/** The numbers of lines of statements, a line at a time: the key of a line is its place. */
export function lineWalk(pseudonymOf: PseudonymOf): Walk {
  return {
    start: `${firstId} 0`,
    next: async (tx, { clientId, reached, before, limit }) => {
      if (clientId !== noClient) return []
      const range = { below: firstIdAt(before), limit }
      return (await readNextLines(tx, lineAt(reached), range)).map(placeOf)
    },
    forget: async (tx, _clientId, places) => {
      const lines = await lockLines(tx, places.map(lineAt))
      const changed = lines.flatMap((one) => {
        const phone = pseudonymIn(one.phone, pseudonymOf)
        if (one.isNeeded || phone === one.phone) return []
        return [{ ...one, phone, identity: identityWith(one, phone) }]
      })
      await replaceLineNumbers(tx, changed)
      return { count: changed.length, left: lines.filter((one) => one.isNeeded).map(placeOf) }
    },
  }
}

function placeOf({ statementId, line }: { statementId: string; line: number }): string {
  return `${statementId} ${line}`
}

function lineAt(place: string): { statementId: string; line: number } {
  const [statementId = firstId, line = '0'] = place.split(' ')
  return { statementId, line: Number(line) }
}

/** The numbers in what both sides say of differences that are closed. */
export function caseWalk(pseudonymOf: PseudonymOf): Walk {
  return {
    start: firstId,
    next: async (tx, { clientId, reached: after, before, limit }) =>
      clientId === noClient ? readNextCases(tx, { after, below: firstIdAt(before), limit }) : [],
    forget: async (tx, _clientId, places) => {
      const cases = await lockCases(tx, places)
      const closed = cases.filter(({ state }) => state === 'closed')
      const changed = closed.flatMap(({ id, details }) => {
        const forgotten = withoutNumbers(details, pseudonymOf)
        return JSON.stringify(forgotten) === JSON.stringify(details)
          ? []
          : [{ id, details: forgotten }]
      })
      await replaceDetails(tx, changed)
      const left = cases.filter(({ state }) => state !== 'closed').map(({ id }) => id)
      return { count: changed.length, left }
    },
  }
}

function withoutNumbers(details: Case['details'], pseudonymOf: PseudonymOf): Case['details'] {
  const sides = (['theirs', 'ours', 'earlier'] as const).flatMap((name): [string, Side][] => {
    const side = details[name]
    const phone = side?.phone
    return typeof phone === 'string'
      ? [[name, { ...side, phone: pseudonymIn(phone, pseudonymOf) }]]
      : []
  })
  return { ...details, ...Object.fromEntries(sides) }
}
