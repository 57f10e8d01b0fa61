import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { jpegOf, pngChunk, pngOf, scriptedSvg, webps, webpWith } from '../../test/pictures.ts'
import { Refusal } from '../catalog/refusal.ts'
import { readLogo } from './logo.ts'

const script = '<script>__xss=1</script>'
const text = (value: string) => pngChunk('tEXt', Buffer.from(value))

describe('readLogo takes', () => {
  // name, file, type, width, height
  const rows: [string, Buffer, string, number, number][] = [
    ['a PNG', pngOf(120, 40), 'image/png', 120, 40],
    ['the largest PNG', pngOf(1024, 1024), 'image/png', 1024, 1024],
    ['a JPEG', jpegOf(24, 16), 'image/jpeg', 24, 16],
    ['a lossy WebP', webps.lossy, 'image/webp', 1, 1],
    ['a lossless WebP', webps.lossless, 'image/webp', 1, 1],
    ['a WebP with transparency', webps.alpha, 'image/webp', 1, 1],
  ]
  for (const [name, file, mediaType, width, height] of rows)
    it(`${name} as it is`, () => {
      const logo = readLogo(file)
      assert.deepEqual([logo.mediaType, logo.width, logo.height], [mediaType, width, height])
      assert.equal(logo.bytes.toString('hex'), file.toString('hex'))
      assert.match(logo.hash, /^[0-9a-f]{64}$/)
    })
})

describe('readLogo leaves out what does not draw the picture', () => {
  const exif = 'EXIF place: 14.69, -17.44'
  // name, file, what it is without it
  const rows: [string, Buffer, Buffer][] = [
    ['a page after a PNG', Buffer.concat([pngOf(2, 2), Buffer.from(script)]), pngOf(2, 2)],
    ['texts of a PNG', pngOf(2, 2, text(script), pngChunk('eXIf', Buffer.from(exif))), pngOf(2, 2)],
    [
      'an archive after a JPEG',
      Buffer.concat([jpegOf(2, 2), Buffer.from('PK\x03\x04')]),
      jpegOf(2, 2),
    ],
    [
      'a program, places and a comment in a JPEG',
      jpegOf(2, 2, [0xe0, '*/alert(1)/*'], [0xe1, exif], [0xfe, script]),
      jpegOf(2, 2),
    ],
    ['a page after a WebP', Buffer.concat([webps.lossy, Buffer.from(script)]), webps.lossy],
    ['places of a WebP', webpWith('EXIF', `${exif} `, 0x08), webps.alpha],
  ]
  for (const [name, file, rest] of rows)
    it(name, () => {
      const { bytes } = readLogo(file)
      assert.equal(bytes.toString('hex'), readLogo(rest).bytes.toString('hex'))
      assert.ok(!bytes.includes(script) && !bytes.includes('place'))
    })
})

