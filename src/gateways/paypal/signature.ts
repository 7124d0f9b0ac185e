// Whether a message is PayPal's: signed by the key of a certificate that PayPal itself serves. The message names the address of that
// certificate, so the address is what has to be distrusted: nothing is fetched but from PayPal's own host for the mode, and below the one path.

import { verify, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { nothingCharged } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import type { ProviderClient } from '../provider/client.ts'
import { textOf } from '../provider/json.ts'
import { eachIn } from '../provider/messages.ts'
import type { ProviderMessage } from '../provider/story.ts'

const HOSTS = { live: 'https://api.paypal.com', sandbox: 'https://api.sandbox.paypal.com' } as const
const PATH = /^\/v1\/notifications\/certs\/[\w-]{1,128}$/
/** Whom its certificates name. TLS has shown that they come from PayPal; this tells them from others that it might serve there. */
const SUBJECT = /^CN=messageverificationcerts\.(?:\w+\.)?paypal\.com$/m
const ALGORITHM = 'SHA256withRSA'

const MOST_CERTIFICATES = 64
/** Longer than PayPal tries to deliver a message: three days. What it says decides nothing, so an old one does no harm either. */
const OLDEST_MS = 4 * 86_400_000
/** Clocks differ. */
const NEWEST_MS = 10 * 60_000

/** Null: it is PayPal's. Otherwise why not. */
type SignatureCheck = (message: ProviderMessage) => Promise<string | null>

export function signatureCheck({ http, address }: Pick<GatewayPorts, 'http' | 'address'>): SignatureCheck {
  const certificates = new Map<string, X509Certificate>()

  async function certificateAt(url: URL, signal: AbortSignal): Promise<X509Certificate | null> {
    const kept = certificates.get(url.href)
    if (kept !== undefined) return kept
    const pem = await fetchCertificate(http, address(url.origin) + url.pathname, signal)
    const certificate = pem === null ? null : parse(pem)
    if (certificate === null) return null
    const [oldest] = certificates.keys()
    if (certificates.size >= MOST_CERTIFICATES && oldest !== undefined) certificates.delete(oldest)
    certificates.set(url.href, certificate)
    return certificate
  }

  return async ({ headers, body, config, isSandbox, now, signal }) => {
    const webhookIds = eachIn(config.webhook_id)
    if (webhookIds.length === 0) return 'The gateway paypal has no webhook_id.'
    const id = headers['paypal-transmission-id']
    const time = headers['paypal-transmission-time']
    const signature = headers['paypal-transmission-sig']
    const certUrl = headers['paypal-cert-url']
    if (!id || !time || !signature || !certUrl) return 'It is not signed.'
    if (headers['paypal-auth-algo'] !== ALGORITHM) return 'It is signed in a way that is not known.'
    // Also where the time is none: NaN is neither.
    const age = now.getTime() - Date.parse(time)
    if (!(age <= OLDEST_MS && age >= -NEWEST_MS)) return 'It was not sent lately.'
    const url = trustedUrl(certUrl, isSandbox)
    if (url === null) return 'Its certificate is not at PayPal.'
    const certificate = await certificateAt(url, signal)
    if (certificate === null || !isUsable(certificate, now))
      return 'Its certificate is none of PayPal’s, or is not valid now.'
    const isSigned = webhookIds.some((webhookId) => {
      const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`)
      return verify('sha256', signed, certificate.publicKey, Buffer.from(signature, 'base64'))
    })
    return isSigned ? null : 'Its signature is wrong.'
  }
}

function trustedUrl(text: string, isSandbox: boolean): URL | null {
  const host = isSandbox ? HOSTS.sandbox : HOSTS.live
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isPlain =
    url.origin === host && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  // As it was written, too: what a parser mends was not written by PayPal.
  return isPlain && PATH.test(url.pathname) && text === url.href ? url : null
}

function isUsable({ subject, validFrom, validTo, publicKey }: X509Certificate, now: Date): boolean {
  const isNow = Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)
  return isNow && SUBJECT.test(subject) && publicKey.asymmetricKeyType === 'rsa'
}

/** The first of the file: those behind it are who has signed it. */
function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/** Null: PayPal has none there. Throws `GatewayUnavailable` where it cannot be had now; PayPal sends the message again. */
async function fetchCertificate(http: ProviderClient, url: string, signal: AbortSignal): Promise<string | null> {
  const reply = await http({ method: 'GET', url, headers: {}, isText: true, signal }).catch((cause: unknown) => {
    throw nothingCharged('The certificate of a message of PayPal’s cannot be had now.', cause)
  })
  return reply.status === 200 ? textOf(reply.body) : null
}
