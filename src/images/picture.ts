/** How many parts a file may have: one of a megabyte could have a quarter of a million. */
export const partsMax = 1000

export type MediaType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A picture file, and what its own bytes say of it. */
export interface Picture {
  mediaType: MediaType
  width: number
  height: number
  bytes: Buffer
}
