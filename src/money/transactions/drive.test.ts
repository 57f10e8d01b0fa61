import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after } from '#base/kit/clock.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { usualCapability } from '#money/providers/capabilities.ts'
import { checkoutSession } from '#money/providers/checkout-session/connector.ts'
import type { Capability, Connector, Outcome } from '#money/providers/contract.ts'
import { newAttempt } from '#test/attempt.ts'
import { applyReports, keyOf, type Rows } from './apply.ts'
import { type DriveContext, drive, requery, send } from './drive.ts'
import { draft } from './intents.ts'
import { ownLeaseMs, type Transaction } from './transaction.ts'

const start = new Date('2026-01-15T10:00:00Z')
const lost: Outcome = { kind: 'unknown', reason: 'lost', reference: null }
const missing: Outcome = { kind: 'not_found' }
const minuteMs = 60_000

/** One payout, its process, and a provider that answers as a test says. */
function world(change: Partial<Transaction>, provider: Partial<Connector>, given: object = {}) {
  const capability: Capability = { ...usualCapability, ...given }
  const service = parseServiceCode('WALLETD_SN_CASHIN') ?? assert.fail()
  const intent = {
    clientId: 1,
    keyId: 'key',
    externalId: 'order',
    service,
    operation: service.operation,
    amount: 5000,
    fee: 100,
    phone: '771234567',
    payeeName: 'Shop',
    billReference: null,
    callbackUrl: '',
    successUrl: '',
    failureUrl: '',
  }
  const row: Transaction = { ...draft(intent, start).transaction, holdId: 'hold', ...change }
  const rows: Rows = new Map([[keyOf(1, row.id), row]])
  const seen = { now: after(start, 2000), submitted: [] as (string | null)[], parked: 0 }
  const connector: Connector = {
    name: 'told',
    capabilities: {},
    submit: async ({ reference }) => {
      seen.submitted.push(reference)
      return { kind: 'accepted', reference }
    },
    query: async () => missing,
    readCallback: () => undefined,
    ...provider,
  }
  const context: DriveContext = {
    clock: { now: () => seen.now },
    bind: async (transaction) => {
      const { reference, attemptId: id } = transaction
      return { connector, capability, attempt: newAttempt(service, 'disburse', { reference, id }) }
    },
    record: async (report) => {
      applyReports(rows, [report], seen.now, new Map())
      return { transaction: { ...row }, conflicts: [] }
    },
    beginAttempt: async () => undefined,
    endUntaken: async () => undefined,
    park: async () => {
      seen.parked += 1
    },
  }
  /** What the sweeper does: claims the row, reads it and takes its step. */
  const sweep = async () => {
    row.dueAt = after(seen.now, ownLeaseMs)
    return drive(context, { ...row })
  }
  const pass = (ms: number) => {
    seen.now = after(seen.now, ms)
  }
  return { row, seen, context, connector, sweep, pass }
}

describe('a process that was suspended past its lease', () => {
  it('does not repeat an order that it has not found', async () => {
    for (const [ms, submitted] of [
      [1000, 1],
      [ownLeaseMs, 0],
    ] as const) {
      const { seen, sweep, connector, pass } = world({ attemptState: 'unknown' }, {})
      connector.query = async () => {
        pass(ms)
        return missing
      }
      await sweep()
      assert.equal(seen.submitted.length, submitted, `${ms}`)
    }
  })

  it('does not repeat an order after it was recorded that it will', async () => {
    const { seen, context, sweep, pass } = world({ attemptState: 'unknown' }, {})
    const { record } = context
    context.record = async (report) => {
      const recorded = await record(report)
      pass(ownLeaseMs)
      return recorded
    }
    await sweep()
    assert.deepEqual(seen.submitted, [])
  })

  it('does not submit what it has prepared, nor what another has prepared and sent', async () => {
    const { row, seen, connector, sweep, pass } = world({}, {})
    let invoices = 0
    connector.prepare = async () => {
      invoices += 1
      const reference = `invoice-${invoices}`
      if (invoices === 1) {
        pass(ownLeaseMs + 1000)
        await sweep()
      }
      return { kind: 'accepted', reference }
    }
    await sweep()
    assert.deepEqual(seen.submitted, ['invoice-2'])
    assert.deepEqual([row.reference, row.attemptState], ['invoice-2', 'taken'])
  })

  it('does not undo what another has sent, when its own preparation fails', async () => {
    for (const failed of [
      { kind: 'not_sent', reason: 'no invoice' },
      { kind: 'declined', cause: 'declined', reason: 'no', reference: null },
    ] as const) {
      const { row, seen, connector, sweep, pass } = world({}, {})
      let calls = 0
      connector.prepare = async () => {
        calls += 1
        if (calls > 1) return { kind: 'accepted', reference: 'invoice' }
        pass(ownLeaseMs + 1000)
        await sweep()
        return failed
      }
      await sweep()
      assert.deepEqual(seen.submitted, ['invoice'])
      assert.deepEqual([row.status, row.attemptState], ['PROCESSING', 'taken'])
    }
  })
})

