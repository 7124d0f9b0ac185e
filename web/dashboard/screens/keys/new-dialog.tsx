// Creates a key, and shows it. Its rights depend on its type and its mode, so the dialog explains both.

import { useState } from 'preact/hooks'
import type { ApiKey } from '../../../../src/api/keys/schema.ts'
import { post } from '../../parts/form/change.ts'
import { Select } from '../../parts/form/field.tsx'
import { ActionDialog } from '../../parts/page/dialog.tsx'
import { OnceDialog } from '../../parts/page/once-dialog.tsx'
import { useMode, useSession } from '../../session.tsx'

export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [mode] = useMode()
  const isOwner = useSession().account.role === 'owner'
  const [type, setType] = useState('secret')
  const [keyMode, setKeyMode] = useState(isOwner ? mode : 'sandbox')
  const [newKey, setNewKey] = useState<ApiKey | null>(null)
  if (newKey !== null) return <CreatedDialog made={newKey} onClose={onClose} />
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
      request={post('/v1/keys', { type, sandbox: keyMode === 'sandbox' })}
      staysOpen
      onDone={setNewKey}
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

function CreatedDialog({ made: { type, sandbox, key }, onClose }: { made: ApiKey; onClose: () => void }) {
  const isPublic = type === 'public'
  return (
    <OnceDialog
      title={`New ${type} ${sandbox ? 'sandbox' : 'live'} key`}
      what={isPublic ? 'Public key' : 'Secret key'}
      text={key ?? ''}
      intro={
        isPublic
          ? 'For the pages of your storefront. It stays in the list, and is no secret.'
          : 'Put it into the environment of your server, never into a page or a repository. Whoever has it can do what the shop can.'
      }
      isLasting={isPublic}
      onClose={onClose}
    />
  )
}
