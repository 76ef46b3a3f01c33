import { Button } from '@mantine/core'
import type { DraftKeeper, KeptDraft } from '../../api/draft-keeper.ts'
import { useZone } from '../../api/status.ts'
import { clockText } from '../../format/dates.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './reports.module.css'

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
  const stateTexts: Readonly<Record<KeptDraft['state'], string>> = {
    saved: isBlank
      ? t('ui.reports.saving.blank')
      : t('ui.reports.saving.saved', { clock: clockText(savedAt ?? '', zone, new Date()) }),
    waiting: t('ui.reports.saving.waiting'),
    saving: t('ui.reports.saving.saving'),
    failing: t('ui.reports.saving.failing', { fault }),
    refused: t('ui.reports.saving.refused', { fault }),
    conflict: t('ui.reports.saving.conflict'),
  }
  const tone = state === 'saved' && isBlank ? 'plain' : TONES[state]
  const isDanger = tone === 'danger'
  return (
    <div
      className={isDanger ? css.notSaved : css.saved}
      data-tone={tone}
      role={isDanger ? 'alert' : undefined}
      data-testid="saving"
    >
      <ToneIcon tone={tone} size={15} />
      <span className="tabular">{stateTexts[state]}</span>
      {state === 'refused' && (
        <Button size="compact-xs" variant="default" onClick={() => void keeper.retry()}>
          {t('ui.reports.saving.retry')}
        </Button>
      )}
      {state === 'conflict' && (
        <Button size="compact-xs" variant="default" onClick={onResolve}>
          {t('ui.reports.saving.resolve')}
        </Button>
      )}
    </div>
  )
}
