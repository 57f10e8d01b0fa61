import { openDb } from '#data/db/db.ts'
import { clockFrom, openMonths } from './months.ts'
import { mortalDb } from './mortal-db.ts'
import { chunksOf } from './statement-maker.ts'

/*
 * A process of its own that imports a file and is killed by the kernel at a commit that it is told:
 * within the database transaction, or after it. Exit code 0: it had come to its end before.
 */

export interface KilledImport {
  url: string
  commit: number
  isWithin: boolean
  approvalAbove: string
  /** What its clock shows. */
  moment: string
  text: string
  order: { provider: string; country: string; name: string; actor: string; from: Date; to: Date }
}

const { url, commit, isWithin, approvalAbove, moment, text, order } = JSON.parse(
  process.env.KILLED_IMPORT ?? '',
)
const db = openDb({ url, connectionsMax: 4, name: 'killed', role: 'passerelle_app' })
const mortal = mortalDb(db)
mortal.meets(isWithin ? 'killed within' : 'killed after', commit)
const [from, to] = [new Date(order.from), new Date(order.to)]
const clock = clockFrom(new Date(moment))
await openMonths(db, { clock, afterwards: clock, approvalAbove })
  .reconOf(mortal.db)
  .import({ ...order, from, to, file: chunksOf(text) })
process.exit(0)
