import type { FastifyRequest } from 'fastify'
import { cellOfPath } from '#base/kit/cell-names.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The name of this cell; null: there are no cells. */
    cell: string | null
  }
}

/** The other cell that the address of a request names; undefined: it names this one, or none. */
export function otherCellOf(request: FastifyRequest): string | undefined {
  const { cell } = request.server
  const named = cell === null ? undefined : cellOfPath(request.originalUrl)
  return named === cell ? undefined : named
}