describe('a refusal', () => {
  const refusals = [
    { kind: 'not_sent', reason: 'no connection' },
    { kind: 'declined', cause: 'balance_low', reason: 'no money', reference: null },
  ] as const
  // What the sweeper learns of the order that it has sent meanwhile, and what is known then.
  const answers = [
    [{ kind: 'accepted', reference: 'r' }, 'taken'],
    [lost, 'unknown'],
  ] as const
  // Whether the provider can be asked, or the order can only be repeated.
  for (const canFindByOurId of [true, false])
    it(`is no proof when another has sent the order too: found ${canFindByOurId}`, async () => {
      for (const refusal of refusals)
        for (const [answer, attemptState] of answers) {
          const { row, connector, context, sweep, pass } = world({}, {}, { canFindByOurId })
          let sent = 0
          connector.submit = async () => {
            sent += 1
            if (sent > 1) return answer
            pass(ownLeaseMs + 1000)
            await sweep()
            return refusal
          }
          await send(context, { ...row })
          assert.deepEqual([sent, row.status, row.attemptState], [2, 'PROCESSING', attemptState])
        }
    })

  it('is proof when nobody else has sent the order', async () => {
    for (const [refusal, known] of [
      [refusals[0], ['PENDING', 'not_sent']],
      [refusals[1], ['FAILED', 'recorded']],
    ] as const) {
      const { row, context } = world({}, { submit: async () => refusal })
      await send(context, { ...row })
      assert.deepEqual([row.status, row.attemptState], known)
    }
  })
})

describe('an order without an invoice', () => {
  it('is prepared again, even after a query that could not find it', async () => {
    const { row, seen, connector, context, sweep } = world({}, {})
    connector.prepare = async () => ({ kind: 'accepted', reference: 'invoice' })
    await requery(context, { ...row })
    assert.equal(row.attemptState, 'unknown')
    await sweep()
    assert.deepEqual(seen.submitted, ['invoice'])
    assert.equal(row.attemptState, 'taken')
  })
})

describe('an answer that an order is not found', () => {
  it('says nothing of what was sent after the question', async () => {
    const { row, seen, connector, context, sweep, pass } = world({ attemptState: 'unknown' }, {})
    connector.submit = async () => lost
    const late: Connector['query'] = async () => {
      connector.query = async () => missing
      await sweep()
      pass(11 * minuteMs)
      return missing
    }
    connector.query = late
    await requery(context, { ...row })
    assert.deepEqual([row.status, row.attemptState], ['PROCESSING', 'unknown'])
    // Asked again now, it is proof.
    pass(11 * minuteMs)
    await requery(context, { ...row })
    assert.equal(row.status, 'FAILED')
    assert.deepEqual(seen.submitted, [])
  })
})

describe('an order that can only be repeated', () => {
  const { reverse } = checkoutSession.capabilities
  for (const [hours, submitted, parked] of [
    [0, 1, 0],
    [22, 1, 0],
    [23, 0, 1],
    [100, 0, 1],
  ] as const)
    it(`${submitted === 1 ? 'is' : 'is not'} repeated after ${hours} hours`, async () => {
      const { seen, sweep, pass } = world({ attemptState: 'unknown' }, {}, reverse)
      pass(hours * 60 * minuteMs)
      await sweep()
      assert.deepEqual([seen.submitted.length, seen.parked], [submitted, parked])
    })
})
