import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '#base/kit/refusal.ts'
import { assertGivesTurns } from '#test/longest-work.ts'
import { jpegOf, pngChunk, pngOf, scriptedSvg, webps } from '#test/pictures.ts'
import { readLogo } from './logo.ts'

const script = '<script>__xss=1</script>'
// Frames of the kinds c0 and c2.
const progressive = Buffer.from(jpegOf(24, 16))
progressive[progressive.indexOf('ffc0', 'hex') + 1] = 0xc2
const filled = Buffer.from(jpegOf(24, 16).toString('hex').replace('ffc0', 'ffffffc0'), 'hex')

/** A picture in which other bytes tell the size. */
function webpOf(file: Buffer, at: number, bytes: number[]): Buffer {
  const copy = Buffer.from(file)
  copy.set(bytes, at)
  return copy
}

describe('readLogo takes', () => {
  // name, file, type, width, height
  const rows: [string, Buffer, string, number, number][] = [
    ['a PNG', pngOf(120, 40), 'image/png', 120, 40],
    ['the largest PNG', pngOf(1024, 1024), 'image/png', 1024, 1024],
    ['a PNG with a text', pngOf(2, 2, pngChunk('tEXt', Buffer.from(script))), 'image/png', 2, 2],
    ['a PNG before a page', Buffer.concat([pngOf(2, 3), Buffer.from(script)]), 'image/png', 2, 3],
    ['a JPEG', jpegOf(24, 16), 'image/jpeg', 24, 16],
    ['a progressive JPEG', progressive, 'image/jpeg', 24, 16],
    [
      'a JPEG with a program, places and a comment',
      jpegOf(24, 16, [0xe0, '*/alert(1)/*'], [0xe1, 'EXIF'], [0xfe, script]),
      'image/jpeg',
      24,
      16,
    ],
    ['a JPEG with 0xff before a marker', filled, 'image/jpeg', 24, 16],
    ['a lossy WebP', webps.lossy, 'image/webp', 1, 1],
    ['a lossless WebP', webps.lossless, 'image/webp', 1, 1],
    ['a WebP with transparency', webps.alpha, 'image/webp', 1, 1],
    [
      'a lossy WebP of another size',
      webpOf(webps.lossy, 26, [44, 1, 16, 0]),
      'image/webp',
      300,
      16,
    ],
    [
      'a lossless WebP of another size',
      webpOf(webps.lossless, 21, [43, 193, 3, 16]),
      'image/webp',
      300,
      16,
    ],
    [
      'a WebP with transparency of another size',
      webpOf(webps.alpha, 24, [43, 1, 0, 15, 0, 0]),
      'image/webp',
      300,
      16,
    ],
  ]
  for (const [name, file, mediaType, width, height] of rows)
    it(`${name} as it is`, () => {
      const logo = readLogo(file)
      assert.deepEqual([logo.mediaType, logo.width, logo.height], [mediaType, width, height])
      assert.equal(logo.bytes.toString('hex'), file.toString('hex'))
      assert.match(logo.hash, /^[0-9a-f]{64}$/)
    })
})

describe('readLogo refuses', () => {
  const png = pngOf(40, 40)
  const otherPart = Buffer.concat([png.subarray(0, 8), pngChunk('tEXt', Buffer.alloc(40))])
  const longPart = jpegOf(8, 8)
  longPart.writeUInt16BE(0xffff, 4)
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
    ['a side of a WebP that is too long', webpOf(webps.alpha, 24, [0, 4, 0]), /is 1025 × 1/],
    ['the signature of a PNG alone', png.subarray(0, 8), unknown],
    ['a PNG that begins with another part', otherPart, damaged],
    ['a JPEG of its first bytes', jpegOf(8, 8).subarray(0, 30), damaged],
    ['a JPEG whose part is too long', longPart, damaged],
    ['a WebP of an unknown kind', webpOf(webps.lossy, 15, [0x59]), damaged],
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
    const isJudged = (made: Buffer) => {
      try {
        assert.ok(readLogo(made).width > 0)
      } catch (problem) {
        assert.ok(problem instanceof Refusal, String(problem))
      }
    }
    // Cut anywhere.
    for (const beginning of [...beginnings, jpegOf(8, 8, [0xe0, 'a longer part'.repeat(3)])])
      for (let length = 0; length < beginning.length; length += 1)
        isJudged(beginning.subarray(0, length))
    const files = fc.tuple(
      fc.constantFrom(...beginnings),
      fc.nat(),
      fc.uint8Array({ maxLength: 60 }),
    )
    fc.assert(
      fc.property(files, ([beginning, at, bytes]) => {
        const file = Buffer.from(beginning)
        const place = at % (file.length + 1)
        const rest = file.subarray(place + bytes.length)
        isJudged(Buffer.concat([file.subarray(0, place), bytes, rest]))
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

  it('lets everything else go on, whatever is in five megabytes', async () => {
    const start = jpegOf(24, 16).subarray(0, 2)
    const empty = Buffer.from('ffe00002', 'hex')
    for (const filling of [Buffer.from([0xff]), empty, Buffer.from('<svg ')]) {
      const file = Buffer.concat([start, Buffer.alloc(5_000_000, filling)])
      await assertGivesTurns(() => refusalOf(file))
    }
  })

  function refusalOf(file: Buffer): Refusal {
    try {
      readLogo(file)
    } catch (problem) {
      if (problem instanceof Refusal) return problem
    }
    throw new Error('it was taken')
  }
})
