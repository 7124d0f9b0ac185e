// @sampled: the proof mutates more pictures.
import { describe, expect, test } from 'vitest'
import { measureImage, readImageSize } from '../../src/files/image-size.ts'
import { discard } from '../../src/files/receive.ts'
import { isProof } from '../support/proof.ts'
import {
  avif,
  box,
  bytes,
  gif,
  ico,
  icoOf,
  ispe,
  jpg,
  png,
  segment,
  webpCanvas,
  webpLossless,
  webpLossy,
} from './samples.ts'
import { received, scratchFolder, seeded } from './scratch.ts'

const folder = await scratchFolder()

async function sizeOf(content: Uint8Array) {
  const file = await received(folder, content)
  try {
    return await readImageSize(file.head, file.path)
  } finally {
    await discard(file)
  }
}

/** In memory, with the same windows as from a file. */
const measured = (content: Uint8Array) =>
  measureImage(content.subarray(0, 4_100), async (position) => content.subarray(position, position + 1_024))

const LONG_LIST = box('iinf', Buffer.alloc(60_000))
const TILES = bytes(ispe(64, 48), ispe(4_000, 3_000))
const TABLES = bytes(segment(0xdb, Buffer.alloc(65)), segment(0xc4, Buffer.alloc(30)))
const METADATA = bytes(...Array.from({ length: 140 }, () => segment(0xe2, Buffer.alloc(65_533))))
const LARGE_FRAME = bytes(gif(1, 1).subarray(0, 6), [1, 0, 1, 0], gif(640, 480).subarray(10))
const BITMAP = bytes([40, 0, 0, 0, 128, 2, 0, 0, 192, 3, 0, 0], Buffer.alloc(40))

