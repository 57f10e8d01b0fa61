import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../src/config/config.ts'
import { systemClock } from '../src/kit/clock.ts'
import type { MoveStep } from '../src/move/mover.ts'
import { openMoves } from '../src/move/open.ts'
import type { SecretKey } from '../src/sealing/seal.ts'
import { ringOf } from '../src/sealing/seal.ts'
import { withKeptKeys } from '../src/secrets/kept-keys.ts'
import { verifyAll } from '../src/verify/verify.ts'
import type { Answer, Gateway } from './live.ts'
import { call, liveGateway } from './live.ts'
import { assertMoney } from './money.ts'
import { eventually } from './wait.ts'

/** A gateway with a database and a SECRET_KEY of its own. */
export interface Cell extends Gateway {
  secretKey: SecretKey
}

/** What a move needs to know of a cell. */
export type MovingCell = Pick<Cell, 'db' | 'databaseUrl' | 'url' | 'secretKey'>

export const token = 'a-token-of-both-cells-for-the-tests-0001'
const otherKey = Buffer.alloc(32, 21).toString('base64')

/** Two cells with one provider lab: the second one's merchant is of another number. */
export async function twoCells() {
  const source = await openCell({})
  const { url } = source.proxy
  const target = await openCell(
    { SECRET_KEY: otherKey },
    { bind: (one) => ({ ...one, baseUrl: url + new URL(one.baseUrl).pathname }) },
  )
  return { source, target }
}

/** A gateway that clients can move from and to. */
export async function openCell(
  own: Record<string, string>,
  options: Parameters<typeof liveGateway>[0] = {},
): Promise<Cell> {
  const environment = { CELL_TOKEN: token, ...own }
  const gateway = await liveGateway({ environment, ...options })
  const read = readConfig({ MODE: 'sandbox', ...environment })
  return { ...gateway, secretKey: await withKeptKeys(gateway.db, read.secretKey) }
}

interface Moving {
  from: MovingCell
  /** How long a freeze outlasts the command; left out: as always. */
  leaseMs?: number
  to: { url: string }
  clientId: number
  /** Called at each step; what it throws ends the command there. */
  onStep?: (step: MoveStep) => void | Promise<void>
}

/** What a command that is killed needs to know, as JSON; see move-command.ts. */
export interface KilledMove {
  databaseUrl: string
  sealing: string
  publicUrl: string
  to: string
  clientId: number
  name: string
  stopAt: MoveStep
  isResumed: boolean
}

/**
 * The answer of the cell that a client has left. Its processes know a key for half a second, in
 * which what reads is answered; what writes is refused from the first moment on.
 */
export function refusalOfKey(caller: { url: string; secret: string }): Promise<Answer> {
  return eventually('the cell refuses the key', async () => {
    const answer = await call(caller, 'GET /api/v1/api-services/balance')
    return answer.status !== 200 && answer
  })
}

/** The verbs of `passerelle client move` for one client, as the command calls them. */
export function movesOf({ from, to, clientId, onStep, leaseMs }: Moving) {
  const moves = openMoves({
    db: from.db,
    clock: systemClock,
    secretKey: from.secretKey,
    cellToken: token,
    mode: 'sandbox',
    publicUrl: from.url,
    throwIfStopped: () => {},
    report: () => {},
    leaseMs,
    ...(onStep !== undefined && { onStep }),
  })
  const order = async () => {
    const [client] = await from.db<{ name: string }>`
      select name from clients where id = ${clientId}`
    return { clientId, name: client?.name ?? '', actor: 'test' }
  }
  return {
    begin: async () => moves.begin(await order(), to.url),
    resume: async () => moves.resume(await order()),
    undo: async () => moves.undo(await order()),
    find: () => moves.find(clientId),
  }
}

/** Moves a client by a program of its own, which is killed when it reaches a step. */
export async function killAt(
  { from, to, clientId }: Moving,
  stopAt: MoveStep,
  isResumed: boolean,
): Promise<void> {
  const [client] = await from.db<{ name: string }>`
    select name from clients where id = ${clientId}`
  const killed: KilledMove = {
    databaseUrl: from.databaseUrl,
    sealing: ringOf(from.secretKey).sealing.toString('base64'),
    publicUrl: from.url,
    to: to.url,
    clientId,
    name: client?.name ?? '',
    stopAt,
    isResumed,
  }
  const program = new URL('move-command.ts', import.meta.url)
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(killed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [reached] = await Promise.race([once(child.stdout, 'data'), ended])
  child.kill('SIGKILL')
  await ended
  assert.equal(String(reached), stopAt)
}

/** Fails unless both cells are sound, each by itself. */
export async function assertBothSound(...cells: MovingCell[]): Promise<void> {
  for (const { db, secretKey } of cells) {
    await assertMoney({ db, secretKey })
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
  }
}
