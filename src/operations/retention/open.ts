import type { SecretKey } from '#base/sealing/seal.ts'
import { type Sweeper, startSweeper } from '#data/db/due.ts'
import { type RetentionContext, type RoundOptions, type RoundResult, runRule } from './round.ts'
import type { RuleName } from './rule.ts'
import { rulesWith } from './rules.ts'
import { countLeft, type RuleState, readRuleStates } from './store.ts'

/** A rule, and how it stands; null: no round of it has begun. */
export interface ShownRule {
  name: RuleName
  setting: string | null
  /** Null: never. */
  days: number | null
  state: RuleState | null
  /** Old records that are still needed. */
  left: number
}

/** Everything that can be done with what is forgotten. */
export type Retention = ReturnType<typeof openRetention>

const lookEachMs = 60_000

/** Opens the room. */
export function openRetention({
  secretKey,
  ...context
}: RetentionContext & { secretKey: SecretKey }) {
  const { db, clock, log, settings } = context
  const rules = rulesWith(secretKey)

  /** Runs every rule that is due, or with `isEarly` every one, in their order. */
  async function run(options: RoundOptions = {}): Promise<Map<RuleName, RoundResult>> {
    const results = new Map<RuleName, RoundResult>()
    for (const rule of rules) {
      if (options.signal?.aborted) break
      results.set(rule.name, await runRule(context, rule, options))
    }
    return results
  }

  return {
    run,

    /** The rules in their order. */
    async show(): Promise<ShownRule[]> {
      const states = new Map(
        (await readRuleStates(db, clock.now())).map((state) => [state.rule, state]),
      )
      const left = await countLeft(db)
      return rules.map(({ name, setting, days }) => ({
        name,
        setting,
        days: days(settings),
        state: states.get(name) ?? null,
        left: left.get(name) ?? 0,
      }))
    },

    /** Looks once a minute whether a rule is due; each is once an hour. */
    startSweeper(): Sweeper {
      return startSweeper({
        name: 'retention',
        claim: async () => rules,
        work: async (all, signal) => {
          for (const rule of all)
            if (!signal.aborted)
              await runRule(context, rule, { signal }).catch((problem: unknown) =>
                log.error({ err: problem, rule: rule.name }, 'retention will be retried'),
              )
        },
        // A claim is never full: the sweeper then waits.
        batchMax: rules.length + 1,
        idleMs: lookEachMs,
        clock,
        log,
      })
    },
  }
}
