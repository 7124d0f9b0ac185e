// Reads and checks TLS_CERT and TLS_KEY before anything else starts, so that a wrong file gives one clear sentence.

import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { type Config, ConfigError } from '../config.ts'

export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

export async function readTls({ tls }: Config): Promise<Certificate | null> {
  if (tls === null) return null
  const [cert, key] = await Promise.all([readPem('TLS_CERT', tls.certFile), readPem('TLS_KEY', tls.keyFile)])
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new ConfigError(
      `TLS_CERT and TLS_KEY must be a certificate and its key in PEM form (${(error as Error).message}).`,
    )
  }
  return { cert, key }
}

const readPem = (name: string, file: string) =>
  readFile(file).catch((error: Error) => {
    throw new ConfigError(`${name} cannot be read: ${error.message}.`)
  })
