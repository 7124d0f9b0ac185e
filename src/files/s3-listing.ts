// Reads the one kind of XML we ever get: a page of ListObjectsV2. Not a parser: it looks for a handful of elements by name,
// so there are no entities to expand, no declarations to follow, and time grows with the length of the text alone.

export type Listing = {
  objects: { key: string; modified: Date }[]
  /** The token of the next page, or null on the last. */
  next: string | null
}

export function readListing(xml: string): Listing {
  const objects: Listing['objects'] = []
  let outside = ''
  let at = 0
  for (;;) {
    const start = xml.indexOf('<Contents>', at)
    const end = start === -1 ? -1 : xml.indexOf('</Contents>', start)
    outside += xml.slice(at, end === -1 ? undefined : start)
    if (end === -1) break
    const element = xml.slice(start, end)
    const key = textOf(element, 'Key')
    const modified = new Date(textOf(element, 'LastModified') ?? '')
    if (key === null || Number.isNaN(modified.getTime()))
      throw new Error('The listing has an object without key or time.')
    objects.push({ key, modified })
    at = end + '</Contents>'.length
  }
  const isTruncated = textOf(outside, 'IsTruncated')
  if (isTruncated === null) throw new Error('The reply is not a listing.')
  const next = isTruncated === 'true' ? textOf(outside, 'NextContinuationToken') : null
  if (isTruncated === 'true' && next === null) throw new Error('The listing does not say how it goes on.')
  return { objects, next }
}

/** The text of the first element of that name, or null. */
function textOf(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`)
  const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start)
  return end === -1 ? null : plainText(xml.slice(start + name.length + 2, end))
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** One pass, so that `&amp;lt;` stays the text `&lt;`. */
function plainText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
