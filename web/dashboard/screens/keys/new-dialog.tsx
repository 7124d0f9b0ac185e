// Creates a key. Its rights depend on its type and its mode, so the dialog explains both.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Select } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { useMode, useSession } from '../../session.tsx'
import { invalidateQueries } from '../../use-query.ts'
import type { ApiKey } from './key.ts'

type NewKeyProps = { readonly onMade: (key: ApiKey) => void; readonly onClose: () => void }

export function NewKeyDialog({ onMade, onClose }: NewKeyProps) {
  const [mode] = useMode()
  const isOwner = useSession().account.role === 'owner'
  const [type, setType] = useState('secret')
  const [keyMode, setKeyMode] = useState(isOwner ? mode : 'sandbox')
  return (
    <ActionDialog
      title="New API key"
      verb={`Make a ${type} ${keyMode} key`}
      says={[
        type === 'secret'
          ? 'It can read and change everything in the shop.'
          : 'It can do what shoppers can: read products, fill carts, check out.',
        keyMode === 'live'
          ? 'What is bought with it is bought with real money.'
          : 'No money moves: it only opens the sandbox.',
        ...(type === 'secret' ? ['You see it once, right after this.'] : []),
      ]}
      run={(_, { idempotencyKey }) =>
        call<ApiKey>('POST', '/v1/keys', { body: { type, sandbox: keyMode === 'sandbox' }, idempotencyKey })
      }
      onDone={(key) => {
        invalidateQueries('/v1/keys', '/v1/reports')
        onMade(key)
      }}
      onClose={onClose}
    >
      <Select
        name="type"
        label="Kind"
        value={type}
        options={[
          ['secret', 'Secret: for a server'],
          ['public', 'Public: for a storefront in the browser'],
        ]}
        onChange={setType}
      />
      <Select
        name="sandbox"
        label="Mode"
        value={keyMode}
        {...(isOwner ? {} : { hint: 'Keys of the live shop are made by owners.' })}
        options={[
          ['sandbox', 'Sandbox: to try things'] as const,
          ...(isOwner ? [['live', 'Live: real sales'] as const] : []),
        ]}
        onChange={(value) => setKeyMode(value === 'live' ? 'live' : 'sandbox')}
      />
    </ActionDialog>
  )
}
