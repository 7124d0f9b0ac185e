// Verifies that a message comes from PayPal: a certificate served by PayPal signs it.
// The message itself names the URL of the certificate, so that URL is not trusted. We fetch only from PayPal's host for the mode,
// below one path.

import { verify, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { nothingChargedError } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import type { ProviderClient } from '../provider/client.ts'
import type { ProviderMessage } from '../provider/history.ts'
import { textOf } from '../provider/json.ts'
import { splitValues } from '../provider/messages.ts'

const HOSTS = { live: 'https://api.paypal.com', sandbox: 'https://api.sandbox.paypal.com' } as const
const PATH = /^\/v1\/notifications\/certs\/[\w-]{1,128}$/
/**
 * Subject of the signing certificates. TLS proves that a certificate comes from PayPal; the subject excludes other certificates that PayPal
 * may serve.
 */
const SUBJECT = /^CN=messageverificationcerts\.(?:\w+\.)?paypal\.com$/m
const ALGORITHM = 'SHA256withRSA'

const MAX_CERTIFICATES = 64
/** Longer than the three days in which PayPal retries a delivery. A message decides nothing, so an old one does no harm. */
const MAX_AGE_MS = 4 * 86_400_000
/** Allows for differing clocks. */
const MAX_CLOCK_SKEW_MS = 10 * 60_000

/** Returns null if PayPal signed the message, otherwise the reason. */
type SignatureCheck = (message: ProviderMessage) => Promise<string | null>

export function signatureCheck({ http, address }: Pick<GatewayPorts, 'http' | 'address'>): SignatureCheck {
  const certificates = new Map<string, X509Certificate>()

  async function certificateAt(url: URL, signal: AbortSignal): Promise<X509Certificate | null> {
    const cachedCertificate = certificates.get(url.href)
    if (cachedCertificate !== undefined) return cachedCertificate
    const pem = await fetchCertificate(http, address(url.origin) + url.pathname, signal)
    const certificate = pem === null ? null : parseCertificate(pem)
    if (certificate === null) return null
    const [oldest] = certificates.keys()
    if (certificates.size >= MAX_CERTIFICATES && oldest !== undefined) certificates.delete(oldest)
    certificates.set(url.href, certificate)
    return certificate
  }

  return async ({ headers, body, config, is_sandbox, now, signal }) => {
    const webhookIds = splitValues(config.webhook_id)
    if (webhookIds.length === 0) return 'The gateway paypal has no webhook_id.'
    const id = headers['paypal-transmission-id']
    const time = headers['paypal-transmission-time']
    const signature = headers['paypal-transmission-sig']
    const certUrl = headers['paypal-cert-url']
    if (!id || !time || !signature || !certUrl) return 'It is not signed.'
    if (headers['paypal-auth-algo'] !== ALGORITHM) return 'Its signature algorithm is not known.'
    // The negation also rejects an invalid time, which is NaN.
    const age = now.getTime() - Date.parse(time)
    if (!(age <= MAX_AGE_MS && age >= -MAX_CLOCK_SKEW_MS)) return 'Its time is too far from the current time.'
    const url = trustedUrl(certUrl, is_sandbox)
    if (url === null) return 'Its certificate is not at an address of PayPal.'
    const certificate = await certificateAt(url, signal)
    if (certificate === null || !isUsable(certificate, now))
      return 'Its certificate was not issued for PayPal, or is not valid now.'
    const isSigned = webhookIds.some((webhookId) => {
      const signedContent = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`)
      return verify('sha256', signedContent, certificate.publicKey, Buffer.from(signature, 'base64'))
    })
    return isSigned ? null : 'Its signature is wrong.'
  }
}

function trustedUrl(text: string, is_sandbox: boolean): URL | null {
  const host = is_sandbox ? HOSTS.sandbox : HOSTS.live
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isPlain =
    url.origin === host && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  // Compare the text too: PayPal did not write a URL that the parser had to correct.
  return isPlain && PATH.test(url.pathname) && text === url.href ? url : null
}

function isUsable({ subject, validFrom, validTo, publicKey }: X509Certificate, now: Date): boolean {
  const isNow = Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)
  return isNow && SUBJECT.test(subject) && publicKey.asymmetricKeyType === 'rsa'
}

/** Reads the first certificate of the file. The others are its issuers. */
function parseCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/**
 * Returns null if PayPal has no certificate there. Throws `GatewayUnavailable` if it is not available now; PayPal sends the message again.
 */
async function fetchCertificate(http: ProviderClient, url: string, signal: AbortSignal): Promise<string | null> {
  const reply = await http({ method: 'GET', url, headers: {}, isText: true, signal }).catch((cause: unknown) => {
    throw nothingChargedError('The certificate of a PayPal message cannot be fetched now.', cause)
  })
  return reply.status === 200 ? textOf(reply.body) : null
}
