import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { after } from 'node:test'

/** The addresses of a name, with or without their lifetime; `silence`: no answer. */
type Answer = string[] | { addresses: string[]; ttl: number } | 'silence'

/**
 * A name server on this machine. It answers each question for a name with what `answerOf` says;
 * nothing means that the name does not exist.
 */
export async function openNameServer(answerOf: (name: string) => Answer | undefined) {
  const nameServer = { address: '', asked: [] as string[] }
  const socket = createSocket('udp4', (question, { port, address }) => {
    const name = nameIn(question)
    nameServer.asked.push(name)
    const answer = answerOf(name)
    if (answer !== 'silence') socket.send(answerTo(question, answer), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  nameServer.address = `127.0.0.1:${socket.address().port}`
  after(() => socket.close())
  return nameServer
}

const headerLength = 12
const typeA = 1
const typeAaaa = 28

function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = headerLength; ; ) {
    const length = question[at] ?? 0
    if (length === 0) return labels.join('.').toLowerCase()
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
}

function answerTo(question: Buffer, answer: Exclude<Answer, 'silence'> | undefined): Buffer {
  const end = question.indexOf(0, headerLength) + 5
  const type = question.readUInt16BE(end - 4)
  const { addresses, ttl } = Array.isArray(answer)
    ? { addresses: answer, ttl: 0 }
    : (answer ?? { addresses: [], ttl: 0 })
  const records = addresses
    .filter((address) => type === (isIPv6(address) ? typeAaaa : typeA))
    .map((address) => recordOf(type, ttl, bytesOf(address)))
  const head = Buffer.from(question.subarray(0, end))
  // A recursive answer without an error, or one that the name does not exist.
  head.writeUInt16BE(answer === undefined ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...records])
}

function recordOf(type: number, ttl: number, data: Buffer): Buffer {
  const record = Buffer.alloc(12)
  // The name is the one at the start of the question.
  record.writeUInt16BE(0xc000 + headerLength, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(ttl, 6)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const [left = '', right = ''] = address.split('::')
  const wordsOf = (part: string) => (part === '' ? [] : part.split(':'))
  const [before, behind] = [wordsOf(left), wordsOf(right)]
  const zeros = Array.from({ length: 8 - before.length - behind.length }, () => '0')
  const words = [...before, ...zeros, ...behind].map((word) => word.padStart(4, '0'))
  return Buffer.from(words.join(''), 'hex')
}
