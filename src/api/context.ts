import type { PayBill } from '../bills/pay.ts'
import type { Maintenance } from '../catalog/maintenance.ts'
import type { Contract } from '../clients/contract.ts'
import type { Mode } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import type { Links } from '../links/open.ts'
import type { SubMerchantBook } from '../sub-merchants/book.ts'
import type { Engine } from '../transactions/open.ts'

/** What endpoints work with. */
export interface Context {
  db: Db
  mode: Mode
  engine: Engine
  payBill: PayBill
  links: Links
  feed: EventFeed
  maintenance(): Promise<Maintenance>
  contractOf(clientId: number): Promise<Contract>
  subMerchants: SubMerchantBook
}

/** Something that merchants are told, as the feed hands it out. */
export interface FeedEvent {
  id: string
  position: number
  body: string
  createdAt: Date
}

/** The events of a client: read, followed, sent once more. */
export interface EventFeed {
  read(clientId: number, afterPosition: number, limit: number): Promise<FeedEvent[]>
  follow(clientId: number, afterPosition: number, signal: AbortSignal): AsyncIterable<FeedEvent>
  replay(clientId: number, eventId: string): Promise<void>
}
