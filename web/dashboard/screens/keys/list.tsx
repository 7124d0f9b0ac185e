// API keys of both modes: type, last use, creation and revocation.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Table } from '../../parts/list/table.tsx'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { OnceDialog } from '../../parts/page/once-dialog.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty, Loaded } from '../../parts/page/states.tsx'
import { Badge, When } from '../../parts/show/values.tsx'
import { useMay, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { type ApiKey, shortKey } from './key.ts'
import { NewKeyDialog } from './new-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'

export function KeyList() {
  const query = useQuery<{ data: readonly ApiKey[] }>('/v1/keys')
  const may = useMay()
  const { account } = useSession()
  const [isMaking, setMaking] = useState(false)
  const [createdKey, setCreatedKey] = useState<ApiKey | null>(null)
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey | null>(null)
  const isOwner = account.role === 'owner'
  const newButton = may('keys.create') && (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New key
    </Button>
  )
  return (
    <Page
      title="API keys"
      actions={newButton}
      intro="A public key goes into pages that shoppers load: it can read products and make carts. A secret key can do everything that the shop can, and stays on your server."
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No keys" icon="key" action={newButton}>
              <p>
                Nothing but this dashboard can reach the shop now. A storefront needs a public key, a server a secret
                one.
              </p>
            </Empty>
          ) : (
            <Table
              caption="API keys"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { label: 'Key', cell: (key) => <KeyText apiKey={key} /> },
                {
                  label: 'Kind',
                  cell: ({ type }) => <span class="nowrap">{type === 'secret' ? 'Secret' : 'Public'}</span>,
                },
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
                    may('keys.revoke') && (isOwner || key.sandbox) ? (
                      <Button isSmall label={`Revoke ${shortKey(key)}`} onClick={() => setKeyToRevoke(key)}>
                        Revoke
                      </Button>
                    ) : (
                      <span class="hint">Only by owners</span>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {isMaking && (
        <NewKeyDialog
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setCreatedKey(key)
          }}
        />
      )}
      {createdKey !== null && <CreatedDialog made={createdKey} onClose={() => setCreatedKey(null)} />}
      {keyToRevoke !== null && <RevokeDialog apiKey={keyToRevoke} onClose={() => setKeyToRevoke(null)} />}
    </Page>
  )
}

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

function CreatedDialog({ made, onClose }: { made: ApiKey; onClose: () => void }) {
  const mode = made.sandbox ? 'sandbox' : 'live'
  if (made.type === 'public')
    return (
      <OnceDialog
        title={`New public ${mode} key`}
        what="Public key"
        text={made.key ?? ''}
        intro="For the pages of your storefront. It stays in the list, and is no secret."
        isLasting
        onClose={onClose}
      />
    )
  return (
    <OnceDialog
      title={`New secret ${mode} key`}
      what="Secret key"
      text={made.key ?? ''}
      intro="Put it into the environment of your server, never into a page or a repository. Whoever has it can do what the shop can."
      onClose={onClose}
    />
  )
}
