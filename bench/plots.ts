import type { Result } from './report.ts'
import { barChart } from './svg.ts'

/** The pictures of a run, by name. */
export function plotsOf(results: Result[]): Record<string, string> {
  const kinds = [...new Set(results.flatMap(({ cpuMsEach }) => Object.keys(cpuMsEach)))]
  const ratios = results.flatMap(({ scenario, ratio }) =>
    ratio === null
      ? []
      : [
          {
            label: scenario,
            parts: [ratio.median],
            range: [ratio.min, ratio.max] as [number, number],
          },
        ],
  )
  return {
    ...(ratios.length === 0
      ? {}
      : {
          ratios: barChart({
            title: 'Rate as a multiple of TPC-B on the same PostgreSQL',
            unit: '',
            series: ['ratio'],
            bars: ratios,
          }),
        }),
    latency: barChart({
      title: 'Time to the answer in milliseconds: p50, and from there to p95 and p99',
      unit: 'ms',
      series: ['p50', 'p95', 'p99'],
      bars: results.map(({ scenario, latency: { p50, p95, p99 } }) => ({
        label: scenario,
        parts: [p50, p95 - p50, p99 - p95],
      })),
    }),
    cpu: barChart({
      title: 'Processor time of each payment or request, in milliseconds',
      unit: 'ms',
      series: kinds,
      bars: results.map(({ scenario, cpuMsEach }) => ({
        label: scenario,
        parts: kinds.map((kind) => cpuMsEach[kind] ?? 0),
      })),
    }),
  }
}
