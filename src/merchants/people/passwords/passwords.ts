import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '#base/kit/refusal.ts'

/*
 * Argon2id with the memory and passes that RFC 9106 recommends where memory is scarce: 64 MiB, 3
 * passes. Kept in the usual text form ($argon2id$v=19$m=…,t=…,p=…$salt$hash), so that the costs can
 * be raised later: a hash names its own.
 */
const derive = promisify(argon2)
const costs = { memory: 65_536, passes: 3, parallelism: 1 }
const tagLength = 32
// A hash takes a processor and 64 MiB: a flood of attempts waits here, and leaves the other
// processors to payments.
const atOnceMax = 1
const waitingMax = 50
const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Shortest password that a person may choose. */
export const passwordLengthMin = 10
export const passwordLengthMax = 200

let running = 0
const waiting: (() => void)[] = []

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await compute(password, salt, costs)
  const { memory, passes, parallelism } = costs
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

/** Whether a password has this hash. Takes as long for a hash that is not there. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(hash ?? '') ?? []
  if (hash === null || memory === undefined) {
    await compute(password, Buffer.alloc(16), costs)
    return false
  }
  const own = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  }
  const expected = Buffer.from(tag, 'base64')
  const found = await compute(password, Buffer.from(salt, 'base64'), own)
  return found.length === expected.length && timingSafeEqual(found, expected)
}

function text(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

async function compute(password: string, nonce: Buffer, cost: typeof costs): Promise<Buffer> {
  await enter()
  try {
    const message = password.slice(0, passwordLengthMax).normalize('NFKC')
    return await derive('argon2id', { message, nonce, tagLength, ...cost })
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

async function enter(): Promise<void> {
  if (waiting.length >= waitingMax)
    throw new Refusal('overloaded', 'The service is busy, please try again shortly')
  if (running >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
}
