// What may stand for a thing in an address, as the slug of a category and the permalink of a product do.

// The characters that no part of a URL needs to escape, also with clients that do not encode. Not first: "." and ".." would be
// taken for folders.
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/

export const isSlug = (text: string): boolean => SLUG.test(text)
