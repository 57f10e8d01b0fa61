import type { Config } from '#base/config/config.ts'
import { ConfigProblems } from '#base/config/problems.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { type Binding, nameOf, readBindingsFile } from '#money/providers/bindings.ts'
import { openHttpClient } from '#money/providers/http-client.ts'
import { openProviders } from '#money/providers/open.ts'
import { protocolNamed } from '#money/providers/protocols.ts'
import { openAlerts } from '#operations/alerts/open.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { counted } from './terminal.ts'

/** Whether each provider answers, and takes the credentials: it is asked what it holds for us. */
export async function checkProviders({ providersFile, mode }: Config): Promise<Finding[]> {
  let bindings: Binding[]
  try {
    bindings = providersFile === null ? [] : await readBindingsFile(providersFile)
  } catch (wrong) {
    if (wrong instanceof ConfigProblems) return wrong.problems.map(problem)
    return [problem((wrong as Error).message)]
  }
  if (bindings.length === 0)
    return mode === 'live' ? [warning('PROVIDERS_FILE names no provider: nothing can be paid')] : []
  const providers = openProviders({ bindings, log: openLog('silent') })
  try {
    return await Promise.all(
      bindings.map(async (binding) => {
        const told = await providers.find(binding)?.connector.readBalance?.()
        if (told === undefined) return probe(binding)
        const name = nameOf(binding)
        return told.kind === 'told'
          ? ok(`${name} answers, and holds ${told.amount} francs for us`)
          : problem(`${name} at ${binding.baseUrl} does not tell its balance: ${told.reason}`)
      }),
    )
  } finally {
    providers.close()
  }
}

const deadlineMs = 5000

/** Of a protocol that tells no balance, only whether somebody answers at the address. */
async function probe(binding: Binding): Promise<Finding> {
  const { baseUrl, connector } = binding
  const name = nameOf(binding)
  const client = openHttpClient(baseUrl, 1)
  const path = protocolNamed(connector)?.probePath ?? '/'
  const reply = await client.call({ method: 'GET', path, deadlineMs })
  client.close()
  if (reply.kind === 'answered' && reply.status < 500)
    return ok(`${name} answers; its protocol has nothing that would try the credentials`)
  const why = reply.kind === 'answered' ? `HTTP ${reply.status}` : reply.reason
  return problem(`${name} at ${baseUrl} does not answer: ${why}`)
}

/** Whether somebody would be told of an outage. */
export async function checkAlerts({
  alertmanagerUrl,
  publicUrl,
  mode,
}: Config): Promise<Finding[]> {
  const alerts = openAlerts({ url: alertmanagerUrl, clock, publicUrl: () => publicUrl })
  if (alerts === null)
    return mode === 'live'
      ? [warning('ALERTMANAGER_URL is not set: nobody is told of an outage')]
      : []
  const asked = await alerts.firing()
  return asked.isAnswered
    ? [ok(`Alertmanager answers: ${counted(asked.value.length, 'alert')} now`)]
    : [problem(`ALERTMANAGER_URL cannot be used: ${asked.why}`)]
}
