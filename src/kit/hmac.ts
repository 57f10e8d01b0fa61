import { hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32

/**
 * HMAC-SHA-256 under one key, as RFC 2104 makes it of two hashes. Node's own makes an object for
 * each text, and many of them keep the garbage collector busy.
 */
export function openHmac(key: Buffer): (text: string) => Buffer {
  const whole = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  const block = Buffer.concat([whole, Buffer.alloc(blockBytes - whole.length)])
  let inner = Buffer.concat([block.map((byte) => byte ^ 0x36), Buffer.alloc(1024)])
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(digestBytes)])
  return (text) => {
    const room = blockBytes + text.length * 3
    if (inner.length < room)
      inner = Buffer.concat([inner.subarray(0, blockBytes), Buffer.alloc(room)])
    const end = blockBytes + inner.write(text, blockBytes)
    hash('sha256', inner.subarray(0, end), 'buffer').copy(outer, blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}
