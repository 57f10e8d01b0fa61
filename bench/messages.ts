import type { RequestTemplate } from './load.ts'

// HTTP/1.1 with as little work as possible: what measures should take little from what it
// measures. Text is latin1 everywhere, so that a character is a byte.

const gap = '\r\n\r\n'
const lengthLine = /\r\ncontent-length: *([^\r]*)/i
const encodingLine = /\r\ntransfer-encoding:/i
const bodiless = /^HTTP\/1\.1 (204|304)/

/**
 * Reads messages off the pieces in which they come, wherever those are cut. Each is told once it is
 * whole, its head without the blank line; one whose end cannot be known is an error.
 */
export function messageReader(hear: (head: string, body: string) => void): (piece: string) => void {
  let text = ''
  let headEnd = -1
  let end = 0
  return (piece) => {
    text = text === '' ? piece : text + piece
    while (text !== '') {
      if (headEnd === -1) {
        headEnd = text.indexOf(gap)
        if (headEnd === -1) return
        end = headEnd + gap.length + bodyLength(text.slice(0, headEnd))
      }
      if (text.length < end) return
      const head = text.slice(0, headEnd)
      const body = text.slice(headEnd + gap.length, end)
      text = text.slice(end)
      headEnd = -1
      hear(head, body)
    }
  }
}

function bodyLength(head: string): number {
  if (encodingLine.test(head)) throw new Error('transfer-encoding cannot be read here')
  const [, length] = lengthLine.exec(head) ?? []
  if (length !== undefined && /^\d+$/.test(length)) return Number(length)
  if (length !== undefined) throw new Error(`content-length is "${length}"`)
  if (head.startsWith('HTTP/') && !bodiless.test(head)) throw new Error('no content-length')
  return 0
}

/** Writes a request again and again: everything but `{n}` is put together once. */
export function requestWriter(template: RequestTemplate, host: string): (n: string) => string {
  const { method, path, headers, body } = template
  const { 'x-forwarded-for': address, ...others } = headers
  const fixed = Object.entries({ host, connection: 'keep-alive', ...others })
  const lines = fixed.map(([name, value]) => `\r\n${name}: ${value}`).join('')
  const pathOf = around(path)
  const behindPath = bytesOf(` HTTP/1.1${lines}`)
  const addressOf = around(address === undefined ? '' : `\r\nx-forwarded-for: ${address}`)
  const bodyOf = around(body ?? '')
  return (n) => {
    const content = bodyOf(n)
    const length = body === undefined ? '' : `\r\ncontent-length: ${content.length}`
    const addressLine = addressOf(addressFor(n))
    return `${method} ${pathOf(n)}${behindPath}${addressLine}${length}${gap}${content}`
  }
}

function around(template: string): (n: string) => string {
  const [before = '', behind] = template.split('{n}').map(bytesOf)
  return behind === undefined ? () => before : (n) => before + n + behind
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Another address of a private network for each request. */
function addressFor(n: string): string {
  const number = Number(n.slice(n.lastIndexOf('-') + 1))
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}

/** What a refusal says, as far as it is the same for all that are refused for the same reason. */
export function refusalOf(status: number, body: string): string {
  const [, said = body.slice(0, 160)] = /"message":(.*?),"success"/.exec(body) ?? []
  return `${status} ${said.replaceAll(/[\da-f-]{8,}/g, '…')}`
}
