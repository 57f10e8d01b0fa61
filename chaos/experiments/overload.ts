import { runProxy } from '#test/haproxy.ts'
import { missing } from '#test/needs.ts'
import type { Experiment, Finding } from '../experiment.ts'
import { quantile } from '../figures.ts'
import { type Latency, latencies } from '../latencies.ts'
import type { Load } from '../load.ts'
import { openProcessorShare, whyNoProcessorShare } from '../processor-share.ts'
import { untilQuiet } from '../quiet.ts'
import type { World } from '../world.ts'

// At the first, refusals must come in time; at the second there may not be enough time for them.
const factors = { refusedInTime: 2, largest: 4 }
// So little that load clients on the same machine are faster than four gateways.
const processorShare = 0.6
// Enough callers that the gateway is never idle, and together more connections than the proxy hands
// on and the gateway serves at once: else requests would wait in the client.
const callers = 200
// From so many addresses: the proxy allows each 500 connections.
const addresses = 12
const connections = 200
const refusedMsMax = 2000
const warmUpSeconds = 15

/** O8: twice and four times as many requests as the gateway can serve, behind the shipped proxy. */
export const overload: Experiment = {
  name: 'overload',
  proves: 'beyond its capacity the gateway does 80 % of its best, and refuses the rest',
  full: '30 s at the peak of a closed loop, 60 s open loop at twice and at four times that',
  world: { gateways: 1 },
  isImpossible: async () => missing('haproxy') || (await whyNoProcessorShare()),
  prepare: async (options) => {
    const { prefix, close } = await openProcessorShare(processorShare)
    options.gatewayOptions = { prefix }
    return close
  },
  run: async (world, size) => {
    const choices = [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }]
    const served = world.gateways.map(({ url }) => new URL(url).host)
    const proxy = await runProxy([{ cell: null, servers: served }])
    world.onClose(proxy.stop)
    const through = {
      gatewayUrls: Array.from({ length: addresses }, () => proxy.url),
      choices,
      more: { connections, isFromManyAddresses: true },
    }
    const closedLoop = (seconds: number) => [
      world.startLoad({ plan: 'closed-loop', seconds, count: callers, ...through }),
    ]
    // From two processes: one would be busier than the gateway.
    const openLoop = (rate: number, seconds: number) =>
      [1, 2].map(() => world.startLoad({ plan: 'open-loop', rate: rate / 2, seconds, ...through }))
    let clients = 0
    const finish = async (loads: Load[]) => {
      await Promise.all(loads.map((load) => load.ended))
      await untilQuiet(world)
      const answers = await Promise.all(
        loads.map((_, index) => latencies(world.folder, clients + index + 1)),
      )
      clients += loads.length
      return measured(world, answers.flat())
    }
    world.say('the peak')
    await finish(closedLoop(warmUpSeconds))
    let { goodput: peak } = await finish(closedLoop(size.seconds(10, 30)))
    // Callers who wait for answers may leave it idle: more is asked until no more comes.
    for (let steps = 1; steps <= 5; steps += 1) {
      const { goodput } = await finish(openLoop(Math.round(peak * 1.5), size.seconds(10, 30)))
      const isMore = goodput > peak * 1.1
      peak = Math.max(peak, goodput)
      if (!isMore) break
    }
    const seconds = size.seconds(15, 60)
    const findings: Finding[] = [{ what: 'peak', value: `${peak.toFixed(0)} payments a second` }]
    for (const factor of Object.values(factors)) {
      world.say(`${factor} times the peak`)
      const phase = await finish(openLoop(Math.round(peak * factor), seconds))
      findings.push(...judged(phase, { factor, peak, seconds }))
    }
    return findings
  },
}

interface Phase {
  answers: Latency[]
  /** From the first request to the last. */
  sentInMs: number
  /** Payments a second that ended while requests were sent. */
  goodput: number
}

/** Counts payments that ended: under load a process may acknowledge now and do the rest later. */
async function measured({ db }: World, answers: Latency[]): Promise<Phase> {
  const sent = answers.map(({ sentMs }) => sentMs).toSorted((one, other) => one - other)
  const [firstMs = 0, lastMs = 0] = [sent[0], sent.at(-1)]
  const { rows } = await db.query<{ ended: number }>(
    'select count(*)::integer as ended from transactions where completed_at between $1 and $2',
    [new Date(firstMs), new Date(lastMs)],
  )
  const sentInMs = lastMs - firstMs
  return { answers, sentInMs, goodput: ((rows[0]?.ended ?? 0) * 1000) / sentInMs }
}

function judged(
  { answers, sentInMs, goodput }: Phase,
  { factor, peak, seconds }: { factor: number; peak: number; seconds: number },
): Finding[] {
  const lateMs = sentInMs - seconds * 1000
  const refused = answers.filter(({ status }) => status === 503)
  const refusedMs = quantile(
    refused.map(({ tookMs }) => tookMs),
    0.99,
  )
  const odd = answers.filter(({ status }) => status !== 201 && status !== 503)
  const isInTime = factor > factors.refusedInTime || refusedMs <= refusedMsMax
  return [
    {
      what: `at ${factor} times the peak`,
      value: `${goodput.toFixed(0)} payments a second, ${((100 * goodput) / peak).toFixed(0)} %`,
      isGood: goodput >= 0.8 * peak,
    },
    {
      what: 'the last was sent too late by',
      value: `${Math.max(0, lateMs)} ms`,
      isGood: lateMs < 0.2 * seconds * 1000,
    },
    {
      what: 'refused with 503',
      value: `${refused.length}, p99 after ${refusedMs} ms`,
      isGood: refused.length > 0 && isInTime,
    },
    {
      what: 'other answers, or none',
      value: `${odd.length} of ${answers.length}`,
      isGood: odd.length === 0,
    },
  ]
}