describe('readLogo refuses', () => {
  const png = pngOf(40, 40)
  const wrongSum = Buffer.from(png)
  wrongSum[45] = (wrongSum[45] ?? 0) ^ 1
  const withoutPixels = Buffer.concat([png.subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))])
  const webpOfLength = (length: number) => {
    const file = Buffer.from(webps.lossy)
    file.writeUInt32LE(length, 16)
    return file
  }
  const many = (one: Buffer) => Buffer.concat(Array.from({ length: 2000 }, () => one))
  const jpeg = jpegOf(8, 8)
  const jpegOfMany = Buffer.concat([
    jpeg.subarray(0, 2),
    many(Buffer.from('ffe00002', 'hex')),
    jpeg.subarray(2),
  ])
  const webpOfMany = Buffer.concat([webps.alpha, many(Buffer.from('EXIF\0\0\0\0'))])
  webpOfMany.writeUInt32LE(webpOfMany.length - 8, 4)
  const damaged = /damaged/
  const unknown = /must be a PNG, JPEG or WebP/
  // name, file, sentence
  const rows: [string, Buffer, RegExp][] = [
    ['an empty file', Buffer.alloc(0), unknown],
    ['a script', Buffer.from('alert(1)'), unknown],
    ['a page', Buffer.from(`<!doctype html>${script}`), unknown],
    ['a GIF', Buffer.from('GIF89a\x01\0\x01\0', 'latin1'), unknown],
    ['an SVG', Buffer.from(scriptedSvg), /SVG is not accepted/],
    [
      'an SVG in UTF-8 with its mark',
      Buffer.from(`\ufeff<svg onload="x"/>`),
      /SVG is not accepted/,
    ],
    [
      '100,000 × 100,000 pixels',
      pngOf(100_000, 100_000),
      /is 100000 × 100000 pixels .* at most 1024/,
    ],
    ['a side that is one too long', pngOf(1, 1025), /is 1 × 1025 pixels/],
    ['a JPEG of 65,535 pixels', jpegOf(65_535, 8), /65535 × 8/],
    ['no pixels at all', pngOf(0, 8), damaged],
    [
      'more than 64 KB',
      jpegOf(
        8,
        8,
        ...Array.from({ length: 2 }, (): [number, string] => [0xdb, 'x'.repeat(40_000)]),
      ),
      /has 79 KB: at most 64 KB/,
    ],
    ['a PNG cut off', png.subarray(0, -6), damaged],
    ['the signature of a PNG alone', png.subarray(0, 8), damaged],
    ['a PNG that was changed', wrongSum, damaged],
    ['a PNG without pixels', withoutPixels, damaged],
    [
      'a PNG with an unknown part that it needs',
      pngOf(2, 2, pngChunk('EVIL', Buffer.alloc(1))),
      damaged,
    ],
    ['a JPEG cut off', jpegOf(8, 8).subarray(0, -2), damaged],
    ['a JPEG of its first bytes', jpegOf(8, 8).subarray(0, 30), damaged],
    ['a WebP cut off', webps.lossy.subarray(0, -2), damaged],
    ['a WebP whose part is too long', webpOfLength(0xffff_fff0), damaged],
    ['a WebP that moves', webps.animated, /must not move/],
    ['a PNG of thousands of parts', pngOf(8, 8, many(text(''))), damaged],
    ['a JPEG of thousands of parts', jpegOfMany, damaged],
    ['a WebP of thousands of parts', webpOfMany, damaged],
  ]
  for (const [name, file, sentence] of rows)
    it(name, () => assert.throws(() => readLogo(file), refusing(sentence)))

  it('10 MB, with all that is wrong', () => {
    const large = Array.from({ length: 160 }, (): [number, string] => [0xdb, 'x'.repeat(65_000)])
    const { reasons } = refusalOf(jpegOf(5000, 4000, ...large))
    assert.deepEqual(
      reasons.map(({ field }) => field),
      ['logo', 'logo'],
    )
  })

  it('whatever comes, and never fails otherwise', () => {
    const beginnings = [png, jpegOf(8, 8), webps.alpha, webps.lossless, Buffer.alloc(0)]
    const files = fc.tuple(
      fc.constantFrom(...beginnings),
      fc.nat(),
      fc.uint8Array({ maxLength: 60 }),
    )
    fc.assert(
      fc.property(files, ([beginning, at, bytes]) => {
        const file = Buffer.from(beginning)
        const place = at % (file.length + 1)
        const made = Buffer.concat([
          file.subarray(0, place),
          bytes,
          file.subarray(place + bytes.length),
        ])
        try {
          assert.ok(readLogo(made).width > 0)
        } catch (problem) {
          assert.ok(problem instanceof Refusal, String(problem))
        }
      }),
      { numRuns: 2000 },
    )
  })

  function refusing(sentence: RegExp) {
    return (problem: unknown) => {
      assert.ok(problem instanceof Refusal, String(problem))
      assert.match(problem.message, sentence)
      return true
    }
  }

  function refusalOf(file: Buffer): Refusal {
    try {
      readLogo(file)
    } catch (problem) {
      if (problem instanceof Refusal) return problem
    }
    throw new Error('it was taken')
  }
})
