// Explains how a receiver verifies a delivery.

import { Section } from '../../parts/page/page.tsx'
import { Samples } from '../../parts/show/code.tsx'
import { VERIFICATION_SAMPLES } from './lines.ts'

export function VerificationSection() {
  return (
    <Section title="Verify what arrives">
      <p class="hint">
        Anybody can post to your address. Each delivery is signed with the webhook’s key, which your server knows as
        WEBHOOK_SECRET. Answer with 200 within 15 seconds.
      </p>
      <Samples label="Verifying lines" samples={VERIFICATION_SAMPLES} />
    </Section>
  )
}
