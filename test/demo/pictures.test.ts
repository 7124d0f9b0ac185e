// @proof @unit: it draws pictures pixel by pixel, which takes seconds.
// The pictures of the demo shop are our own: what lies in demo/pictures/ is what scripts/drawing/ draws.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { demoFolder } from '../../src/demo/files.ts'

type Draw = (paint?: unknown) => object

/** The scripts are JavaScript without types. */
const drawing = async <T>(name: string) =>
  (await import(pathToFileURL(`scripts/drawing/${name}.js`).href)) as Record<string, T>

/** Size, palette and pixels. How tightly they are packed differs from one Node to another. */
function contentsOf(png: Buffer): Buffer[] {
  const parts: Record<string, Buffer> = {}
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    parts[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, at + 8 + length)
    at += length + 12
  }
  const { IHDR, PLTE, IDAT } = parts
  if (!IHDR || !PLTE || !IDAT) throw new Error('This is no PNG with a palette.')
  return [IHDR, PLTE, inflateSync(IDAT)]
}

it.each([
  ['shelf', 'furniture', 'shelf', undefined],
  ['mug-clay', 'tableware', 'mug', 'clay'],
  ['cookbook', 'printed', 'cookbook', undefined],
] as const)('%s is what the script draws, pixel for pixel', async (picture, file, name, paint) => {
  const { encodePng } = await drawing<(canvas: object, mostBytes: number) => Buffer>('png')
  const { paints } = await drawing<Record<string, unknown>>('room')
  const draw = (await drawing<Draw>(file))[name]
  const drawn = encodePng?.(draw?.(paint && paints?.[paint]) ?? {}, 15_000) ?? Buffer.alloc(0)
  const kept = readFileSync(join(demoFolder, 'pictures', `${picture}.png`))
  expect(contentsOf(drawn).map((part, index) => part.equals(contentsOf(kept)[index] ?? Buffer.alloc(0)))).toEqual([
    true,
    true,
    true,
  ])
})
