// A mail in a frame of its own. It runs no scripts and cannot reach the page around it.

import type { MailPreview } from '../../../../src/api/developer/mails.ts'
import type { PreviewMailKind } from '../../../../src/mail/previews.ts'
import { Dialog } from '../../parts/page/dialog.tsx'
import { Facts, Loaded } from '../../parts/page/page.tsx'
import { kindName } from './mail-kinds.ts'

export function MailPreviewDialog({ kind, onClose }: { kind: PreviewMailKind; onClose: () => void }) {
  return (
    <Dialog title={`Preview: ${kindName(kind)}`} isWide onClose={onClose}>
      <Loaded<MailPreview> of={`/v1/developer/mail/${kind}`}>
        {({ subject, text }) => (
          <div class="form">
            <p class="hint">Of an order that is made up, with your saved name, logo and colours.</p>
            <Facts facts={[['Subject', subject]]} />
            <MailBody title={kindName(kind)} src={`/dashboard/api/mails/previews/${kind}`} text={text} />
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

export function MailBody({ title, src, text }: { title: string; src: string; text: string }) {
  return (
    <>
      <iframe class="mail-frame" title={title} src={src} sandbox="allow-popups allow-popups-to-escape-sandbox" />
      <details>
        <summary>As text, for mail programs that show no HTML</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
        <pre tabIndex={0}>{text}</pre>
      </details>
    </>
  )
}
