import type { OtherCell } from '../../cells/other-cells.ts'
import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'
import { fr } from '../../pages/typography.ts'
import { label } from '../frame/components.ts'
import type { Column } from '../frame/table.ts'
import { table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { inBoth } from '../frame/words.ts'
import { levelLabel } from './health-parts.ts'
import { healthWords } from './health-words.ts'

const words = inBoth({
  fr: {
    cells: 'Les autres cellules',
    cell: 'Cellule',
    unreachable: fr`Ne répond pas`,
    open: 'Adresse',
  },
  en: { cells: 'The other cells', cell: 'Cell', unreachable: 'No answer', open: 'Address' },
})

/** Cells that were asked over their own interfaces; nothing where there are none. */
export function otherCellsCard(visit: OpsVisit, cells: OtherCell[]): Html | false {
  if (cells.length === 0) return false
  const { cells: caption, cell, unreachable, open } = words[visit.language]
  const say = healthWords[visit.language]
  const part = (name: keyof NonNullable<OtherCell['state']>): Column<OtherCell> => ({
    name: say[name],
    cell: ({ state }) => {
      if (state !== null) return levelLabel(visit, state[name])
      // Once for each cell.
      return name === 'gateway' && label('bad', unreachable, 'M6 6l12 12M18 6 6 18')
    },
  })
  const columns: Column<OtherCell>[] = [
    { name: cell, isTitle: true, cell: ({ name }) => name },
    ...(['gateway', 'providers', 'merchants'] as const).map(part),
    { name: open, cell: ({ url }) => html`<bdi>${url}</bdi>` },
  ]
  const rows = table(cells, columns, { caption })
  return html`<section class="card"><h2>${caption}</h2>${rows}</section>`
}
