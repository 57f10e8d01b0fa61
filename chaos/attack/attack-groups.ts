import { setTimeout as sleep } from 'node:timers/promises'
import { startTalking } from '../child.ts'
import type { GatewayProcess } from '../gateway-process.ts'
import type { Latency } from '../latencies.ts'
import type { World } from '../world.ts'
import type { Attack } from './flood.ts'
import { halvesOf, sharesOf } from './groups.ts'
import type { HostileFile } from './inputs.ts'
import { attackOf, inputsFor, type Urls } from './search.ts'
import type { Found } from './search-all.ts'
import { judgePhases, type Phase } from './verdict.ts'
import { watch } from './watch.ts'

// Of the forms of one attack: those that lead on count once.
const tokensMax = 20
// Of those before may still be under way.
const settleMs = 1500
const partSeconds = 15

/** What was attacked at once, and what went on meanwhile. */
export interface Attacked {
  phase: Phase
  /** It failed, and its halves were attacked one by one. */
  isSplit: boolean
}

interface Parts {
  gateway: GatewayProcess
  urls: Urls
  files: HostileFile[]
  /** What the payers were answered by now. */
  answers(): Promise<Latency[]>
}

/**
 * Attacks group after group; one that fails is split, until it is known which address it is, or so
 * many parts were attacked.
 */
export async function attackGroups(
  world: World,
  parts: Parts,
  groups: Found[][],
  { seconds, before, partsMax }: { seconds: number; before: Phase; partsMax: number },
): Promise<Attacked[]> {
  const attacked: Attacked[] = []
  const waiting = groups.map((group) => ({ group, lasts: seconds }))
  let partsLeft = partsMax
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { group, lasts } = next
    const name = nameOf(group)
    world.say(`${attacked.length + 1} of ${attacked.length + 1 + waiting.length}: ${name}`)
    const attacks = await attacksOf(group, parts)
    const phase = await watch(parts.gateway, name, () => runFlood(world, attacks, lasts))
    await sleep(settleMs)
    const [verdict] = judgePhases([phase], [before], await parts.answers())
    const isFailed = verdict !== undefined && verdict.faults.length > 0
    const isSplit = isFailed && group.length > 1 && partsLeft > 0
    attacked.push({ phase, isSplit })
    if (!isSplit) continue
    const halves = halvesOf(group)
    partsLeft -= halves.length
    const shorter = Math.min(seconds, partSeconds)
    waiting.unshift(...halves.map((half) => ({ group: half, lasts: shorter })))
  }
  return attacked
}

function nameOf([first, ...rest]: Found[]): string {
  return `${first?.name ?? ''}${rest.length === 0 ? '' : ` and ${rest.length} more`}`
}

async function attacksOf(group: Found[], parts: Parts): Promise<Attack[]> {
  const shares = sharesOf(group)
  const attacks: Attack[] = []
  for (const [index, one] of group.entries()) {
    const attack = await orderOf(one, parts)
    attacks.push({ ...attack, share: shares[index] ?? 1, network: 11 + index })
  }
  return attacks
}

async function orderOf({ party, route, input, hasLedOn }: Found, parts: Parts): Promise<Attack> {
  const { attacker } = await party.again()
  const inputs = inputsFor(attacker, route, { isThorough: true, files: parts.files })
  const wanted = inputs.find(({ name }) => name === input)
  if (wanted === undefined) throw new Error(`there is no input "${input}"`)
  const attack = attackOf(attacker, route, { input: wanted, urls: parts.urls })
  if (hasLedOn && attacker.anotherToken !== undefined)
    for (let count = 1; count < tokensMax; count += 1)
      attack.tokens.push(await attacker.anotherToken())
  return attack
}

export async function runFlood(world: World, attacks: Attack[], seconds: number): Promise<void> {
  const child = startTalking({ name: 'attacker', file: 'attacker.ts' }, { attacks, seconds })
  world.onClose(() => child.end('SIGKILL'))
  if ((await child.next()) === undefined) throw new Error('the attacker ended before its flood')
  await child.ended
}
