/** A copy of an object with these properties alone, in this order. */
export function pick<T extends object, Key extends keyof T>(from: T, keys: Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, Key>
}

/** A copy of an object without these properties. */
export function omit<T extends object, Key extends keyof T>(from: T, keys: Key[]): Omit<T, Key> {
  const left = Object.entries(from).filter(([key]) => !keys.includes(key as Key))
  return Object.fromEntries(left) as Omit<T, Key>
}
