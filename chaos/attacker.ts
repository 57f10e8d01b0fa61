import { type Attack, flood } from './attack/flood.ts'
import { readJob } from './child.ts'

// A program of its own: floods a gateway with one request, and prints what it did.

const { url, attack, seconds } = await readJob<{ url: string; attack: Attack; seconds: number }>()
process.stdout.write(`${JSON.stringify(await flood(url, attack, seconds))}\n`)
process.exit(0)
