// The names in a ZIP archive, from the directory at its end. Nothing is inflated, and what is read has a fixed bound.
// It tells Office documents from other archives where file-type cannot: LibreOffice writes their table of contents last.

import { open } from 'node:fs/promises'

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50

// The end record is 22 bytes long and followed by a comment of at most 65,535.
const LONGEST_END = 22 + 65_535
const LONGEST_DIRECTORY = 1_048_576
const MOST_ENTRIES = 10_000

/** At most the first 10,000 names, or null when there is no directory where one has to be. */
export async function zipNames(path: string, size: number): Promise<string[] | null> {
  const file = await open(path, 'r')
  try {
    const read = async (position: number, length: number): Promise<DataView> => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position)
      return new DataView(buffer.buffer, 0, bytesRead)
    }
    const tailStart = Math.max(0, size - LONGEST_END)
    const tail = await read(tailStart, size - tailStart)
    const end = findEnd(tail)
    if (end === null) return null
    const length = tail.getUint32(end + 12, true)
    const start = tail.getUint32(end + 16, true)
    if (start + length > tailStart + end) return null
    return namesIn(await read(start, Math.min(length, LONGEST_DIRECTORY)))
  } finally {
    await file.close()
  }
}

function findEnd(tail: DataView): number | null {
  for (let at = tail.byteLength - 22; at >= 0; at--) if (tail.getUint32(at, true) === END_OF_DIRECTORY) return at
  return null
}

function namesIn(directory: DataView): string[] {
  const names: string[] = []
  let at = 0
  while (names.length < MOST_ENTRIES && at + 46 <= directory.byteLength) {
    if (directory.getUint32(at, true) !== DIRECTORY_ENTRY) break
    const nameLength = directory.getUint16(at + 28, true)
    const rest = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
    if (at + 46 + nameLength > directory.byteLength) break
    names.push(Buffer.from(directory.buffer, directory.byteOffset + at + 46, nameLength).toString('latin1'))
    at += 46 + nameLength + rest
  }
  return names
}
