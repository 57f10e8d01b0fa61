import { after } from '#base/kit/clock.ts'
import { lastId } from '#base/kit/ids.ts'
import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Catalog } from '#merchants/catalog/open.ts'
import type { Service } from '#merchants/catalog/services.ts'
import type { TransactionId } from '#money/transactions/transaction.ts'
import { readAttention } from './attention.ts'
import { readDetail } from './detail.ts'
import { readHome } from './figures.ts'
import { eachMovement, listMovements, type MovementRange } from './movements.ts'
import { readHoldings } from './movements-store.ts'
import { readStatement, type Statement } from './statement.ts'
import { startSummaries } from './summarise.ts'
import { readTraffic } from './traffic-store.ts'
import { readTrialBalance } from './trial-balance-store.ts'

interface ReportParts extends DbParts {
  log: Log
  catalog: Catalog
  transactions: { isAvailable(service: Service): boolean }
}

/** How many held amounts are read of a client; so many may be more. */
export const holdingsMax = 1000
const hourMs = 3_600_000

/** What people are shown of a client's money. */
export type Reports = ReturnType<typeof openReports>

/** Opens the room: what people are shown of a client's money, and nothing that moves it. */
export function openReports({ db, clock, log, catalog, transactions }: ReportParts) {
  const { maintenance } = catalog
  const { isAvailable } = transactions
  return {
    /** The figures of the home screen; days are those of the zone. */
    home: (clientId: number, zone: string) => readHome(db, { clientId, zone, now: clock.now() }),
    /** What needs the merchant's attention. */
    attention: (clientId: number) =>
      readAttention({ db, maintenance, isAvailable }, clientId, clock.now()),
    /** Everything about one transaction; undefined: the client has none with this id. */
    detail: (id: TransactionId) => readDetail(db, id),
    /** Movements of the available account, newest first. */
    movements: (clientId: number, range: MovementRange) => listMovements(db, clientId, range),
    /** All movements that a statement adds up, newest first. */
    eachMovement: ({ versions }: Pick<Statement, 'versions'>) => eachMovement(db, versions),
    /** The money that is held now, oldest first, for 1,000 transactions at most. */
    holdings: (clientId: number) => readHoldings(db, clientId, lastId, holdingsMax),
    /** Opening, sums and closing of the available account between two times. */
    statement: (clientId: number, range: { from: Date; to: Date }) =>
      readStatement(db, clientId, range),
    /** The balances of all accounts before a time. */
    trialBalance: (before: Date) => readTrialBalance(db, before),
    /** What ended of these clients in the last 24 hours, the one that runs included. */
    traffic: (clientIds: number[]) => readTraffic(db, clientIds, after(clock.now(), -24 * hourMs)),
    startSummaries: () => startSummaries({ db, clock, log }),
  }
}
