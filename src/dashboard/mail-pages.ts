// Mails as HTML documents, for the preview frame of the dashboard. Mails use inline styles, which our pages forbid, and contain text of
// shoppers. Each mail is therefore a sandboxed document of its own. It runs no script, sends nothing, and loads only the shop's pictures.

import { previewMail } from '../api/developer/mails.ts'
import type { DashboardRequest } from '../http/session/routes.ts'
import { notFound } from '../lib/errors.ts'
import { findMail } from '../mail/outbox-store.ts'
import type { PreviewMailKind } from '../mail/previews.ts'
import { originsOf } from '../pages/policy.ts'
import { type DashboardServices, type LoggedInMember, sessionCaller } from './session.ts'

export async function showPreview(
  services: DashboardServices,
  { row }: LoggedInMember,
  request: DashboardRequest<{ kind: PreviewMailKind }>,
) {
  const { lastingOrigin, is_sandbox, params } = request
  const context = { ...services, lastingOrigin, caller: sessionCaller(row, is_sandbox, 'developer.preview_mail') }
  const { html } = await previewMail(context, params.kind)
  return sandboxDocument(services, request, html)
}

/** Mails of the sandbox only: the content of live mails is not stored. */
export async function showOutboxMail(
  services: DashboardServices,
  { row }: LoggedInMember,
  request: DashboardRequest<{ id: string }>,
) {
  const mail = await findMail(services.db, { merchant_id: row.merchant_id }, request.params.id)
  if (mail === null) throw notFound('mail')
  return sandboxDocument(services, request, mail.body_html)
}

function sandboxDocument({ publicUrl }: DashboardServices, request: DashboardRequest, html: string): string {
  const images = ["'self'", 'data:', ...originsOf([publicUrl, request.lastingOrigin])]
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${images.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    // Links open in a new tab that cannot reach the dashboard.
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ]
  request.setHeader('content-type', 'text/html; charset=utf-8')
  request.setHeader('content-security-policy', policy.join('; '))
  request.setHeader('cache-control', 'no-store')
  request.setHeader('referrer-policy', 'no-referrer')
  return html.replace('<head>', '<head><base target="_blank">')
}
