import { Button } from '@mantine/core'
import { ToneIcon } from '../components/tone.tsx'
import { clockText } from '../display/dates.ts'
import type { Tone } from '../display/tones.ts'
import { t } from '../i18n/t.ts'
import { useZone } from '../status.ts'
import type { DraftKeeper, KeptDraft } from './draft-keeper.ts'
import css from './reading.module.css'

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
    saved: isBlank
      ? t('ui.reading.saving.blank')
      : t('ui.reading.saving.saved', { clock: clockText(savedAt ?? '', zone, new Date()) }),
    waiting: t('ui.reading.saving.waiting'),
    saving: t('ui.reading.saving.saving'),
    failing: t('ui.reading.saving.failing', { fault }),
    refused: t('ui.reading.saving.refused', { fault }),
    conflict: t('ui.reading.saving.conflict'),
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
          {t('ui.reading.saving.retry')}
        </Button>
      )}
      {state === 'conflict' && (
        <Button size="compact-xs" variant="default" onClick={onResolve}>
          {t('ui.reading.saving.resolve')}
        </Button>
      )}
    </div>
  )
}
