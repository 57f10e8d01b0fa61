type Encoding = 'br' | 'gzip'

/** The compression that an Accept-Encoding header asks for, brotli first; undefined: none. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  return (['br', 'gzip'] as const).find((encoding) => acceptsEncoding(accepted, encoding))
}

/** Whether an Accept-Encoding header names a compression. */
export function acceptsEncoding(accepted: string | undefined, encoding: Encoding): boolean {
  const offers = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim().split(/\s*;\s*/))
  return offers.some(
    ([name, quality = 'q=1']) => name === encoding && !/^q=0(\.0*)?$/.test(quality),
  )
}
