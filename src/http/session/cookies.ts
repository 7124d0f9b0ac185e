// The two cookies of the dashboard: the session, and the browsers that are known. By HTTPS their names bind them to this host: no other host, and no
// page by plain HTTP, can set or overwrite them. By plain HTTP, on this machine alone, they have other names and no such protection.

import type { FastifyReply, FastifyRequest } from 'fastify'

type Cookie = 'session' | 'devices'

const NAMES = { session: 'cartwright', devices: 'cartwright-devices' } as const
/** Browsers keep none longer than 400 days. */
const SECONDS = { session: 14 * 86_400, devices: 400 * 86_400 } as const
const LONGEST = 1_000

const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https'

const nameOf = (request: FastifyRequest, cookie: Cookie): string =>
  `${isSecure(request) ? '__Host-' : ''}${NAMES[cookie]}`

/** Null where none was sent, and where two were: somebody else has set one of them. */
export function readCookie(request: FastifyRequest, cookie: Cookie): string | null {
  const values = cookieValues(request.headers.cookie ?? null, nameOf(request, cookie))
  const [value] = values
  return values.length === 1 && value !== undefined && value !== '' && value.length <= LONGEST ? value : null
}

/** All of one name in the header of a request. */
export const cookieValues = (header: string | null, name: string): string[] =>
  (header ?? '').split(';').flatMap((part) => {
    const equals = part.indexOf('=')
    return equals !== -1 && part.slice(0, equals).trim() === name ? part.slice(equals + 1).trim() : []
  })

/** Null: the browser forgets it. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, cookie: Cookie, value: string | null) {
  const parts = [
    `${nameOf(request, cookie)}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === null ? 0 : SECONDS[cookie]}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(request) ? ['Secure'] : []),
  ]
  reply.header('set-cookie', parts.join('; '))
}
