// Every dialog of a webhook, loaded when the first of them opens.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { showToast } from '../../parts/toast.tsx'
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
  of: Webhook
  opened: WebhookDialogName | null
  onOpen: (opened: WebhookDialogName | null) => void
}

export function WebhookDialogs({ of, opened, onOpen }: WebhookDialogsProps) {
  const { route } = useLocation()
  const skipped = useSkippedDeliveries(of)
  const [withNewKey, setWithNewKey] = useState<Webhook | null>(null)
  const close = () => onOpen(null)
  if (withNewKey !== null) return <SigningKeyDialog of={withNewKey} onClose={() => setWithNewKey(null)} />
  switch (opened) {
    case 'edit':
      return (
        <WebhookDialog
          of={of}
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
          of={of}
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
      return <FinishDialog of={of} onClose={close} />
    case 'replay':
      return <ReplayDialog of={of} onClose={close} />
    case 'on':
      return <SwitchOnDialog of={of} skipped={skipped} onClose={close} />
    case 'off':
      return <SwitchOffDialog of={of} onClose={close} />
    case 'delete':
      return <DeleteWebhookDialog of={of} onClose={close} onDeleted={() => route('/dashboard/webhooks')} />
    default:
      return null
  }
}
