import { hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32

/** Signs a text, and writes the signature like this. */
export type Hmac = (text: string, encoding: 'hex' | 'base64' | 'base64url') => string

/**
 * HMAC-SHA-256 under one key, as RFC 2104 makes it of two hashes. Node's own makes an object for
 * each text, and a hash that comes as bytes takes three times as long as one that comes as text.
 */
export function openHmac(key: Buffer): Hmac {
  const whole = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  const block = Buffer.concat([whole, Buffer.alloc(blockBytes - whole.length)])
  let inner = Buffer.concat([block.map((byte) => byte ^ 0x36), Buffer.alloc(1024)])
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(digestBytes)])
  return (text, encoding) => {
    const room = blockBytes + text.length * 3
    if (inner.length < room)
      inner = Buffer.concat([inner.subarray(0, blockBytes), Buffer.alloc(room)])
    const end = blockBytes + inner.write(text, blockBytes)
    outer.write(hash('sha256', inner.subarray(0, end), 'hex'), blockBytes, 'hex')
    return hash('sha256', outer, encoding)
  }
}
