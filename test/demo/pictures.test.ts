// @unit
// The pictures of the demo shop are whole, and the shop shows each of them.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { demoProducts } from '../../src/demo/catalogue.ts'
import { demoFolder } from '../../src/demo/files.ts'
import { type DemoCategory, demoCategories } from '../../src/demo/shelves.ts'

const folder = join(demoFolder, 'pictures')
const files = readdirSync(folder).sort()

it.each(files)('%s is a whole PNG of 640 by 640, to the last pixel', (file) => {
  const { IHDR, PLTE, IDAT, IEND } = chunksOf(readFileSync(join(folder, file)))
  const [width = 0, height = 0, bitDepth = 0] = [IHDR?.readUInt32BE(0), IHDR?.readUInt32BE(4), IHDR?.[8]]
  expect([width, height, PLTE !== undefined, IEND?.length]).toEqual([640, 640, true, 0])
  // A line is a byte for its filter, and the pixels as indexes into the palette.
  expect(inflateSync(IDAT ?? Buffer.alloc(0)).length).toBe(height * (1 + Math.ceil((width * bitDepth) / 8)))
})

it('the shop shows each of the 43 pictures, and no other, and they are small', () => {
  const ofCategory = ({ picture, children = [] }: DemoCategory): string[] => [picture, ...children.flatMap(ofCategory)]
  const ofProducts = demoProducts.flatMap(({ pictures, groups = {} }) => [
    ...pictures,
    ...Object.values(groups).flatMap((options) => options.flatMap(({ picture }) => picture ?? [])),
  ])
  const shown = new Set([...ofProducts, ...demoCategories.flatMap(ofCategory)])
  expect([...shown].map((name) => `${name}.png`).sort()).toEqual(files)
  expect(files.length).toBe(43)
  const sizes = files.map((file) => statSync(join(folder, file)).size)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(15_000)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(600_000)
})

/** The chunks by their names. Throws where a checksum differs. */
function chunksOf(png: Buffer): Record<string, Buffer> {
  expect(png.toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n')
  const chunks: Record<string, Buffer> = {}
  let at = 8
  while (at < png.length) {
    const end = at + 8 + png.readUInt32BE(at)
    const name = png.toString('latin1', at + 4, at + 8)
    expect([name, crc32(png.subarray(at + 4, end))]).toEqual([name, png.readUInt32BE(end)])
    chunks[name] = Buffer.concat([chunks[name] ?? Buffer.alloc(0), png.subarray(at + 8, end)])
    at = end + 4
  }
  return chunks
}
