import hooks from 'node:async_hooks'
import { createRequire } from 'node:module'
import type * as NodeTest from 'node:test'

/*
 * Lets node:test find the test that some code belongs to by AsyncLocalStorage. By itself it follows
 * every promise with a hook of async_hooks, which takes a sixth of the processor time of our tests,
 * most of it in the garbage collector; the gateway itself runs without such a hook. Node's runner
 * takes these functions when it is loaded. One that does without them ignores this; one that finds
 * no test for some code takes it for code of the file, and share-process.test.ts fails.
 */
interface TestHook {
  init(id: number, type: string, triggerId: number, resource: object): void
}

const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks
const current = new AsyncLocalStorage<number>()
const enabled = new Set<TestHook>()

class TestResource extends AsyncResource {
  constructor(...words: ConstructorParameters<typeof AsyncResource>) {
    super(...words)
    for (const { init } of enabled) init(this.asyncId(), words[0], 0, this)
  }

  override runInAsyncScope<This, Result>(
    run: (this: This, ...args: unknown[]) => Result,
    ...[self, ...args]: [self?: This, ...args: unknown[]]
  ): Result {
    const inContext = () => current.run(this.asyncId(), () => run.apply(self as This, args))
    return super.runInAsyncScope(inContext)
  }
}

/** Loads node:test, before it is imported anywhere, with these in place of its own. */
export function loadTests(): typeof NodeTest {
  Object.assign(hooks, {
    AsyncResource: TestResource,
    executionAsyncId: () => current.getStore() ?? 0,
    createHook: (hook: TestHook) => ({
      enable: () => enabled.add(hook),
      disable: () => enabled.delete(hook),
    }),
  })
  const tests = createRequire(import.meta.url)('node:test') as typeof NodeTest
  Object.assign(hooks, { AsyncResource, createHook, executionAsyncId })
  return tests
}
