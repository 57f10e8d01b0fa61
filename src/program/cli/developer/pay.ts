import { type Command, InvalidArgumentError } from 'commander'
import { monotonicMs, systemClock } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { exitCodes } from '../exit.ts'
import { durationOption, francs, isJson, webAddress, whole, writeOut } from '../terminal.ts'
import { curlOf } from './curl.ts'
import { addReachOptions, type Gateway, maskedKey, openGateway, readReach } from './gateway.ts'
import { confirmByCode } from './one-time-code.ts'
import { ownUrl } from './own-url.ts'
import { showEnd } from './pay-end.ts'
import { describe, makeOrder, type PayOptions, walletRemark } from './pay-order.ts'
import {
  followToEnd,
  type Looked,
  type Order,
  type Patience,
  type Sent,
  sendOrder,
} from './payments.ts'
import { canAsk, openQuestions, type Questions } from './questions.ts'
import { faint, httpText, openScreen, type Screen, statusText, timeOfDay } from './screen.ts'
import { untilStopped } from './until-stopped.ts'

const examples = `
Without options it asks, and Enter takes what is offered. Examples:
  passerelle pay
  passerelle pay --service WALLETA_SN_CASHOUT --number 770000001 --amount 5000
  passerelle pay --yes --json
  passerelle pay --url https://pay.example.com --callback-url https://shop.example/webhooks

Exit codes: 0 paid, 2 failed or cancelled, 3 still open or not known, 1 refused, 130 Ctrl-C.`

interface Options extends PayOptions {
  url?: string
  key?: string
  otp?: string
  timeout: number
  yes: boolean
}

/** `passerelle pay`: makes a payment over the interface of merchants, and follows it to its end. */
export function addPayCommand(program: Command): void {
  const command = program
    .command('pay')
    .description('make a payment as a merchant’s program does, step by step')
    .option('--service <code>', 'such as WALLETA_SN_CASHOUT')
    .option('--number <number>', 'the customer’s, in any usual form')
    .option('--amount <francs>', 'whole francs', whole(1))
    .option('--external-id <id>', 'your own id; one that was used shows that payment again')
    .option('--callback-url <url>', 'where its webhook is sent', webAddress)
    .option('--otp <code>', 'the customer’s one-time code, for wallets that need one', digits)
    .addOption(
      durationOption('--timeout <duration>', 'how long to wait for its final status', '60s'),
    )
    .option('-y, --yes', 'ask nothing: use defaults for what is left out', false)
  addReachOptions(command)
    .addHelpText('after', examples)
    .action(async (options: Options, own: Command) => {
      let started = 'Stopped: nothing was paid.'
      await untilStopped(
        (signal) => payWith(options, isJson(own), signal, (sentence) => (started = sentence)),
        () => started,
      )
    })
}

function digits(text: string): string {
  if (/^\d{4,8}$/.test(text)) return text
  throw new InvalidArgumentError('It must have four to eight digits.')
}

async function payWith(
  options: Options,
  asJson: boolean,
  signal: AbortSignal,
  note: (sentence: string) => void,
): Promise<void> {
  const gateway = openGateway(await readReach(options, ownUrl))
  signal.addEventListener('abort', gateway.close)
  const isAsking = !asJson && !options.yes && canAsk()
  const questions = isAsking ? openQuestions(signal) : null
  const screen = openScreen(asJson)
  try {
    if (questions === null) refuseUnsaid(options, gateway)
    screen.line(faint(`${gateway.url} with the key ${maskedKey(gateway.key)}`))
    const { order, service } = await makeOrder(gateway, options, questions)
    const remark = walletRemark(order.number, service)
    if (remark !== null) screen.line(remark)
    await confirmLive(gateway, questions, `${describe(service)}, ${francs(order.amount)}`)
    note(`Stopped. ${order.externalTransactionId} may have been paid: look it up by that id.`)
    const untilMs = monotonicMs() + options.timeout
    const patience = { untilMs, signal, tell: (sentence: string) => screen.line(sentence) }
    const done = await carryOut({ gateway, order, options, questions, screen, patience, note })
    process.exitCode = exitCodeOf(done.payment)
    if (asJson) writeOut(`${JSON.stringify(done.result, null, 2)}\n`)
  } finally {
    screen.end()
    questions?.close()
    gateway.close()
  }
}

