import { parseArgs } from 'node:util'
import { isWebAddress } from './fields.ts'
import { startLab } from './server.ts'

/*
 * node lab/main.ts [--port 8081] [--host 127.0.0.1] [--seed 1] [--pace 1] [--webhook-url URL]
 *   [--until-input-closes]
 */
try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8081' },
      host: { type: 'string', default: '127.0.0.1' },
      seed: { type: 'string', default: '1' },
      pace: { type: 'string', default: '1' },
      'webhook-url': { type: 'string' },
      'until-input-closes': { type: 'boolean', default: false },
    },
  })
  const webhookUrl = values['webhook-url']
  if (webhookUrl !== undefined && !isWebAddress(webhookUrl))
    throw new Error(`--webhook-url must be an http address, not "${webhookUrl}".`)
  const lab = await startLab({
    port: numberOf('port', values.port, 0, 65_535),
    host: values.host,
    seed: numberOf('seed', values.seed, 0, 2 ** 31),
    pace: numberOf('pace', values.pace, 0.001, 1000),
    webhookUrl,
    dataFolder: process.env.LAB_DATA || undefined,
  })
  console.log(JSON.stringify({ listening: lab.url }))
  const stop = () => void lab.close().then(() => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  // The gateway that started it holds the other end, which closes however the gateway ends.
  if (values['until-input-closes']) process.stdin.resume().once('close', stop)
} catch (error) {
  console.error(explain(error as NodeJS.ErrnoException))
  process.exitCode = 1
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= least && value <= most) return value
  throw new Error(`--${name} must be a number from ${least} to ${most}, not "${text}".`)
}

function explain(error: NodeJS.ErrnoException & { port?: number }): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${error.port} is taken by another program: choose another one with --port.`
  return error.message
}
