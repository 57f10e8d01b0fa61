import { createHash } from 'node:crypto'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { type NoPicture, type Picture, readPicture } from './picture.ts'

/** A picture to show on a merchant's payment pages. */
export interface Logo extends Picture {
  bytes: Buffer
  /** SHA-256 of its bytes, in hexadecimal: its address. */
  hash: string
}

/** A payer on a slow network waits for 64 KB more than a second already. */
export const logoLimits = { bytesMax: 65_536, sideMax: 1024 }

const noPicture: Record<NoPicture, string> = {
  unknown: 'The logo must be a PNG, JPEG or WebP image',
  drawing: 'A logo in SVG is not accepted, since it can hold programs: save it as PNG or WebP',
  damaged: 'The image is damaged: it ends too early or was changed on its way',
}

/** Reads a logo from a file; refuses what is no picture, or too large, with all that is wrong. */
export function readLogo(file: Buffer): Logo {
  const picture = readPicture(file)
  if (typeof picture === 'string')
    throw new Refusal('validation_failed', reason(noPicture[picture], {}, 'logo'))
  const { bytesMax, sideMax } = logoLimits
  const { width, height } = picture
  const wrong = [
    ...(Math.max(width, height) > sideMax
      ? [
          reason(
            'The logo is {width} × {height} pixels large: at most {sideMax} × {sideMax}',
            { width, height, sideMax },
            'logo',
          ),
        ]
      : []),
    ...(file.length > bytesMax
      ? [
          reason(
            'The logo has {size} KB: at most {sizeMax} KB',
            { size: Math.ceil(file.length / 1024), sizeMax: bytesMax / 1024 },
            'logo',
          ),
        ]
      : []),
  ]
  if (wrong.length > 0) throw new Refusal('validation_failed', ...wrong)
  return { ...picture, bytes: file, hash: createHash('sha256').update(file).digest('hex') }
}
