// A ZIP archive of a few files, stored as they are: pictures do not become smaller twice.

import { crc32 } from 'node:zlib'

// 1 January 2026, as DOS writes dates: the archive is the same whenever it is made.
const DATE = ((2026 - 1980) << 9) | (1 << 5) | 1

export function encodeZip(files) {
  const local = []
  const directory = []
  let offset = 0
  for (const { name, data } of files) {
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(DATE, 8)
    shared.writeUInt32LE(crc32(data), 10)
    shared.writeUInt32LE(data.length, 14)
    shared.writeUInt32LE(data.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    const made = Buffer.from([20, 0])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), made, shared, rest, Buffer.from(name)]))
    local.push(entry)
    offset += entry.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, listed, Buffer.from('PK\x05\x06', 'latin1'), end])
}
