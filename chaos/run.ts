import { describeMachine } from '../bench/machine-description.ts'
import { openProgress } from '../bench/progress.ts'
import { killAll, startTalking } from './child.ts'
import { type Experiment, type Finding, sizeOf } from './experiment.ts'
import { experiments } from './experiments/all.ts'
import type { Ruling } from './judge/judge.ts'
import { type Options, readOptions, usage } from './options.ts'
import { untilQuiet } from './quiet.ts'
import { openResult } from './result.ts'
import { findSecrets } from './secrets-scan.ts'
import { openTelling } from './telling.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

// `npm run chaos`: runs experiments one after the other, has each judged, and prints what holds.

const progress = openProgress()

const options = readOptionsOrExit()
// Nothing that was started or written here outlives an interrupted run: what it was doing fails.
let isInterrupted = false
const cleanUpMsMax = 60_000
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true
    killAll()
    setTimeout(() => process.exit(130), cleanUpMsMax).unref()
  })
if (options.isList) list()
else await runAll()

function readOptionsOrExit(): Options {
  try {
    return readOptions(
      process.argv.slice(2),
      experiments.map(({ name }) => name),
    )
  } catch (problem) {
    console.error(`${(problem as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

function list(): void {
  for (const { name, proves, full } of experiments)
    console.log(`${name}\n  ${proves}\n  full size: ${full}`)
}

async function runAll(): Promise<void> {
  const chosen = experiments.filter(
    ({ name }) => options.names.length === 0 || options.names.includes(name),
  )
  let broken = 0
  for (const experiment of chosen) {
    broken += await runOne(experiment).catch(failure)
    if (isInterrupted) return void (process.exitCode = 130)
  }
  console.log(broken === 0 ? 'Everything holds.' : `${broken} things are broken.`)
  if (broken > 0) process.exitCode = 1
}

/** An experiment that could not be run to its end is broken, unless it was interrupted. */
function failure(problem: unknown): number {
  if (!isInterrupted) console.error(problem)
  return 1
}

/** Runs and judges one experiment; returns how much is broken. */
async function runOne(experiment: Experiment): Promise<number> {
  const { name, proves } = experiment
  const impossible = await experiment.isImpossible?.()
  if (impossible !== undefined) {
    console.log(`\n${name}: cannot run here: ${impossible}`)
    return 0
  }
  console.log(`\n${name}: ${proves}`)
  const startedAt = new Date()
  const machine = describeMachine()
  using telling = openTelling(progress, name)
  const { say } = telling
  const settings: WorldOptions = { seed: options.seed, say, ...experiment.world }
  await using prepared = new AsyncDisposableStack()
  const undo = await experiment.prepare?.(settings)
  if (undo !== undefined) prepared.defer(undo)
  const world = await openWorld(settings)
  telling.follow(world)
  say('running')
  let broken = 1
  const result = openResult(world, { name, startedAt, machine, options })
  try {
    const findings = await experiment.run(world, sizeOf(options))
    result.add({ findings })
    await world.startGateways()
    result.add({ left: await untilQuiet(world) })
    say('looking for secrets in logs, metrics and tables')
    findings.push(await findSecrets(world))
    const rulings = await judgeRun(world)
    broken = print(findings, rulings, experiment)
    result.add({ rulings, isJudged: true })
    return broken
  } finally {
    console.log(`Kept as ${result.end()}`)
    const isKept = !isInterrupted && (options.isKept || broken > 0)
    if (isKept) console.log(`Journals and logs are kept in ${world.folder}`)
    await world.close(isKept)
  }
}

async function judgeRun(world: World): Promise<Ruling[]> {
  await world.writeFacts()
  world.say('the judge reads the journals')
  const judge = startTalking({ name: 'judge', file: 'judge/main.ts', args: [world.folder] })
  const rulings = (await judge.next()) as Ruling[] | undefined
  await judge.ended
  if (rulings === undefined) throw new Error('the judge ended without a ruling')
  return rulings
}

function print(findings: Finding[], rulings: Ruling[], { exempt = {} }: Experiment): number {
  for (const { what, value, isGood } of findings)
    console.log(`  ${isGood === false ? 'BROKEN' : '      '} ${what}: ${value}`)
  let broken = findings.filter(({ isGood }) => isGood === false).length
  for (const ruling of rulings) {
    const reason = exempt[ruling.name]
    const isBroken = ruling.broken > 0 && reason === undefined
    if (isBroken) broken += 1
    const mark = isBroken ? 'BROKEN' : '      '
    const count = `checked ${ruling.checked}, broken ${ruling.broken}`
    console.log(`  ${mark} ${ruling.name}: ${ruling.says}: ${count}${reason ? ` (${reason})` : ''}`)
    if (isBroken) for (const example of ruling.examples) console.log(`           ${example}`)
  }
  return broken
}
