import type { Alerts } from '../alerts/open.ts'
import type { Approvals } from '../approvals/open.ts'
import type { Batches } from '../batches/open.ts'
import type { Bills } from '../bills/open.ts'
import type { Catalog } from '../catalog/open.ts'
import type { Clients } from '../clients/open.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import type { Health } from '../health/open.ts'
import type { Clock } from '../kit/clock.ts'
import type { Ledger } from '../ledger/open.ts'
import type { Links } from '../links/open.ts'
import type { People } from '../people/open.ts'
import type { Providers } from '../providers/open.ts'
import type { Recon } from '../recon/open.ts'
import type { Reports } from '../reports/open.ts'
import type { Retention } from '../retention/open.ts'
import type { SubMerchants } from '../sub-merchants/open.ts'
import type { Transactions } from '../transactions/open.ts'
import type { Proofs } from '../verify/open.ts'
import type { Webhooks } from '../webhooks/open.ts'

/** The opened rooms, and what reading through the stores of rooms needs. */
export interface DashboardContext {
  config: Config
  db: Db
  clock: Clock
  /** Null: no Alertmanager is known. */
  alerts: Alerts
  approvals: Approvals
  batches: Batches
  /** What a sandbox shows of itself; null: live. */
  demo: { keys: string[]; labUrl(): Promise<string> } | null
  bills: Bills
  catalog: Catalog
  clients: Clients
  health: Health
  ledger: Ledger
  links: Links
  people: People
  proofs: Proofs
  providers: Providers
  recon: Recon
  reports: Reports
  retention: Retention
  subMerchants: SubMerchants
  transactions: Transactions
  webhooks: Webhooks
}
