import type { Approvals } from '#backoffice/approvals/open.ts'
import type { Batches } from '#backoffice/batches/open.ts'
import type { Recon } from '#backoffice/recon/open.ts'
import type { Reports } from '#backoffice/reports/open.ts'
import type { Webhooks } from '#backoffice/webhooks/open.ts'
import type { Config } from '#base/config/config.ts'
import type { Audit } from '#data/db/audit.ts'
import type { Requests } from '#edge/requests/open.ts'
import type { Catalog } from '#merchants/catalog/open.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Mails } from '#merchants/mail/open.ts'
import type { People } from '#merchants/people/open.ts'
import type { SubMerchants } from '#merchants/sub-merchants/open.ts'
import type { Bills } from '#money/bills/open.ts'
import type { Floats } from '#money/float/open.ts'
import type { Ledger } from '#money/ledger/open.ts'
import type { Limits } from '#money/limits/open.ts'
import type { Links } from '#money/links/open.ts'
import type { Providers } from '#money/providers/open.ts'
import type { Pauses } from '#money/providers/pauses.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { Alerts } from '#operations/alerts/open.ts'
import type { Health } from '#operations/health/open.ts'
import type { Numbers } from '#operations/retention/numbers.ts'
import type { Retention } from '#operations/retention/open.ts'
import type { Proofs } from '#operations/verify/open.ts'

/** The opened rooms. */
export interface DashboardContext {
  config: Config
  /** Null: no Alertmanager is known. */
  alerts: Alerts
  approvals: Approvals
  audit: Audit
  batches: Batches
  /** What a sandbox shows of itself; null: live. */
  demo: { keys: string[]; labUrl(): Promise<string> } | null
  bills: Bills
  catalog: Catalog
  clients: Clients
  health: Health
  floats: Floats
  ledger: Ledger
  limits: Limits
  mails: Mails
  pauses: Pauses
  links: Links
  /** Payers' numbers: what each took part in. */
  numbers: Numbers
  people: People
  proofs: Proofs
  providers: Providers
  recon: Recon
  reports: Reports
  requests: Requests
  retention: Retention
  subMerchants: SubMerchants
  transactions: Transactions
  webhooks: Webhooks
}