/** Where nobody can be asked, what is left out must be meant. */
function refuseUnsaid(options: Options, { isSandbox }: Gateway): void {
  if (options.yes) return
  const missing = (['service', 'number', 'amount'] as const).filter(
    (name) => options[name] === undefined,
  )
  if (missing.length > 0)
    throw new Problem(
      `Nobody can be asked here: give ${missing.map((name) => `--${name}`).join(', ')}, or --yes ` +
        'for what is usual.',
    )
  if (!isSandbox) throw new Problem('This key is live: give --yes to move real money.')
}

async function confirmLive(
  { isSandbox }: Gateway,
  questions: Questions | null,
  what: string,
): Promise<void> {
  if (isSandbox || questions === null) return
  const isSure = await questions.isYes(`This key is live. Move real money: ${what}?`)
  if (!isSure) throw new Problem('Nothing was paid.')
}

interface Work {
  gateway: Gateway
  order: Order
  options: Options
  questions: Questions | null
  screen: Screen
  patience: Patience
  note: (sentence: string) => void
}

/** Sends the order, answers what the wallet asks, and follows the payment to its end. */
async function carryOut(work: Work): Promise<{ payment: Looked | undefined; result: object }> {
  const { gateway, order, options, questions, screen, patience, note } = work
  const path = '/api/v1/transaction/init'
  showRequest(screen, gateway, path, order)
  const sent = await sendOrder(gateway, order, patience)
  const { transactionId: id, nextStep } = sent.payment
  note(`Stopped. The payment goes on: \`passerelle open ${id}\` shows it.`)
  showAnswer(screen, sent)
  if (nextStep?.type === 'otp') {
    const { otp: code } = options
    const { externalTransactionId: externalId } = order
    await confirmByCode({ gateway, screen, questions, code, payment: sent.payment, externalId })
  }
  const states: { status: string; at: string }[] = []
  const payment = await followToEnd(gateway, id, patience, (status) => {
    const now = systemClock.now()
    states.push({ status, at: now.toISOString() })
    screen.line(`${timeOfDay(now)}  ${statusText(status)}`)
    const awaited = waits[status]
    if (awaited !== undefined) screen.waitFor(awaited)
  })
  showEnd(screen, gateway, payment ?? { transactionId: id })
  const request = { method: 'POST', url: `${gateway.url}${path}`, body: order }
  const { status: httpStatus, body } = sent.answer
  const status = payment?.Status ?? states.at(-1)?.status ?? 'PENDING'
  const answer = { status: httpStatus, body }
  const result = { success: status === 'SUCCESS', status, transaction: payment ?? null }
  return { payment, result: { ...result, states, request, answer } }
}

const waits: Record<string, string> = {
  PENDING: 'Waiting for the customer',
  PROCESSING: 'Waiting for the provider',
}

function showRequest(screen: Screen, gateway: Gateway, path: string, order: Order): void {
  screen.line()
  screen.line(`POST ${gateway.url}${path}`)
  screen.line(JSON.stringify(order, null, 2))
  screen.line()
  screen.line(faint('The same with curl:'))
  for (const line of curlOf(gateway, path, order)) screen.line(faint(`  ${line}`))
  screen.line()
}

function showAnswer(screen: Screen, { answer, payment, isNew, tookMs }: Sent): void {
  screen.line(`${httpText(answer.status)} in ${tookMs} ms`)
  screen.line(JSON.stringify(answer.body, null, 2))
  screen.line()
  if (!isNew) screen.line('This payment was there already: nothing is paid a second time.')
  const { nextStep, cashout_url: page = '' } = payment
  if (nextStep !== undefined) screen.line(nextStep.instruction)
  if (page !== '') screen.line(`  ${page}`)
}

function exitCodeOf(payment: Looked | undefined): number {
  if (payment === undefined) return exitCodes.unknown
  return payment.Status === 'SUCCESS' ? 0 : exitCodes.failed
}