describe('the size of a picture', () => {
  test.each<[string, Uint8Array, number, number]>([
    ['PNG', png(640, 480), 640, 480],
    ['PNG of one pixel', png(1, 1), 1, 1],
    ['PNG beyond all screens', png(65_536, 10), 65_536, 10],
    ['largest PNG', png(0xffff_ffff, 0xffff_ffff), 0xffff_ffff, 0xffff_ffff],
    ['lossy WebP', webpLossy(640, 480), 640, 480],
    ['largest lossy WebP', webpLossy(16_383, 16_383), 16_383, 16_383],
    ['lossless WebP', webpLossless(640, 480), 640, 480],
    ['largest lossless WebP', webpLossless(16_384, 16_384), 16_384, 16_384],
    ['WebP with transparency or several frames', webpCanvas(640, 480), 640, 480],
    ['largest WebP', webpCanvas(2 ** 24, 2 ** 24), 2 ** 24, 2 ** 24],
    ['AVIF', avif(640, 480), 640, 480],
    ['AVIF of tiles, with a preview', avif(640, 480, TILES), 4_000, 3_000],
    ['AVIF with a long list in front of its size', avif(640, 480, bytes(), LONG_LIST), 640, 480],
    ['largest AVIF', avif(0xffff_ffff, 0xffff_ffff), 0xffff_ffff, 0xffff_ffff],
    ['GIF with a frame beyond its canvas', LARGE_FRAME, 640, 480],
    ['ICO with a PNG beyond what its entry says', icoOf(png(640, 480), 16), 640, 480],
    ['ICO with a bitmap beyond what its entry says', icoOf(BITMAP, 16), 640, 480],
    ['GIF', gif(640, 480), 640, 480],
    ['GIF of 1987', gif(1, 65_535, '87a'), 1, 65_535],
    ['ICO', ico(16), 16, 16],
    ['ICO with several pictures', ico(16, 48, 32), 48, 48],
    ['ICO of 256', ico(16, 256, 32), 256, 256],
    ['JPG', jpg(640, 480), 640, 480],
    ['progressive JPG', jpg(640, 480, bytes(), 0xc2), 640, 480],
    ['JPG in arithmetic coding', jpg(640, 480, bytes(), 0xc9), 640, 480],
    ['largest JPG', jpg(65_535, 65_535), 65_535, 65_535],
    ['JPG with tables before', jpg(640, 480, TABLES), 640, 480],
    ['JPG with filling between segments', jpg(640, 480, Buffer.alloc(50, 255)), 640, 480],
    ['JPG with a thumbnail in its metadata', jpg(640, 480, segment(0xe1, bytes('Exif\0\0', jpg(16, 12)))), 640, 480],
    ['JPG with metadata longer than what is at hand', jpg(640, 480, METADATA.subarray(0, 65_537)), 640, 480],
    ['JPG with 9 MB of metadata', jpg(640, 480, METADATA), 640, 480],
  ])('of a %s is read', async (_, content, width, height) => {
    expect(await sizeOf(content)).toEqual({ width, height })
  })

  test.each<[string, Uint8Array]>([
    ['nothing', bytes()],
    ['text', bytes('hello')],
    ['a PDF', bytes('%PDF-1.7')],
    ['a PNG without width', png(0, 10)],
    ['a PNG without height', png(10, 0)],
    ['a WebP without width', webpLossy(0, 10)],
    ['a WebP cut off', webpLossy(3, 2).subarray(0, 29)],
    ['a WebP with another part first', bytes(webpLossy(3, 2).subarray(0, 12), 'EXIF', Buffer.alloc(40))],
    ['a lossy WebP without its start code', bytes(webpLossy(3, 2).subarray(0, 23), Buffer.alloc(20))],
    ['a lossless WebP without its signature', bytes(webpLossless(3, 2).subarray(0, 20), Buffer.alloc(20))],
    ['an AVIF without width', avif(0, 10)],
    ['an AVIF cut off in its size', avif(3, 2).subarray(0, 110)],
    ['an AVIF without sizes', bytes(box('ftyp', 'avif', Buffer.alloc(4)), box('meta', Buffer.alloc(4)))],
    ['an AVIF with a size outside of its place', bytes(box('ftyp', 'avif', Buffer.alloc(4)), ispe(3, 2))],
    ['an AVIF with a box shorter than its name', bytes(box('ftyp', 'avif', Buffer.alloc(4)), [0, 0, 0, 4], 'metaxxxx')],
    ['a PNG without header', bytes(png(3, 2).subarray(0, 8), Buffer.alloc(40))],
    ['a PNG cut off', png(3, 2).subarray(0, 20)],
    ['a GIF without width', gif(0, 10)],
    ['a GIF cut off', gif(3, 2).subarray(0, 9)],
    ['an ICO without pictures', bytes([0, 0, 1, 0, 0, 0])],
    ['an ICO cut off', ico(16).subarray(0, 20)],
    ['a JPG without width', jpg(0, 10)],
    ['a JPG that tells its height later', jpg(10, 0)],
    ['a JPG cut off', jpg(3, 2).subarray(0, 24)],
    ['a JPG cut off in the frame', jpg(3, 2).subarray(0, 27)],
    ['a JPG without frame', bytes([0xff, 0xd8], segment(0xda, bytes('x')))],
    ['a JPG that has ended', bytes([0xff, 0xd8, 0xff, 0xd9], jpg(3, 2))],
    ['a JPG with a segment without length', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0], jpg(3, 2))],
    ['a JPG with a segment of length one', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 1], jpg(3, 2))],
    ['a JPG with a segment beyond its end', bytes([0xff, 0xd8], [0xff, 0xe0, 0xff, 0xff], Buffer.alloc(100))],
    ['a JPG with rubbish between segments', jpg(3, 2, bytes('rubbish'))],
    ['a JPG with a frame too short to hold a size', bytes([0xff, 0xd8, 0xff, 0xc0, 0, 2], Buffer.alloc(20, 1))],
  ])('of %s is not told', async (_, content) => {
    expect(await sizeOf(content)).toBeNull()
  })
})

