import type { Experiment } from '../experiment.ts'

/** P5: callbacks that do not come from a provider. */
export const forged: Experiment = {
  name: 'forged',
  proves: 'forged callbacks change nothing',
  full: '10,000 forged callbacks for 200 open orders of three protocols',
  run: async (world, size) => {
    const services = ['WALLETA_SN_CASHOUT', 'WALLETF_CI_CASHOUT', 'WALLETB_SN_CASHOUT']
    // The payers of this number never answer: only a callback could end these payments.
    const choices = services.map((service) => ({ service, number: '770000004', weight: 1 }))
    const payments = world.startLoad({ plan: 'payments', rate: 50, seconds: 4, choices })
    await payments.ended
    const { rows: attempts } = await world.db.query<{ clientId: number; id: string }>(
      'select client_id as "clientId", id from attempts',
    )
    const before = await statesOf(world.db)
    const count = size.count(500, 10_000)
    const load = world.startLoad({ plan: 'forged', count, more: { attempts } })
    const { outcome } = await load.ended
    const { taken } = outcome as { taken: number }
    const changed = (await statesOf(world.db)) === before ? 0 : 1
    return [
      { what: 'forged callbacks', value: String(count) },
      { what: 'taken as genuine', value: String(taken), isGood: taken === 0 },
      { what: 'changes of any state', value: String(changed), isGood: changed === 0 },
    ]
  },
}

/** Everything that a callback could change, as one text; polls of the provider are left out. */
async function statesOf(db: { query(text: string): Promise<{ rows: unknown[] }> }) {
  const { rows } = await db.query(`
    select t.id, t.status, t.completed_at, a.balance, h.balance as held,
      (select count(*) from conflicts) as conflicts
    from transactions t
    join ledger_accounts a on a.client_id = t.client_id and a.kind = 'available'
    join ledger_accounts h on h.client_id = t.client_id and h.kind = 'held'
    order by t.id`)
  return JSON.stringify(rows)
}
