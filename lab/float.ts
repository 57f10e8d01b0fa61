import type { OrderBook } from './order.ts'

// More than any client pays out, so that only a provider that was told its balance runs dry.
const openingBalance = 1_000_000_000_000

/** What the provider at a path holds for its client: what it had, collections and payouts since. */
export function floatAt(book: OrderBook, path: string): number {
  let total = book.floats.get(path) ?? openingBalance
  for (const { mount, operation, paid } of book.orders)
    if (mount.path === path) total += operation === 'collect' ? paid : -paid
  return total
}

/** Sets what it holds now. From then on it declines what it cannot pay. */
export function setFloat(book: OrderBook, path: string, balance: number): void {
  const moved = floatAt(book, path) - (book.floats.get(path) ?? openingBalance)
  book.floats.set(path, balance - moved)
}

/** Whether an order cannot be paid from what the provider holds. */
export function lacksFloat(book: OrderBook, path: string, amount: number): boolean {
  return book.floats.has(path) && floatAt(book, path) < amount
}
