import { type Attack, flood } from './attack/flood.ts'
import { readJob } from './child.ts'

// A program of its own: floods gateways with some requests at once, and prints what each did.

const { attacks, seconds } = await readJob<{ attacks: Attack[]; seconds: number }>()
const flooded = await Promise.all(attacks.map((attack) => flood(attack, seconds)))
process.stdout.write(`${JSON.stringify(flooded)}\n`)
process.exit(0)
