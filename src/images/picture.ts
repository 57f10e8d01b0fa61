export type MediaType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A picture file, and what its own bytes say of it. */
export interface Picture {
  mediaType: MediaType
  width: number
  height: number
  bytes: Buffer
}
