import type { Progress } from './progress.ts'

export async function fillHistory(_order: {
  dataDir: string
  transactions: number
  progress: Progress
}): Promise<void> {}
