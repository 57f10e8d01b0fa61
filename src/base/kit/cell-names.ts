/**
 * A cell is a whole gateway with its own database, which holds some of the merchants. Its name is
 * part of the keys and addresses that it hands out (docs/cells.md).
 */
export const cellNamePattern = '[a-z][a-z0-9]{0,11}'

const cellName = new RegExp(`^${cellNamePattern}$`)
// Without a cell's name exactly 43 characters follow the mode, with one more than that.
const namedSecret = new RegExp(`^sk_(?:live|sandbox)_(${cellNamePattern})_[\\w-]{43}$`)
const namedPath = new RegExp(`^/cells/(${cellNamePattern})(?=[/?]|$)`)

export function isCellName(text: string): boolean {
  return cellName.test(text)
}

/** The cell that handed out a secret; undefined if it names none. */
export function cellOfSecret(secret: string): string | undefined {
  return namedSecret.exec(secret)?.[1]
}

/** The cell that a request's path names. */
export function cellOfPath(url: string): string | undefined {
  return namedPath.exec(url)?.[1]
}

/** A request's path without the cell that it may name. */
export function withoutCell(url: string): string {
  const [named] = namedPath.exec(url) ?? []
  if (named === undefined) return url
  const rest = url.slice(named.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The address of everything that one cell alone answers; without a cell the public one. */
export function addressOfCell(publicUrl: string, cell: string | null): string {
  return cell === null ? publicUrl : `${publicUrl}/cells/${cell}`
}
