// The dashboard's two cookies: the session and the known devices. Over HTTPS their names begin with `__Host-`.
// Browsers then let no other host and no page over plain HTTP set them. Plain HTTP works only on this machine; there
// the names have no prefix and no such protection.

import type { FastifyReply, FastifyRequest } from 'fastify'

type Cookie = 'session' | 'devices'

const NAMES = { session: 'cartwright', devices: 'cartwright-devices' } as const
/** Browsers keep cookies for at most 400 days. */
const SECONDS = { session: 14 * 86_400, devices: 400 * 86_400 } as const
const MAX_LENGTH = 1_000

const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https'

const cookieName = (request: FastifyRequest, cookie: Cookie): string =>
  `${isSecure(request) ? '__Host-' : ''}${NAMES[cookie]}`

/** Null if the cookie is missing, empty, too long or sent twice. If it was sent twice, somebody else set one. */
export function readCookie(request: FastifyRequest, cookie: Cookie): string | null {
  const values = cookieValues(request.headers.cookie ?? null, cookieName(request, cookie))
  const [value] = values
  return values.length === 1 && value !== undefined && value !== '' && value.length <= MAX_LENGTH ? value : null
}

/** All values of the named cookie in a `Cookie` header. */
export const cookieValues = (header: string | null, name: string): string[] =>
  (header ?? '').split(';').flatMap((part) => {
    const equals = part.indexOf('=')
    return equals !== -1 && part.slice(0, equals).trim() === name ? part.slice(equals + 1).trim() : []
  })

/** Null deletes the cookie. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, cookie: Cookie, value: string | null) {
  const parts = [
    `${cookieName(request, cookie)}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === null ? 0 : SECONDS[cookie]}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(request) ? ['Secure'] : []),
  ]
  reply.header('set-cookie', parts.join('; '))
}
