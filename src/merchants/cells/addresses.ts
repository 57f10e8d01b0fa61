import { cellOfPath } from '#base/kit/cell-names.ts'

/**
 * What is wrong with the addresses of a cell. The public one is that of all cells; that of the
 * payment page names this cell, as /cells/<name>/… or as a part of its host.
 */
export function addressProblems(
  cell: string,
  { publicUrl, payUrl }: { publicUrl: string; payUrl: string },
): string[] {
  const problems: string[] = []
  const named = cellOfPath(new URL(publicUrl).pathname)
  if (named !== undefined)
    problems.push(
      `PUBLIC_URL names the cell ${named} in its path: set it to the address of all cells, ` +
        `to which /cells/${cell} is added`,
    )
  const page = new URL(payUrl)
  const pageCell = cellOfPath(page.pathname)
  const isNamed = pageCell === cell || page.hostname.split('.').includes(cell)
  if (pageCell !== undefined && pageCell !== cell)
    problems.push(`PAY_URL names the cell ${pageCell}, and this is the cell ${cell}`)
  else if (!isNamed)
    problems.push(
      `PAY_URL does not name the cell ${cell}: let its path begin with /cells/${cell}/, or its ` +
        'host have that part',
    )
  return problems
}
