import type { Experiment, Finding } from '../experiment.ts'
import { quantile } from '../figures.ts'
import type { Latency } from '../latencies.ts'
import { latencies } from '../latencies.ts'
import { openProcessorShare, whyNoProcessorShare } from '../processor-share.ts'
import { untilQuiet } from '../quiet.ts'

// Beyond the first there is not enough time to refuse all of the others at once.
const factors = { quick: 2, full: 4 }
// So little that load clients on the same machine are faster than four gateways.
const processorShare = 0.6
// Enough callers that the gateway is never idle, and together more connections than the 4,000 that
// it serves at once: else requests would wait in the client.
const callers = 200
const connections = 2500
const refusedMsMax = 2000
const warmUpSeconds = 15
// What each phase is measured without: until then nothing is paid but by new payments.
const leadSeconds = 3

/** O8: twice and four times as many requests as the gateway can serve. */
export const overload: Experiment = {
  name: 'overload',
  proves: 'beyond its capacity the gateway does 80 % of its best, and refuses the rest',
  full: '30 s at the peak of a closed loop, 60 s open loop at twice and at four times that',
  world: { gateways: 1 },
  isImpossible: whyNoProcessorShare,
  prepare: async (options) => {
    const { prefix, close } = await openProcessorShare(processorShare)
    options.gatewayOptions = { prefix }
    return close
  },
  run: async (world, size) => {
    const choices = [{ service: 'WALLETA_SN_CASHOUT', number: '771234567', weight: 1 }]
    const closed = size.seconds(10, 30)
    const more = { connections }
    const atPeak = (seconds: number) =>
      world.startLoad({ plan: 'closed-loop', seconds, count: callers, choices, more })
    await atPeak(warmUpSeconds).ended
    await untilQuiet(world)
    await atPeak(leadSeconds + closed).ended
    const peak = goodputOf(await latencies(world.folder, 2), closed)
    const seconds = size.seconds(15, 60)
    const findings: Finding[] = [{ what: 'peak', value: `${peak.toFixed(0)} payments a second` }]
    for (const factor of Object.values(factors)) {
      await untilQuiet(world)
      // From two processes: one would be busier than the gateway.
      const rate = Math.round(peak * factor) / 2
      const loads = [1, 2].map(() =>
        world.startLoad({
          plan: 'open-loop',
          rate,
          seconds: leadSeconds + seconds,
          choices,
          more,
        }),
      )
      await Promise.all(loads.map((load) => load.ended))
      const first = factor === factors.quick ? 3 : 5
      const answers = await Promise.all(
        [first, first + 1].map((one) => latencies(world.folder, one)),
      )
      findings.push(...judged(answers.flat(), { factor, peak, seconds }))
    }
    return findings
  },
}

function judged(
  answers: Latency[],
  { factor, peak, seconds }: { factor: number; peak: number; seconds: number },
): Finding[] {
  const goodput = goodputOf(answers, seconds)
  const lateMs = spanOf(answers.map((one) => one.sentMs)) - (leadSeconds + seconds) * 1000
  const refused = answers.filter(({ status }) => status === 503)
  const refusedMs = quantile(
    refused.map(({ tookMs }) => tookMs),
    0.99,
  )
  const odd = answers.filter(({ status }) => status !== 201 && status !== 503)
  const isInTime = factor === factors.full || refusedMs <= refusedMsMax
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

/** Payments that were acknowledged each second, from a moment after the first was sent. */
function goodputOf(answers: Latency[], seconds: number): number {
  const firstMs = answers.reduce((least, { sentMs }) => Math.min(least, sentMs), Infinity)
  const fromMs = firstMs + leadSeconds * 1000
  const answeredMs = answers
    .filter(({ status }) => status === 201)
    .map(({ sentMs, tookMs }) => sentMs + tookMs)
  const untilMs = fromMs + seconds * 1000
  return answeredMs.filter((atMs) => atMs >= fromMs && atMs < untilMs).length / seconds
}

function spanOf(times: number[]): number {
  const sorted = times.toSorted((one, other) => one - other)
  return (sorted.at(-1) ?? 0) - (sorted[0] ?? 0)
}
