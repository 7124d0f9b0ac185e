// Every dialog of a webhook, loaded when the first of them opens.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { showToast } from '../../parts/page/toast.tsx'
import {
  DeleteWebhookDialog,
  FinishDialog,
  ReplayDialog,
  RotateDialog,
  SwitchOffDialog,
  SwitchOnDialog,
} from './dialogs.tsx'
import { WebhookDialog } from './edit-dialog.tsx'
import { SigningKeyDialog, useSkippedDeliveries } from './state.tsx'
import type { Webhook } from './webhook.ts'

export type WebhookDialogName = 'edit' | 'rotate' | 'finish' | 'replay' | 'on' | 'off' | 'delete'

type WebhookDialogsProps = {
  webhook: Webhook
  opened: WebhookDialogName | null
  onOpen: (opened: WebhookDialogName | null) => void
}

export function WebhookDialogs({ webhook, opened, onOpen }: WebhookDialogsProps) {
  const { route } = useLocation()
  const skipped = useSkippedDeliveries(webhook)
  const [withNewKey, setWithNewKey] = useState<Webhook | null>(null)
  const close = () => onOpen(null)
  if (withNewKey !== null) return <SigningKeyDialog webhook={withNewKey} onClose={() => setWithNewKey(null)} />
  switch (opened) {
    case 'edit':
      return (
        <WebhookDialog
          webhook={webhook}
          onClose={close}
          onSaved={() => {
            showToast('Saved')
            close()
          }}
        />
      )
    case 'rotate':
      return (
        <RotateDialog
          webhook={webhook}
          onClose={close}
          onKey={(webhook) => {
            close()
            // If this finishes a change under way, there is no new key.
            if (webhook.signing_key !== undefined) setWithNewKey(webhook)
            else showToast('Only the new key signs now')
          }}
        />
      )
    case 'finish':
      return <FinishDialog webhook={webhook} onClose={close} />
    case 'replay':
      return <ReplayDialog webhook={webhook} onClose={close} />
    case 'on':
      return <SwitchOnDialog webhook={webhook} skipped={skipped} onClose={close} />
    case 'off':
      return <SwitchOffDialog webhook={webhook} onClose={close} />
    case 'delete':
      return <DeleteWebhookDialog webhook={webhook} onClose={close} onDeleted={() => route('/dashboard/webhooks')} />
    default:
      return null
  }
}
