import type { Maintenance } from '../catalog/maintenance.ts'
import type { Contract } from '../clients/contract.ts'
import type { Mode } from '../kit/config.ts'
import type { Db } from '../kit/db.ts'
import type { Engine } from '../transactions/engine.ts'

/** What endpoints work with. */
export interface Context {
  db: Db
  mode: Mode
  engine: Engine
  maintenance(): Promise<Maintenance>
  contractOf(clientId: number): Promise<Contract>
}
