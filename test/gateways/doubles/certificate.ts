// Makes certificates for tests, since Node can read X.509 and not write it: version 3, one common name, signed by the key that is given. By
// RFC 5280, section 4.1, in the few DER types that it takes.

import { type KeyObject, sign } from 'node:crypto'

type CertificateDraft = {
  readonly commonName: string
  readonly from: Date
  readonly to: Date
  readonly publicKey: KeyObject
  /** Who signs it. Whoever only reads the public key does not ask. */
  readonly privateKey: KeyObject
}

/** In PEM, as PayPal serves them. */
export function certificatePem({ commonName, from, to, publicKey, privateKey }: CertificateDraft): string {
  const name = sequence(set(sequence(COMMON_NAME, tagged(0x0c, Buffer.from(commonName, 'utf8')))))
  const content = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    SHA256_WITH_RSA,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = tagged(0x03, Buffer.concat([Buffer.of(0), sign('sha256', content, privateKey)]))
  const lines =
    sequence(content, SHA256_WITH_RSA, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts)
const set = (...parts: readonly Buffer[]) => tagged(0x31, ...parts)
const integer = (value: number) => tagged(0x02, Buffer.of(value))
const object = (...bytes: readonly number[]) => tagged(0x06, Buffer.of(...bytes))

/** 2.5.4.3 */
const COMMON_NAME = object(0x55, 0x04, 0x03)
/** 1.2.840.113549.1.1.11, and no parameters. */
const SHA256_WITH_RSA = sequence(object(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), tagged(0x05))

/** GeneralizedTime: 20260102030405Z. */
const time = (moment: Date) =>
  tagged(0x18, Buffer.from(`${moment.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`, 'ascii'))
