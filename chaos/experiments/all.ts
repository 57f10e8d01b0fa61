import type { Experiment } from '../experiment.ts'
import { neighbour, stranger } from './attacks.ts'
import { clock } from './clock.ts'
import { diskFull, freeze, networkCut, powerCut } from './database.ts'
import { failover } from './failover.ts'
import { forged } from './forged.ts'
import { frozenGateway } from './frozen-gateway.ts'
import { kills } from './kills.ts'
import { restarts } from './operations.ts'
import { overload } from './overload.ts'
import { callbacks, faults, hanging } from './providers.ts'
import { debits, duplicates, endings, refunds } from './races.ts'
import { upgrade } from './upgrade.ts'
import { deliveries, hostile, neighbours } from './webhooks.ts'

/** Every experiment of the campaign, in the order in which they are run. */
export const experiments: Experiment[] = [
  duplicates,
  debits,
  refunds,
  endings,
  kills,
  faults,
  callbacks,
  forged,
  hanging,
  deliveries,
  neighbours,
  hostile,
  restarts,
  overload,
  freeze,
  frozenGateway,
  stranger,
  neighbour,
  diskFull,
  networkCut,
  powerCut,
  clock,
  failover,
  upgrade,
]
