// Mails as a mail program shows them, for the frame in which the dashboard shows one. A mail is styled where it stands, which no page of ours may
// be, and shoppers have written some of it: so it comes as a document of its own, by itself in a sandbox, in which no script runs, nothing is sent
// and nothing is loaded but the shop's pictures.

import { previewMail } from '../api/developer/mails.ts'
import type { RoomRequest } from '../http/session/routes.ts'
import { notFound } from '../lib/errors.ts'
import { findMail } from '../mail/outbox-store.ts'
import type { MailKind } from '../mail/previews.ts'
import { originsOf } from '../pages/policy.ts'
import { callerOf, type Room, type Visitor } from './session.ts'

export async function showPreview(room: Room, { row }: Visitor, request: RoomRequest<{ kind: MailKind }>) {
  const { lastingOrigin, isSandbox, params } = request
  const context = { ...room, lastingOrigin, caller: callerOf(row, isSandbox, 'developer.preview_mail') }
  const { html } = await previewMail(context, params.kind)
  return asDocument(room, request, html)
}

/** Of the sandbox: of live ones nothing is kept that could be shown. */
export async function showKept(room: Room, { row }: Visitor, request: RoomRequest<{ id: string }>) {
  const mail = await findMail(room.db, { merchantId: row.merchant_id }, request.params.id)
  if (mail === null) throw notFound('mail')
  return asDocument(room, request, mail.body_html)
}

function asDocument({ publicUrl }: Room, request: RoomRequest, html: string): string {
  const images = ["'self'", 'data:', ...originsOf([publicUrl, request.lastingOrigin])]
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${images.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    // Links open beside the dashboard, and know nothing of it.
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ]
  request.setHeader('content-type', 'text/html; charset=utf-8')
  request.setHeader('content-security-policy', policy.join('; '))
  request.setHeader('cache-control', 'no-store')
  request.setHeader('referrer-policy', 'no-referrer')
  return html.replace('<head>', '<head><base target="_blank">')
}
