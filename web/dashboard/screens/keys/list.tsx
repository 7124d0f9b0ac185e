// API keys of both modes: type, last use, creation and revocation.

import type { ComponentChildren } from 'preact'
import type { ApiKey } from '../../../../src/api/keys/schema.ts'
import { listScreen } from '../../parts/list/list-screen.tsx'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { Badge, When } from '../../parts/show/values.tsx'
import { shortKey } from './key.ts'
import { NewKeyDialog } from './new-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

export const KeyList = listScreen<ApiKey>({
  screen: '/dashboard/keys',
  path: '/v1/keys',
  title: 'API keys',
  intro:
    'A public key goes into pages that shoppers load: it can read products and make carts. A secret key can do everything that the shop can, and stays on your server.',
  things: ['key', 'keys'],
  hidesOnlyPage: true,
  lines: 6,
  hrefOf: null,
  add: {
    permission: 'keys.create',
    label: 'New key',
    dialog: (close) => <NewKeyDialog onClose={close} />,
  },
  columns: ({ may, account, open }) => [
    { label: 'Key', cell: (key) => <KeyText apiKey={key} /> },
    { label: 'Kind', cell: ({ type }) => <span class="nowrap">{type === 'secret' ? 'Secret' : 'Public'}</span> },
    {
      label: 'Mode',
      cell: ({ sandbox }) => <Badge tone={sandbox ? 'calm' : 'good'}>{sandbox ? 'Sandbox' : 'Live'}</Badge>,
    },
    {
      label: 'Made',
      cell: ({ created }) => (
        <Labelled word="Made">
          <When at={created} />
        </Labelled>
      ),
    },
    {
      label: 'Last used',
      cell: ({ last_used }) =>
        last_used === null ? (
          <span class="nowrap">Never used</span>
        ) : (
          <Labelled word="Used">
            <When at={last_used} />
          </Labelled>
        ),
    },
    {
      label: 'Revoke',
      isNumber: true,
      cell: (key) =>
        may('keys.revoke') && (account.role === 'owner' || key.sandbox) ? (
          <Button
            words="Revoke"
            isSmall
            label={`Revoke ${shortKey(key)}`}
            onClick={() => open((close) => <RevokeDialog apiKey={key} onClose={close} />)}
          />
        ) : (
          <span class="hint">Only by owners</span>
        ),
    },
  ],
  empty: {
    title: 'No keys',
    icon: 'key',
    text: 'Nothing but this dashboard can reach the shop now. A storefront needs a public key, a server a secret one.',
  },
})

/** Phones do not show the name of the column. */
function Labelled({ word, children }: { word: string; children: ComponentChildren }) {
  return (
    <span class="nowrap">
      <span class="phone-word">{word} </span>
      {children}
    </span>
  )
}

function KeyText({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.key === null) return <code class="key-text">{shortKey(apiKey)}</code>
  return (
    <span class="key-line">
      <code class="key-text">{apiKey.key}</code>
      <CopyButton text={apiKey.key} what="Public key" />
    </span>
  )
}
