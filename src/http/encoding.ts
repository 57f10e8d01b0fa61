type Encoding = 'br' | 'gzip'

/** The compression that an Accept-Encoding header asks for, brotli first; undefined: none. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  const offers = (accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim().split(/\s*;\s*/))
  const takes = (encoding: string) =>
    offers.some(([name, quality = 'q=1']) => name === encoding && !/^q=0(\.0*)?$/.test(quality))
  if (takes('br')) return 'br'
  return takes('gzip') ? 'gzip' : undefined
}
