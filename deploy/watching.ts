import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

export const rulesPath = 'deploy/prometheus/alerts.yaml'

/** Every alert rule. */
export const rules: Rule[] = parse(readFileSync(rulesPath, 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)

export const ruleQueries = () => rules.map(({ expr }) => expr)

interface Panel {
  targets?: { expr: string }[]
}

/** Every query of the Grafana dashboard, as Prometheus gets it. */
export function dashboardQueries(): string[] {
  const text = readFileSync('deploy/grafana/dashboards/passerelle.json', 'utf8')
  const { panels }: { panels: Panel[] } = JSON.parse(text)
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$__rate_interval', '1m'))
}

/** The metrics that rules name, and those of the dashboard, without the suffixes of histograms. */
export function namedMetrics(queries = [...ruleQueries(), ...dashboardQueries()]): string[] {
  const text = queries.join('\n')
  const names = [...text.matchAll(/\b(?:passerelle|process|nodejs)_[a-z0-9_]+\b/g)]
  return [...new Set(names.map(([name]) => name.replace(/_(bucket|sum|count)$/, '')))].sort()
}
