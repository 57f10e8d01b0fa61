import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { parse } from 'yaml'
import { rules } from '../deploy/watching.ts'
import { freePort } from './listen.ts'
import { dataFolder } from './program.ts'
import { eventually } from './wait.ts'

type Labels = Record<string, string>

/** A Prometheus that scrapes every second and evaluates our rules, without their waiting times. */
export async function startPrometheus(targets: string[], alertmanagers: string[] = []) {
  const folder = await dataFolder()
  const hostsOf = (urls: string[]) => urls.map((url) => new URL(url).host)
  const now = rules.map(({ for: _for, ...rule }) => rule)
  await mkdir(join(folder, 'data'))
  await writeFile(
    join(folder, 'rules.yaml'),
    JSON.stringify({ groups: [{ name: 'all', interval: '1s', rules: now }] }),
  )
  const { url, stop } = await startProgram('prometheus', folder, {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [{ job_name: 'passerelle', static_configs: [{ targets: hostsOf(targets) }] }],
    alerting: {
      alertmanagers: [{ static_configs: [{ targets: hostsOf(alertmanagers) }] }],
    },
  })
  return {
    stop,
    /** The names of the alerts that fire, in order; undefined while not all targets were read. */
    firing: async (): Promise<string[] | undefined> => {
      const ask = async (query: string) => {
        const address = `${url}/api/v1/query?query=${encodeURIComponent(query)}`
        const answer = await fetch(address).then(
          (one) => (one.ok ? one.json() : undefined),
          () => undefined,
        )
        const { data } = (answer ?? {}) as { data?: { result: { metric: Labels }[] } }
        return (data?.result ?? []).map(({ metric }) => metric)
      }
      const known = await ask('up{job="passerelle"}')
      if (known.length < targets.length) return undefined
      const alerts = await ask('count by (alertname) (ALERTS{alertstate="firing"})')
      return alerts.map(({ alertname = '' }) => alertname).sort()
    },
  }
}

export const configuration = 'deploy/alertmanager/alertmanager.yaml'

/**
 * An Alertmanager with the configuration of deploy: its mail and webhook go to these, and its waits
 * are a second. Its quiet hours are all day, or never.
 */
export async function startAlertmanager(to: { mail: string; webhook: string; isQuiet: boolean }) {
  const folder = await dataFolder()
  await mkdir(join(folder, 'data'))
  const config = parse(await readFile(configuration, 'utf8'))
  Object.assign(config.global, { smtp_smarthost: to.mail, smtp_require_tls: false })
  config.receivers[0].webhook_configs[0].url = to.webhook
  Object.assign(config.route, { group_wait: '1s', group_interval: '1s' })
  const times = [{ start_time: '00:00', end_time: to.isQuiet ? '24:00' : '00:01' }]
  const quiet = to.isQuiet ? { times } : { times, years: ['2000'] }
  config.time_intervals[0].time_intervals = [quiet]
  const { url, stop } = await startProgram('prometheus-alertmanager', folder, config)
  await eventually('Alertmanager is ready', () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return { url, stop }
}

async function startProgram(program: string, folder: string, config: object) {
  const port = await freePort()
  const file = join(folder, 'config.yaml')
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config))
  const data = join(folder, 'data')
  const own =
    program === 'prometheus'
      ? [`--storage.tsdb.path=${data}`, '--rules.alert.resend-delay=1s']
      : [`--storage.path=${data}`, '--cluster.listen-address=']
  const words = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, ...own]
  const child = spawn(program, [...words, '--log.level=error'], { stdio: 'ignore' })
  const stop = () => void child.kill('SIGKILL')
  after(stop)
  return { url: `http://127.0.0.1:${port}`, stop }
}
