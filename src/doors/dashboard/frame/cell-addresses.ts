import { cellOfPath, withoutCell } from '#base/kit/cell-names.ts'
import type { Http } from '#edge/http/http.ts'
import { otherCellOf } from '#edge/http/other-cell.ts'
import { wrongCell } from '#merchants/cells/wrong-cell.ts'
import { cellCookie, setCookie } from './cookies.ts'

const yearSeconds = 365 * 86_400

/**
 * Pages have their addresses without the cell's name, so that all cells have the same. An address
 * with it leads there, and tells the way in by a cookie which cell this browser is shown.
 */
export function addCellAddresses(scope: Http, isHttps: boolean): void {
  if (scope.cell === null) return
  scope.addHook('onRequest', async (request, reply) => {
    const other = otherCellOf(request)
    if (other !== undefined) throw wrongCell(other)
    const { originalUrl, method } = request
    const value = cellOfPath(originalUrl)
    if (value === undefined || method !== 'GET') return
    setCookie(reply, { name: cellCookie, value, seconds: yearSeconds, isHttps })
    return reply.redirect(withoutCell(originalUrl), 303)
  })
}
