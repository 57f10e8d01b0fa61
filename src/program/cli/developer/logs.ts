import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { loadDeveloperSettings } from '#base/config/developer.ts'
import { Problem } from '#base/kit/problem.ts'
import type { KeptRequest } from '#edge/requests/store.ts'
import { demoKey } from '#program/sandbox/demo-keys.ts'
import { onDatabase, type Session } from '../session.ts'
import { isJson, whole, writeOut } from '../terminal.ts'
import { addReachOptions, maskedKey } from './gateway.ts'
import { ownUrl } from './own-url.ts'
import { faint, httpText, timeOfDay } from './screen.ts'
import { untilStopped } from './until-stopped.ts'

const examples = `
Examples:
  passerelle logs
  passerelle logs --follow --status 4xx
  passerelle logs --path /transaction/init --limit 100 --json
  passerelle logs --client 'Chez Awa' --follow

It reads the database of this installation, as commands of operators do; with the --url of another
gateway it tells where the log is there.`

interface Options {
  client?: string
  key?: string
  url?: string
  follow: boolean
  status?: StatusRange
  path?: string
  limit: number
}

/** `passerelle logs`: the requests of a merchant, newest at the end. */
export function addLogsCommand(program: Command): void {
  const command = program
    .command('logs')
    .description('show the requests of a merchant’s programs, newest last')
    .option('-f, --follow', 'keep showing new ones', false)
    .option('--status <status>', 'only these: 404, 4xx or errors', readStatus)
    .option('--path <text>', 'only those with this text in their path')
    .option('--limit <count>', 'at most this many past ones', whole(0), 20)
    .option('--client <client>', 'whose; default: those of the key’s merchant')
  addReachOptions(command)
    .addHelpText('after', examples)
    .action(async (options: Options, own: Command) => {
      if (options.url !== undefined && options.url !== (await ownUrl()))
        throw elsewhere(options.url)
      const write = isJson(own) ? asJson : asLine
      const show = (requests: KeptRequest[]) => {
        for (const one of requests) writeOut(`${write(one)}\n`)
      }
      await untilStopped(
        (signal) => onDatabase((session) => showLog(session, options, show, signal)),
        () => 'Stopped.',
      )
    })
}

/** No key reads the log over HTTP: it tells of the requests of all keys. */
function elsewhere(url: string): Problem {
  return new Problem(
    `The log of ${url} is in its dashboard, at ${url}/dashboard/developers/requests: ` +
      'this command reads the database of this installation.',
  )
}

type StatusRange = { min: number; max: number }

function readStatus(text: string): StatusRange {
  if (text === 'errors') return { min: 400, max: 599 }
  const [, digit, rest = ''] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? []
  if (digit === undefined)
    throw new InvalidArgumentError('It must be a status such as 404, or 4xx, or errors.')
  const isClass = rest.toLowerCase() === 'xx'
  const min = Number(digit + (isClass ? '00' : rest))
  return { min, max: isClass ? min + 99 : min }
}

const pollMs = 500
// Ids have the time when a request began, and its row comes when it has ended and up to a second
// later. Those that take longer, such as streams, are not followed.
const lookBackMs = 30_000
const rowsInOneLook = 5000

async function showLog(
  session: Session,
  options: Options,
  show: (requests: KeptRequest[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { requests } = session
  const clientId = await clientOf(session, options)
  const { status, path } = options
  const group = status !== undefined && status.min >= 400 ? 'failed' : 'all'
  const read = (range: { after?: string; limit: number }) =>
    requests.list({
      clientId,
      group,
      ...range,
      ...(status === undefined ? {} : { statuses: status }),
      ...(path === undefined ? {} : { path }),
    })
  const past = await read({ limit: options.limit })
  show(past.toReversed())
  let shown = new Set(past.map(({ requestId }) => requestId))
  // With --limit 0 and the like, older requests of the window are no news.
  let seenBefore = options.follow ? requests.firstId(0) : ''
  while (options.follow) {
    await sleep(pollMs, undefined, { signal })
    const from = requests.firstId(lookBackMs)
    const recent = await read({ after: from, limit: rowsInOneLook })
    const news = recent.filter(({ requestId: id }) => !shown.has(id) && id >= seenBefore)
    show(news.toReversed())
    shown = new Set(recent.map(({ requestId }) => requestId))
    if (from > seenBefore) seenBefore = from
  }
}

/** The client that --client names, or that the key belongs to. */
async function clientOf({ clients }: Session, options: Options): Promise<number> {
  if (options.client !== undefined) return clients.idOf(options.client)
  const key = options.key ?? loadDeveloperSettings().key ?? demoKey
  const caller = await clients.authenticate(key)
  if (caller !== undefined) return caller.clientId
  throw new Problem(
    `This installation does not know the key ${maskedKey(key)}: give --key or --client. The log ` +
      'of a gateway elsewhere is in its dashboard, under Developers.',
  )
}

function asJson(request: KeptRequest): string {
  return JSON.stringify(request)
}

function asLine(request: KeptRequest): string {
  const { at, status, method, path, durationMs, requestId, code, messages } = request
  const wrong = code === null ? '' : `  ${code}: ${(messages ?? '').replaceAll('\n', '; ')}`
  const day = at.toISOString().slice(0, 10)
  const when = `${day} ${timeOfDay(at)}`
  const took = `${durationMs} ms`.padStart(8)
  const what = `${method.padEnd(6)} ${path}`
  return `${faint(when)}  ${httpText(status)} ${took}  ${what}  ${faint(requestId)}${wrong}`
}
