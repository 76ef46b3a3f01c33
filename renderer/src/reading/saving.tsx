import { Button } from '@mantine/core'
import { ToneIcon } from '../components/tone.tsx'
import { clockText } from '../display/dates.ts'
import type { Tone } from '../display/tones.ts'
import { useZone } from '../status.ts'
import type { DraftKeeper, KeptDraft } from './draft-keeper.ts'
import css from './reading.module.css'
import { words } from './words.ts'

const { saving: texts } = words
const TONES: Readonly<Record<KeptDraft['state'], Tone>> = {
  saved: 'good',
  waiting: 'plain',
  saving: 'plain',
  failing: 'danger',
  refused: 'danger',
  conflict: 'danger',
}

/** Whether what is written is at the gateway. */
export function SavingState({
  kept,
  keeper,
  onResolve,
}: {
  kept: KeptDraft
  keeper: DraftKeeper
  onResolve: () => void
}) {
  const zone = useZone()
  const { savedAt, fault } = kept
  // The next attempt does not take the message away: only its success does.
  const state = kept.state === 'saving' && fault !== '' ? 'failing' : kept.state
  // An addendum that was only started is revision 0.
  const isBlank = savedAt === null || kept.revision === 0
  const sayings: Readonly<Record<KeptDraft['state'], string>> = {
    saved: isBlank ? texts.blank : texts.saved(clockText(savedAt ?? '', zone, new Date())),
    waiting: texts.waiting,
    saving: texts.saving,
    failing: texts.failing(fault),
    refused: texts.refused(fault),
    conflict: texts.conflict,
  }
  const tone = state === 'saved' && isBlank ? 'plain' : TONES[state]
  const isBad = tone === 'danger'
  return (
    <div
      className={isBad ? css.notSaved : css.saved}
      data-tone={tone}
      role={isBad ? 'alert' : undefined}
      data-testid="saving"
    >
      <ToneIcon tone={tone} size={15} />
      <span className="tabular">{sayings[state]}</span>
      {state === 'refused' && (
        <Button size="compact-xs" variant="default" onClick={() => void keeper.retry()}>
          {texts.retry}
        </Button>
      )}
      {state === 'conflict' && (
        <Button size="compact-xs" variant="default" onClick={onResolve}>
          {texts.resolve}
        </Button>
      )}
    </div>
  )
}
