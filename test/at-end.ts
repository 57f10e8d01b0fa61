const closing: (() => Promise<unknown>)[] = []

/** Has something closed that test files of this process share, after the last of them. */
export function atEnd(close: () => Promise<unknown>): void {
  closing.push(close)
}

/** Closes what is shared. */
export async function closeShared(): Promise<void> {
  await Promise.all(closing.splice(0).map((close) => close()))
}

// A file that `node --test` runs by itself: nothing of ours closes what is shared. Not by import,
// since share-process.ts has to load that module first.
if (process.env.NODE_TEST_CONTEXT !== undefined && process.env.TEST_SIZE === undefined)
  process.getBuiltinModule('node:test').after(closeShared)
