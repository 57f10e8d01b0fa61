const closing: (() => Promise<unknown>)[] = []

/** Has something closed that test files of this process share, after the last of them. */
export function atEnd(close: () => Promise<unknown>): void {
  closing.push(close)
}

/** Closes what is shared. */
export async function closeShared(): Promise<void> {
  await Promise.all(closing.splice(0).map((close) => close()))
}
