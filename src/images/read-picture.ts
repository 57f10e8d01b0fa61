import { isJpeg, readJpeg } from './jpeg.ts'
import type { Picture } from './picture.ts'
import { isPng, readPng } from './png.ts'
import { isWebp, readWebp } from './webp.ts'

/** Why a file is not taken as a picture. */
export type NoPicture = 'unknown' | 'drawing' | 'damaged' | 'animated'

/**
 * Reads a picture by its own bytes, whatever its name says. What comes back is rebuilt from the
 * parts that draw it: texts, places, previews and anything before or after the picture are gone.
 * The structure is followed to its end, so that half a file is refused; pixels are not decoded.
 */
export function readPicture(file: Buffer): Picture | NoPicture {
  if (isPng(file)) return whole(readPng(file))
  if (isJpeg(file)) return whole(readJpeg(file))
  if (isWebp(file)) return whole(readWebp(file))
  // An SVG is a program for the browser: it can hold scripts and fetch from elsewhere.
  const beginning = file.toString('latin1', 0, 1024)
  return /<svg[\s>]/i.test(beginning) ? 'drawing' : 'unknown'
}

function whole(picture: Picture | 'animated' | undefined): Picture | NoPicture {
  if (picture === undefined || picture === 'animated') return picture ?? 'damaged'
  return picture.width > 0 && picture.height > 0 ? picture : 'damaged'
}
