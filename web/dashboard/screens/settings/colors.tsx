// The two colours of a shop, and how readable text is in them: in words, and on a swatch.

import { useId } from 'preact/hooks'
import type { Merchant } from '../../../../src/api/merchants/schema.ts'
import {
  contrast,
  DEFAULT_ACCENT,
  DEFAULT_BACKGROUND,
  hasShapeContrast,
  isColor,
  linkColorOn,
  TEXT_COLOR,
  textColorOn,
} from '../../../../src/lib/html/colors.ts'
import { useHeldValue, WrongText } from '../../parts/form/held-value.tsx'
import { Button } from '../../parts/page/button.tsx'

/** The server corrects unreadable colours by the same functions. Here they are only announced. */
const OURS = { accent: DEFAULT_ACCENT, background: DEFAULT_BACKGROUND } as const
const WHITE = '#ffffff'
const ratio = (value: number) => `${(Math.floor(value * 10) / 10).toFixed(1)} to 1`
const grade = (value: number) => (value >= 7 ? 'easy to read' : 'can be read')

export function Colors() {
  const accent = useColor('accent', 'Accent')
  const background = useColor('background', 'Background')
  const [front, back] = [accent.shown, background.shown]
  const onButton = contrast(textColorOn(front), front)
  const onWhite = contrast(front, WHITE)
  const link = linkColorOn(WHITE, front)
  const hasEdge = !hasShapeContrast(front, WHITE)
  return (
    <>
      <div class="columns">
        <ColorField color={accent} label="Accent" hint="Of buttons and links." />
        <ColorField color={background} label="Background" hint="Around the sheets." />
      </div>
      <div class="swatch">
        <svg
          viewBox="0 0 320 150"
          role="img"
          aria-label="Your colours: a sheet with a link and a button on the background"
        >
          <rect width="320" height="150" rx="8" fill={back} />
          <text x="16" y="28" font-size="14" fill={textColorOn(back)}>
            Around the sheet
          </text>
          <rect x="16" y="42" width="288" height="92" rx="8" fill={WHITE} />
          <text x="32" y="68" font-size="14" fill={TEXT_COLOR}>
            Total $58.89
          </text>
          <text x="32" y="118" font-size="14" text-decoration="underline" fill={link}>
            A link
          </text>
          <rect x="176" y="92" width="112" height="36" rx="6" fill={front} stroke={hasEdge ? TEXT_COLOR : front} />
          <text x="232" y="115" font-size="14" text-anchor="middle" fill={textColorOn(front)}>
            Pay now
          </text>
        </svg>
      </div>
      <ul class="says">
        <li>
          Words on buttons are {textColorOn(front) === WHITE ? 'white' : 'black'}: {ratio(onButton)}, {grade(onButton)}.
        </li>
        <li>
          {link === front
            ? `Links in your accent: ${ratio(onWhite)} on white, ${grade(onWhite)}.`
            : `Links in your accent would be ${ratio(onWhite)} on white, too weak to read: they are written in black.`}
        </li>
        {hasEdge && <li>Buttons hardly stand out from white ({ratio(onWhite)}): they get an edge.</li>}
        <li>
          Words on your background are {textColorOn(back) === WHITE ? 'white' : 'black'}:{' '}
          {ratio(contrast(textColorOn(back), back))}, {grade(contrast(textColorOn(back), back))}.
        </li>
      </ul>
    </>
  )
}

function useColor(part: 'accent' | 'background', label: string) {
  const field = useHeldValue<string>({
    name: `colors.${part}`,
    label,
    from: ({ colors }: Merchant) => colors?.[part] ?? '',
    sent: (text) => text.trim() || null,
    say: (text) => text || 'ours',
  })
  const text = field.value.trim()
  return { ...field, ours: OURS[part], shown: isColor(text) ? text : OURS[part] }
}

function ColorField({ color, label, hint }: { color: ReturnType<typeof useColor>; label: string; hint: string }) {
  const id = useId()
  const { value, set, shown, ours, control, errors } = color
  return (
    <div class={errors.size > 0 ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {control}
      <div class="with-unit">
        <input
          type="color"
          aria-label={`${label}: pick`}
          value={shown}
          onInput={(event) => set(event.currentTarget.value)}
        />
        <input
          id={id}
          type="text"
          autocomplete="off"
          placeholder={ours}
          value={value}
          aria-describedby={`${id}-hint`}
          aria-invalid={errors.size > 0 || undefined}
          onInput={(event) => set(event.currentTarget.value)}
        />
      </div>
      <p class="hint" id={`${id}-hint`}>
        {hint} {value === '' ? 'Ours, as you have set none.' : ''}
      </p>
      <WrongText errors={errors} />
      {value !== '' && (
        <div>
          <Button
            words="Use ours"
            isSmall
            kind="quiet"
            label={`Use ours for ${label.toLowerCase()}`}
            onClick={() => set('')}
          />
        </div>
      )}
    </div>
  )
}
