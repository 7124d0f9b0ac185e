// The dashboard's two cookies: the session and the known devices. Over HTTPS their names bind them to this host. So no other host and no
// page over plain HTTP can set or overwrite them. Over plain HTTP, only on this machine, they have other names and no such protection.

import type { FastifyReply, FastifyRequest } from 'fastify'

type Cookie = 'session' | 'devices'

const NAMES = { session: 'cartwright', devices: 'cartwright-devices' } as const
/** Browsers keep cookies for at most 400 days. */
const SECONDS = { session: 14 * 86_400, devices: 400 * 86_400 } as const
const MAX_LENGTH = 1_000

const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https'

const cookieName = (request: FastifyRequest, cookie: Cookie): string =>
  `${isSecure(request) ? '__Host-' : ''}${NAMES[cookie]}`

/** Null if none was sent. Also null for two, because somebody else set one of them. */
export function readCookie(request: FastifyRequest, cookie: Cookie): string | null {
  const values = cookieValues(request.headers.cookie ?? null, cookieName(request, cookie))
  const [value] = values
  return values.length === 1 && value !== undefined && value !== '' && value.length <= MAX_LENGTH ? value : null
}

/** All values of a cookie in a request header. */
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
