import type { Bills } from '../bills/open.ts'
import type { Catalog } from '../catalog/open.ts'
import type { Clients } from '../clients/open.ts'
import type { Ledger } from '../ledger/open.ts'
import type { Links } from '../links/open.ts'
import type { SubMerchants } from '../sub-merchants/open.ts'
import type { Transactions } from '../transactions/open.ts'
import type { Webhooks } from '../webhooks/open.ts'
import type { UrlRules } from '../wire/urls.ts'

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
