import type { Webhooks } from '#backoffice/webhooks/open.ts'
import type { UrlRules } from '#edge/wire/urls.ts'
import type { Catalog } from '#merchants/catalog/open.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { SubMerchants } from '#merchants/sub-merchants/open.ts'
import type { Bills } from '#money/bills/open.ts'
import type { Ledger } from '#money/ledger/open.ts'
import type { Links } from '#money/links/open.ts'
import type { Transactions } from '#money/transactions/open.ts'

/** The opened rooms, and which addresses merchants may give, as endpoints get them. */
export interface Context extends UrlRules {
  catalog: Catalog
  clients: Clients
  subMerchants: SubMerchants
  ledger: Ledger
  transactions: Transactions
  bills: Bills
  links: Links
  webhooks: Webhooks
}