describe('hostile pictures (X3, X4)', () => {
  test.each<[string, Uint8Array]>([
    ['filling without end', bytes([0xff, 0xd8], Buffer.alloc(5_000_000, 0xff))],
    ['markers without end', bytes([0xff, 0xd8], Buffer.alloc(5_000_000, bytes([0xff, 0xd0])))],
    ['beginnings without end', Buffer.alloc(5_000_000, bytes([0xff, 0xd8]))],
    ['empty segments without end', bytes([0xff, 0xd8], Buffer.alloc(5_000_000, bytes([0xff, 0xe0, 0, 2])))],
    ['full segments without end', bytes([0xff, 0xd8], Buffer.alloc(30_000_000, segment(0xe0, Buffer.alloc(65_533))))],
    ['empty boxes without end', bytes(box('ftyp', 'avif', Buffer.alloc(4)), Buffer.alloc(5_000_000, box('free')))],
    [
      'boxes that jump without end',
      bytes(box('ftyp', 'avif', Buffer.alloc(4)), Buffer.alloc(9_000_000, box('free', Buffer.alloc(5_000)))),
    ],
    ['sizes without end', avif(1, 1, Buffer.alloc(5_000_000, ispe(2, 2)))],
    ['comments of a GIF without end', bytes(gif(1, 1).subarray(0, 19), [0x21, 0xfe], Buffer.alloc(5_000_000, 1))],
    ['an ICO of 65,535 pictures', bytes([0, 0, 1, 0, 255, 255], Buffer.alloc(2_000_000, 1))],
  ])('%s end within the budget', async (_, content) => {
    const { steps, reads } = await measured(content)
    expect(steps).toBeLessThanOrEqual(4_000)
    expect(reads).toBeLessThanOrEqual(256)
    await sizeOf(content)
  })

  test.each<[string, Uint8Array]>([
    ['a JPG', jpg(640, 480, Buffer.alloc(5_000, 0xff))],
    ['an AVIF', avif(640, 480, bytes(), Buffer.alloc(40_000, box('free')))],
  ])('%s that hides its size behind thousands of steps is told apart from one without a size', async (_, content) => {
    expect(await sizeOf(content)).toBe('hidden')
  })

  test('mutated pictures each take at most 4,000 steps, and no size is absurd', async () => {
    const random = seeded(928)
    const pictures = [
      png(640, 480),
      gif(640, 480),
      ico(16, 32, 256),
      jpg(640, 480),
      jpg(640, 480, bytes(segment(0xe1, Buffer.alloc(6_000)), segment(0xdb, Buffer.alloc(65)))),
      jpg(640, 480, Buffer.alloc(6_000, segment(0xe1, bytes('abc')))),
      webpLossy(640, 480),
      webpLossless(640, 480),
      webpCanvas(640, 480),
      avif(640, 480, ispe(64, 48)),
    ]
    let told = 0
    let most = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { size, steps, reads } = await measured(mutate(pictures[round % pictures.length] ?? bytes(), random))
      most = Math.max(most, steps)
      if (steps > 4_000 || reads > 256) expect([round, steps, reads]).toEqual([round, 4_000, 256])
      if (size === null || size === 'hidden') continue
      told += 1
      const isSane = [size.width, size.height].every((side) => Number.isInteger(side) && side >= 1 && side < 2 ** 32)
      if (!isSane) expect([round, size]).toBeNull()
    }
    // It would prove nothing if the mutations had spoilt every picture, or none.
    expect(told).toBeGreaterThan(ROUNDS / 10)
    expect(told).toBeLessThan(ROUNDS)
    expect(most).toBeGreaterThan(10)
  })
})

const ROUNDS = isProof ? 30_000 : 3_000

/** Changes bytes, mostly near the beginning, where the headers are; sometimes cuts, doubles or fills a stretch. */
function mutate(picture: Uint8Array, random: (below: number) => number): Uint8Array {
  const mutated = Buffer.from(picture)
  const place = () => random(random(2) === 0 ? Math.min(40, mutated.length) : mutated.length)
  for (let change = random(4); change >= 0; change--)
    mutated[place()] = [0, 255, 0xd8, 0xc0, 1, random(256)][random(6)] ?? 0
  const kind = random(6)
  if (kind === 0) return mutated.subarray(0, place())
  if (kind === 1) return bytes(mutated.subarray(0, place()), mutated)
  if (kind === 2) mutated.fill(random(2) * 255, place(), place())
  return mutated
}
