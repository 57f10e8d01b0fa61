import { readFileSync } from 'node:fs'

// Loaded into a gateway process by `node --import`: its clock is wrong by as many milliseconds as
// the file CLOCK_OFFSET_FILE says, which is read again at SIGUSR2. Timers go on as they are.

const RealDate = Date
const path = process.env.CLOCK_OFFSET_FILE ?? ''
let offsetMs = 0

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(path, 'utf8'))
  } catch {
    offsetMs = 0
  }
}
readOffset()
process.on('SIGUSR2', readOffset)

const now = () => RealDate.now() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  apply: () => new RealDate(now()).toString(),
})
