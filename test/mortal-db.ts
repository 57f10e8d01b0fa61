import type { Db, Tx } from '#data/db/db.ts'
import { CommitUnknown } from '#data/db/errors.ts'

/**
 * What happens to a process at its next transactions. `lost`: they are committed, and their answers
 * lost. `stops before`, `stops after`: it stands still at the commit that is counted, and so do all
 * of its statements, until it is woken or ends. `unstored`: it cannot store what it answered.
 * `dies`: what is counted is committed, and nothing that it asks for afterwards is done. `killed
 * within`, `killed after`: the kernel ends this very process, in the transaction or after it.
 */
export type Fate =
  | 'lost'
  | 'lost once'
  | 'stops before'
  | 'stops after'
  | 'unstored'
  | 'dies'
  | 'killed within'
  | 'killed after'

/** A database of a process that can stand still, end, or lose the answers to its commits. */
export function mortalDb(db: Db) {
  let fate: Fate | undefined
  let commitsLeft = 0
  let isDead = false
  let stopped = Promise.withResolvers<void>()
  let standstill: ReturnType<typeof Promise.withResolvers<void>> | undefined

  function stop(): void {
    fate = undefined
    standstill = Promise.withResolvers()
    standstill.promise.catch(() => {})
    stopped.resolve()
  }

  function live(): void {
    if (isDead) throw new Error('the process has died')
  }

  async function run(strings: TemplateStringsArray, ...values: unknown[]) {
    await standstill?.promise
    live()
    const isAnswer = strings[0]?.includes('update idempotency_keys set http_status')
    if (fate === 'unstored' && isAnswer) throw new Error('the disk is full')
    return db(strings, ...values)
  }

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    await standstill?.promise
    if (fate !== 'unstored') commitsLeft -= 1
    const isNow = commitsLeft <= 0
    if (isNow && fate === 'stops before') stop()
    await standstill?.promise
    live()
    const result = await db.transaction(async (tx) => {
      const done = await work(tx)
      if (isNow && fate === 'killed within') process.kill(process.pid, 'SIGKILL')
      return done
    })
    if (isNow && fate === 'killed after') process.kill(process.pid, 'SIGKILL')
    isDead ||= isNow && fate === 'dies'
    live()
    if (isNow && fate === 'stops after') stop()
    await standstill?.promise
    if (isNow && fate?.startsWith('lost')) {
      if (fate === 'lost once') fate = undefined
      throw new CommitUnknown('lost at commit')
    }
    return result
  }

  return {
    db: Object.assign(run, db, {
      transaction,
      groupTransaction: <T>(_clientIds: number[], work: (tx: Tx) => Promise<T>) =>
        transaction(work),
    }),
    /** Decides what happens at a commit: the next one, or one after it. */
    meets(next: Fate, commit = 1): void {
      fate = next
      commitsLeft = commit
      stopped = Promise.withResolvers()
    },
    /** Resolves once it stands still. */
    untilStopped: () => stopped.promise,
    /** It goes on where it stood. */
    wake(): void {
      fate = undefined
      standstill?.resolve()
      standstill = undefined
    },
    /** What it was doing is never done; what is asked of it afterwards is. */
    end(): void {
      fate = undefined
      standstill?.reject(new Error('the process has ended'))
      standstill = undefined
    },
  }
}
