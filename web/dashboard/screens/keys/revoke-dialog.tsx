// Dialog that revokes an API key. The server then refuses all requests with the key. The person must type its last four
// characters, so that nobody revokes the wrong key.

import { useState } from 'preact/hooks'
import type { ApiKey } from '../../../../src/api/keys/schema.ts'
import { del } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { sinceText } from '../../parts/show/values.tsx'
import { shortKey } from './key.ts'

export function RevokeDialog({ apiKey: key, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [typedText, setTypedText] = useState('')
  const name = shortKey(key)
  return (
    <ActionDialog
      title={`Revoke ${name}`}
      verb={`Revoke ${name}`}
      isReady={typedText.trim() === key.last_four}
      says={[
        'Every request with it is refused within a second. This cannot be taken back.',
        key.last_used === null
          ? 'No use of it is known; what happened in the last minute is not counted yet.'
          : `It was used ${sinceText(key.last_used)}: whatever used it stops working.`,
      ]}
      request={del(`/v1/keys/${key.id}`)}
      done={`${name} is revoked`}
      onClose={onClose}
    >
      <Field
        name=""
        label={`Type its last four characters: ${key.last_four}`}
        isFocused
        maxLength={8}
        onInput={setTypedText}
      />
    </ActionDialog>
  )
}
